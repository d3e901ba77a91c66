import { ApiProperty } from '@nestjs/swagger';
import { exactWireTime, wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { DECIMAL_ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { closedSet } from '../../common/values/closed-set.js';
import { writtenMinute } from './replay.rules.js';
import type { Tally } from './replays.statements.js';
import type { ReplayState, WebhookReplay } from './webhook-replay.entity.js';

const JOB_STATES = closedSet('WebhookReplayJobState', ['Running', 'Complete', 'Incomplete', 'Failed']);
type JobState = (typeof JOB_STATES)[number];

const WRITTEN: Record<ReplayState, JobState> = {
  RUNNING: 'Running',
  COMPLETE: 'Complete',
  INCOMPLETE: 'Incomplete',
  FAILED: 'Failed',
};

/** A replay job. */
export class ReplayJobView {
  /** The id of the job. */
  @ApiProperty({ ...DECIMAL_ID, example: '1790000000000001' }) @Unescaped() job_id: string;
  /** The id of the webhook. */
  @ApiProperty({ ...DECIMAL_ID, example: '1790000000000002' }) @Unescaped() webhook_id: string;
  /** The first minute of the replayed events, inclusive. */
  @ApiProperty({ example: '202609010900' }) from_date: string;
  /** The last minute of the replayed events, inclusive. */
  @ApiProperty({ example: '202609011000' }) to_date: string;
  /** The status of the job. */
  @ApiProperty(enumSchema(JOB_STATES)) job_state: JobState;
  /** Number of events found so far. */
  @ApiProperty({ type: 'integer', example: 12 }) events: number;
  /** Number of events delivered. */
  @ApiProperty({ type: 'integer', example: 12 }) delivered: number;
  /** Number of events that failed and are no longer retried. */
  @ApiProperty({ type: 'integer', example: 0 }) failed: number;
  /** When the job was requested, with milliseconds. */
  @ApiProperty({ ...TIME, example: '2026-09-01T10:00:00.000Z' }) @Unescaped() created_at: string;
  /** When the job ended; null while it runs. */
  @ApiProperty({ ...TIME, nullable: true, example: '2026-09-01T10:01:00Z' }) @Unescaped() ended_at: string | null;
}

/** A replay and the results of its deliveries so far. */
export interface ReplayProgress {
  replay: Row<WebhookReplay>;
  tally: Tally;
}

export const presentReplay = ({ replay, tally }: ReplayProgress): ReplayJobView => ({
  job_id: replay.id,
  webhook_id: replay.webhookId,
  from_date: writtenMinute(new Date(replay.fromTime)),
  to_date: writtenMinute(new Date(Date.parse(replay.toTime) - 1)),
  job_state: WRITTEN[replay.state],
  events: replay.events,
  delivered: tally.delivered,
  failed: tally.failed,
  created_at: exactWireTime(replay.createdAt),
  ended_at: wireTime(replay.endedAt),
});

/** The final state of a replay; `isComplete`: the webhook accepted events to the end of the window. */
export function stateOf({ pending, delivered, failed }: Tally, isComplete: boolean): ReplayState {
  if (isComplete && pending + failed === 0) return 'COMPLETE';
  return delivered > 0 ? 'INCOMPLETE' : 'FAILED';
}

/** The body of the event that ends a replay. */
export const replayEnded = ({ id, webhookId, state, events }: Row<WebhookReplay>, { delivered }: Tally) => ({
  replay_job_status: {
    webhook_id: webhookId,
    job_state: WRITTEN[state],
    job_state_description: `${delivered} of ${events} events were delivered again.`,
    job_id: id,
  },
});

/** Presents a replay job that has just started. */
export const presentStarted = ({ id, createdAt }: Row<WebhookReplay>) => ({
  created_at: exactWireTime(createdAt),
  job_id: id,
});
