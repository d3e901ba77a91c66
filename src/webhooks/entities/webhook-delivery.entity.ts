import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

export const DELIVERY_STATES = closedSet('WebhookDeliveryState', ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']);
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** That one event is to be brought to one webhook, and how far that is: the queue of what is to be sent, and its log. */
@Entity('webhook_deliveries')
// what is sent for the first time, and what is sent again: a large replay is not in the way of anything
@Index('webhook_deliveries_due', ['webhookId', 'dueAt', 'id'], { where: `state = 'PENDING' AND "replayId" = ''` })
@Index('webhook_deliveries_due_again', ['webhookId', 'dueAt', 'id'], {
  where: `state = 'PENDING' AND "replayId" <> ''`,
})
@Index('webhook_deliveries_once', ['webhookId', 'eventId', 'replayId'], { unique: true })
@Index(['webhookId', 'id'])
// nearly all are delivered, and found by the index above
@Index('webhook_deliveries_by_state', ['webhookId', 'state', 'id'], { where: `state <> 'DELIVERED'` })
@Index('webhook_deliveries_of_replay', ['replayId', 'state'], { where: `"replayId" <> ''` })
@Index('webhook_deliveries_of_window', ['webhookId', 'eventTime', 'eventId'], { where: `"replayId" = ''` })
export class WebhookDelivery {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() webhookId: string;
  @IdColumn() eventId: string;
  /** When the event happened. */
  @TimestampColumn() eventTime: Date;
  /** The replay that sends it again; empty where it is sent for the first time. */
  @IdColumn() replayId: string;
  @Column({ type: 'varchar', collation: 'C' }) state: DeliveryState;
  /** How often it was tried. */
  @Column({ type: 'int' }) attempts: number;
  /** When it is tried next; while somebody is at it, when somebody else may take over. */
  @TimestampColumn() dueAt: Date;
  /** The status that the last attempt was answered with; null where there was no answer. */
  @Column({ type: 'int', nullable: true }) lastStatus: number | null;
  /** Why the last attempt failed; null where it did not. */
  @Column({ type: 'varchar', nullable: true }) lastError: string | null;
  @TimestampColumn() createdAt: Date;
  /** When it was delivered or given up; null while it is pending. */
  @TimestampColumn({ nullable: true }) settledAt: Date | null;
}
