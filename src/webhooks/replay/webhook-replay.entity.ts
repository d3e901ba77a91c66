import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

export const REPLAY_STATES = closedSet('WebhookReplayState', ['RUNNING', 'COMPLETE', 'INCOMPLETE', 'FAILED']);
export type ReplayState = (typeof REPLAY_STATES)[number];

/** The index that lets a webhook have one replay at a time. */
export const ONE_RUNNING = 'webhook_replays_one_running';

/** A job that sends the events of a window again; its id is decimal. */
@Entity('webhook_replays')
@Index(ONE_RUNNING, ['webhookId'], { unique: true, where: `state = 'RUNNING'` })
@Index(['webhookId', 'id'])
export class WebhookReplay {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() webhookId: string;
  /** The first moment of the window. */
  @TimestampColumn() fromTime: Date;
  /** The first moment after the window. */
  @TimestampColumn() toTime: Date;
  @Column({ type: 'varchar', collation: 'C' }) state: ReplayState;
  /** The time and the id of the last event that was enqueued again: where a worker goes on after another one died. */
  @TimestampColumn({ nullable: true }) lastEventTime: Date | null;
  @IdColumn({ nullable: true }) lastEventId: string | null;
  /** How many events were enqueued again so far. */
  @Column({ type: 'int' }) events: number;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn({ nullable: true }) endedAt: Date | null;
}
