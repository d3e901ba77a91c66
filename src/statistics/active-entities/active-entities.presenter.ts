import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { FACT_PLACEMENTS } from '../../measurement/entities/conversion-fact.entity.js';
import type { Activity } from './active-entities.statements.js';

export class ActiveEntityView {
  /** The id of the entity. */
  @ApiProperty(ID) @Unescaped() entity_id: string;
  /** The beginning of the first hour in which something was counted. */
  @ApiProperty(TIME) @Unescaped() activity_start_time: string;
  /** The end of the last hour in which something was counted. */
  @ApiProperty(TIME) @Unescaped() activity_end_time: string;
  /** Where it was delivered. */
  @ApiProperty({ type: 'array', items: enumSchema(FACT_PLACEMENTS) }) placements: string[];
}

export const presentActiveEntity = ({ id, startTime, endTime, placements }: Activity): ActiveEntityView => ({
  entity_id: id,
  activity_start_time: wireTime(startTime),
  activity_end_time: wireTime(endTime),
  placements,
});
