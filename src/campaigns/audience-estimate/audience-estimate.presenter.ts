import { ApiProperty } from '@nestjs/swagger';

const PEOPLE = { type: 'integer', minimum: 0 } as const;

export class AudienceSizeView {
  /** Lower bound of the number of users. */
  @ApiProperty({ ...PEOPLE, example: 38_236_294 }) min: number;
  /** Upper bound of the number of users. */
  @ApiProperty({ ...PEOPLE, example: 42_261_167 }) max: number;
}

export class AudienceEstimateView {
  /**
   * The estimated audience size: the counted number of users minus and plus 5 percent. If sizes are protected, both
   * bounds have two significant digits, and any number of users below the floor is reported as 0 to the floor.
   */
  @ApiProperty({ type: AudienceSizeView }) audience_size: AudienceSizeView;
}

export const presentAudienceEstimate = ({ min, max }: AudienceSizeView): AudienceEstimateView => ({
  audience_size: { min, max },
});
