import { ApiProperty } from '@nestjs/swagger';

const PEOPLE = { type: 'integer', minimum: 0 } as const;

export class AudienceSizeView {
  /** At least so many people. */
  @ApiProperty({ ...PEOPLE, example: 38_236_294 }) min: number;
  /** At most so many. */
  @ApiProperty({ ...PEOPLE, example: 42_261_167 }) max: number;
}

export class AudienceEstimateView {
  /**
   * About how many people there are: 5 percent less and more than were counted. Where sizes are protected both ends have two
   * significant digits, and any number of people below the floor is from 0 to the floor.
   */
  @ApiProperty({ type: AudienceSizeView }) audience_size: AudienceSizeView;
}

export const presentAudienceEstimate = ({ min, max }: AudienceSizeView): AudienceEstimateView => ({
  audience_size: { min, max },
});
