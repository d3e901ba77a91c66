import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { CHANGE_TYPES, HISTORY_ENTITIES, type AccountChange } from './account-change.entity.js';

class ChangeByView {
  /** The user. */
  @ApiProperty(DECIMAL_ID) user_id: string;
  /** What they did it through. */
  @ApiProperty({ example: 'API_OTHER' }) platform: string;
}

export class AccountHistoryView {
  /** Who changed it. */
  @ApiProperty({ type: ChangeByView }) change_by: ChangeByView;
  /** For updates the fields that changed, each with its `old` and `new` value; else empty. */
  @ApiProperty({ type: Object }) changes: object;
  /** When it was changed. */
  @ApiProperty(TIME) @Unescaped() change_time: string;
  /** The id of the entity. */
  @ApiProperty(ID) entity_id: string;
  /** What kind of entity it is. */
  @ApiProperty(enumSchema(HISTORY_ENTITIES)) entity: string;
  /** The entity after the change, without its `id`. */
  @ApiProperty({ type: Object }) entity_data: object;
  /** What was done. */
  @ApiProperty(enumSchema(CHANGE_TYPES)) @Unescaped() change_type: string;
}

/** What is kept of an entity without its id, which `entity_id` tells already. */
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
