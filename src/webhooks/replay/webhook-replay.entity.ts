import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

export const REPLAY_STATES = closedSet('WebhookReplayState', ['RUNNING', 'COMPLETE', 'INCOMPLETE', 'FAILED']);
export type ReplayState = (typeof REPLAY_STATES)[number];

/** The index that allows a webhook one replay at a time. */
export const ONE_RUNNING = 'webhook_replays_one_running';

/** A job that resends the events of a time window; its id is decimal. */
@Entity('webhook_replays')
@Index(ONE_RUNNING, ['webhookId'], { unique: true, where: `state = 'RUNNING'` })
@Index(['webhookId', 'id'])
export class WebhookReplay {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() webhookId: string;
  /** Start of the window, inclusive. */
  @TimestampColumn() fromTime: Date;
  /** End of the window, exclusive. */
  @TimestampColumn() toTime: Date;
  @Column({ type: 'varchar', collation: 'C' }) state: ReplayState;
  /** The time and id of the last enqueued event. After a worker dies, another one continues here. */
  @TimestampColumn({ nullable: true }) lastEventTime: Date | null;
  @IdColumn({ nullable: true }) lastEventId: string | null;
  /** Number of events enqueued so far. */
  @Column({ type: 'int' }) events: number;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn({ nullable: true }) endedAt: Date | null;
}
