import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

export const DELIVERY_STATES = closedSet('WebhookDeliveryState', ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']);
export type WebhookDeliveryState = (typeof DELIVERY_STATES)[number];

/** The id of the first delivery of an event to a webhook. */
export const deliveryIdOf = (eventId: string, webhookId: string): string => `${eventId}-${webhookId}`;

/** The delivery of one event to one webhook. The table is both the send queue and its log. */
@Entity('webhook_deliveries')
// Separate indexes for first-time and replayed deliveries, so that a large replay delays nothing else.
@Index('webhook_deliveries_due', ['webhookId', 'dueAt', 'id'], { where: `state = 'PENDING' AND "replayId" = ''` })
@Index('webhook_deliveries_due_again', ['webhookId', 'dueAt', 'id'], {
  where: `state = 'PENDING' AND "replayId" <> ''`,
})
@Index('webhook_deliveries_once', ['webhookId', 'eventId', 'replayId'], { unique: true })
@Index(['webhookId', 'id'])
// Most deliveries are delivered; the index above finds those.
@Index('webhook_deliveries_by_state', ['webhookId', 'state', 'id'], { where: `state <> 'DELIVERED'` })
@Index('webhook_deliveries_of_replay', ['replayId', 'state'], { where: `"replayId" <> ''` })
@Index('webhook_deliveries_of_window', ['webhookId', 'eventTime', 'eventId'], { where: `"replayId" = ''` })
export class WebhookDelivery {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() webhookId: string;
  @IdColumn() eventId: string;
  /** When the event happened. */
  @TimestampColumn() eventTime: Date;
  /** The replay that resends the event; empty for a first delivery. */
  @IdColumn() replayId: string;
  @Column({ type: 'varchar', collation: 'C' }) state: WebhookDeliveryState;
  /** Number of attempts. */
  @Column({ type: 'int' }) attempts: number;
  /** When the next attempt is due. During an attempt, when another process may take over. */
  @TimestampColumn() dueAt: Date;
  /** The HTTP status of the last response; null if there was none. */
  @Column({ type: 'int', nullable: true }) lastStatus: number | null;
  /** Why the last attempt failed; null if it succeeded. */
  @Column({ type: 'varchar', nullable: true }) lastError: string | null;
  /** The fault of the workbench that the next attempt carries out; null without one. */
  @IdColumn({ nullable: true }) fault: string | null;
  @TimestampColumn() createdAt: Date;
  /** When it was delivered, failed or cancelled; null while it is pending. */
  @TimestampColumn({ nullable: true }) settledAt: Date | null;
}

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
  /**
   * What was sent and received, besides the event: JSON as text. Null if nothing was sent, and where it told of a person
   * who was deleted.
   */
  @Column({ type: 'text', nullable: true }) exchange: string | null;
}
