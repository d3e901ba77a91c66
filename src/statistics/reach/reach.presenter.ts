import { ApiProperty } from '@nestjs/swagger';
import { ID, Unescaped } from '../../common/http/answers/responses.js';
import type { Reach } from './reach.rules.js';

export class ReachView {
  /** The id of the campaign or the funding instrument. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** How many users saw something of it, each counted once. */
  @ApiProperty({ type: 'integer', example: 2_310 }) total_audience_reach: number;
  /** The impressions per user who saw something, with two decimals; 0 without impressions. */
  @ApiProperty({ type: Number, example: 1.87 }) average_frequency: number;
}

export const presentReach = ({ id, users, frequency }: Reach & { id: string }): ReachView => ({
  id,
  total_audience_reach: users,
  average_frequency: frequency,
});
