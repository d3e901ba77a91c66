import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/** An attempt to deliver an event to a webhook. */
@Entity('webhook_attempts')
@Index(['deliveryId', 'id'])
export class WebhookAttempt {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() deliveryId: string;
  @TimestampColumn() startedAt: Date;
  /** Duration of the attempt, in milliseconds. */
  @Column({ type: 'int' }) latencyMs: number;
  /** The HTTP status of the response; null if there was none. */
  @Column({ type: 'int', nullable: true }) status: number | null;
  /** Why the attempt failed; null if it succeeded. */
  @Column({ type: 'varchar', nullable: true }) error: string | null;
  /** The fault of the workbench that the attempt met; null without one. */
  @IdColumn({ nullable: true }) fault: string | null;
}
