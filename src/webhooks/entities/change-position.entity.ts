import { Column, Entity, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/**
 * The position of a reader of the change history. A change is read if its transaction is visible in `readSnapshot`.
 * Snapshots are in PostgreSQL's text format of `pg_snapshot`: unlike ids and times, they stay exact when transactions
 * commit in another order than they began.
 */
@Entity('change_positions')
export class ChangePosition {
  /** The reader: `webhooks`. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) name: string;
  @Column({ type: 'varchar' }) readSnapshot: string;
  /** The snapshot that is read after several batches; null between them. */
  @Column({ type: 'varchar', nullable: true }) batchSnapshot: string | null;
  /** The last change of the previous batch, by transaction and id; 0 and empty before the first. */
  @Column({ type: 'bigint' }) batchTransactionId: number;
  @IdColumn() batchChangeId: string;
  /** Number of changes of this row. */
  @Column({ type: 'bigint' }) round: number;
  /** When a change was last read. */
  @TimestampColumn() readAt: Date;
}

/** The position of webhook deliveries. */
export const WEBHOOKS_POSITION = 'webhooks';
