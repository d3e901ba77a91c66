import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../entity/columns.js';

/**
 * That something happened which webhooks want to hear of, stored by the statement that makes it happen. A change of an
 * account is named by its record instead of being repeated; what has no such record carries its own `body`.
 */
@Entity('outgoing_events')
@Index('outgoing_events_undispatched', ['id'], { where: `"dispatchedAt" IS NULL` })
export class OutgoingEvent {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  /** The account it happened in; null where it is about a user or an application. */
  @IdColumn({ nullable: true }) accountId: string | null;
  /** The only application whose webhooks hear of it; null where every subscription of the account does. */
  @IdColumn({ nullable: true }) applicationId: string | null;
  /** The record of the change; null where there is none. */
  @IdColumn({ nullable: true }) changeId: string | null;
  /** What is told of it besides its envelope; null where the record of the change is told. */
  @Column({ type: 'json', nullable: true }) body: object | null;
  @TimestampColumn() createdAt: Date;
  /** When it was given to the webhooks that want it; null until then. */
  @TimestampColumn({ nullable: true }) dispatchedAt: Date | null;
}
