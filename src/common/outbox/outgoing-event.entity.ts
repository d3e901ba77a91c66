import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../entity/columns.js';
import { NotInSnapshots } from '../entity/snapshots.js';

/**
 * An event for webhooks that is no recorded change of an account, stored by the statement that causes it. Recorded changes
 * are events themselves: see AccountChange.
 */
@Entity('outgoing_events')
@NotInSnapshots('events are on their way to webhooks')
@Index('outgoing_events_undispatched', ['id'], { where: `"dispatchedAt" IS NULL` })
export class OutgoingEvent {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  /** The account of the event; null when it is about a user or an application. */
  @IdColumn({ nullable: true }) accountId: string | null;
  /** The only application whose webhooks receive it; null for every subscription of the account. */
  @IdColumn({ nullable: true }) applicationId: string | null;
  /** The record of the change, in events that an earlier release stored; null since then. */
  @IdColumn({ nullable: true }) changeId: string | null;
  /** The event without its envelope; null when the record of a change is sent. */
  @Column({ type: 'json', nullable: true }) body: object | null;
  @TimestampColumn() createdAt: Date;
  /** When it was handed to the webhooks that subscribe to it; null until then. */
  @TimestampColumn({ nullable: true }) dispatchedAt: Date | null;
}
