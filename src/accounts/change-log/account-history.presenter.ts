import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { Unescaped } from '../../common/http/responses.js';
import { CHANGE_TYPES, type AccountChange } from './account-change.entity.js';

class ChangeByView {
  @ApiProperty() user_id: string;
  @ApiProperty({ example: 'API_OTHER' }) platform: string;
}

export class AccountHistoryView {
  @ApiProperty({ type: ChangeByView }) change_by: ChangeByView;
  @ApiProperty({ type: Object, description: 'for updates, { field: { old, new } }' }) changes: object;
  @ApiProperty({ format: 'date-time' }) @Unescaped() change_time: string;
  @ApiProperty() entity_id: string;
  @ApiProperty() entity: string;
  @ApiProperty({ type: Object, description: 'the entity after the change' }) entity_data: object;
  @ApiProperty({ enum: CHANGE_TYPES }) @Unescaped() change_type: string;
}

export const presentAccountChange = (change: Row<AccountChange>): AccountHistoryView => ({
  change_by: { user_id: change.userId, platform: change.platform },
  changes: change.changes,
  change_time: wireTime(change.changeTime),
  entity_id: change.entityId,
  entity: change.entityType,
  entity_data: change.entityData,
  change_type: change.changeType,
});
