import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { CHANGE_TYPES, HISTORY_ENTITIES, type AccountChange } from './account-change.entity.js';

class ChangeByView {
  /** The id of the user. */
  @ApiProperty(DECIMAL_ID) user_id: string;
  /** The client through which the user made the change. */
  @ApiProperty({ example: 'API_OTHER' }) platform: string;
}

@Noun('change')
export class AccountHistoryView {
  /** The author of the change. */
  @ApiProperty({ type: ChangeByView }) change_by: ChangeByView;
  /** For updates, the changed fields with their `old` and `new` values; otherwise empty. */
  @ApiProperty({ type: Object }) changes: object;
  /** When the entity was changed. */
  @ApiProperty(TIME) @Unescaped() change_time: string;
  /** The id of the entity. */
  @ApiProperty(ID) entity_id: string;
  /** The type of the entity. */
  @ApiProperty(enumSchema(HISTORY_ENTITIES)) entity: string;
  /** The entity after the change, without its `id`. */
  @ApiProperty({ type: Object }) entity_data: object;
  /** The type of the change. */
  @ApiProperty(enumSchema(CHANGE_TYPES)) @Unescaped() change_type: string;
}

/** Removes the id, which `entity_id` already contains. */
function withoutId(data: object): object {
  const { id: _, ...rest } = data as { id?: unknown };
  return rest;
}

export const presentAccountChange = (change: Row<AccountChange>): AccountHistoryView => ({
  change_by: { user_id: change.userId, platform: change.platform },
  changes: change.changes,
  change_time: wireTime(change.changeTime),
  entity_id: change.entityId,
  entity: change.entityType,
  entity_data: withoutId(change.entityData),
  change_type: change.changeType,
});
