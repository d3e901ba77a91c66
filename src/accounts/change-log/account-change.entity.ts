import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';

export const CHANGE_TYPES = closedSet('ChangeType', ['CREATE', 'UPDATE', 'DELETE']);
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** The entity types that account_history accepts. The changes of all resources are stored, and webhooks get them. */
export const HISTORY_ENTITIES = closedSet('HistoryEntity', [
  'CAMPAIGN',
  'LINE_ITEM',
  'PROMOTED_POST',
  'TARGETING_CRITERIA',
  'PROMOTED_ACCOUNT',
]);

/** One change of one entity of an account. The row itself is not changed or deleted. */
@Entity('account_changes')
@NotInSnapshots('the history stays, and so do the events in it')
@Index(['accountId', 'entityType', 'entityId', 'id'])
@Index('account_changes_by_transaction', ['transactionId', 'id'], { where: '"transactionId" IS NOT NULL' })
export class AccountChange {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() accountId: string;
  /** The name of a resource. */
  @Column({ type: 'varchar', collation: 'C' }) entityType: string;
  @IdColumn() entityId: string;
  @Column({ type: 'varchar' }) changeType: ChangeType;
  @TimestampColumn() changeTime: Date;
  @IdColumn() userId: string;
  @Column({ type: 'varchar' }) platform: string;
  /** `{ field: { old, new } }`, empty for creations and deletions. */
  @Column({ type: 'json' }) changes: object;
  /** The entity as presented after the change. */
  @Column({ type: 'json' }) entityData: object;
  /**
   * The id of the database transaction that stored the change, by which readers of the history find out what is new.
   * Null in rows of releases that stored an event for each change.
   */
  @Column({ type: 'bigint', nullable: true }) transactionId: number | null;
}
