import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/** One try to bring an event to a webhook. */
@Entity('webhook_attempts')
@Index(['deliveryId', 'id'])
export class WebhookAttempt {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() deliveryId: string;
  @TimestampColumn() startedAt: Date;
  /** How long it took, in milliseconds. */
  @Column({ type: 'int' }) latencyMs: number;
  /** The status of the answer; null where there was none. */
  @Column({ type: 'int', nullable: true }) status: number | null;
  /** Why it failed; null where it did not. */
  @Column({ type: 'varchar', nullable: true }) error: string | null;
}
