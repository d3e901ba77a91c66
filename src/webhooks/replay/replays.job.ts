import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { DeliveryWorker } from '../deliveries/delivery-worker.js';
import { Webhook } from '../entities/webhook.entity.js';
import { eventFor } from '../events/event-for.js';
import { replayEnded, stateOf } from './replay.presenter.js';
import { enqueueNext, runningAfter, tallyOf } from './replays.statements.js';
import { WebhookReplay } from './webhook-replay.entity.js';

/** No retries: the next job starts within a few seconds. */
export const REPLAY_EVENTS = defineJob('replay-webhook-events', { timeoutSeconds: 60, retries: 0 });

const EVERY_SECONDS = 5;
/** The job ends before its timeout; the next one is queued by then. */
const MAX_DURATION_MS = 45_000;
/** Maximum number of concurrent replays, and how long each runs before it yields to others. */
const AT_ONCE = 10;
const TURN_MS = 1_000;
/**
 * Maximum number of a replay's deliveries that wait for their first attempt. New events wait behind no more than these.
 */
const MAX_QUEUED = 100;
const PAUSE_MS = 50;

/**
 * Enqueues the events of replays in small steps, and stores the progress with each step. If a process dies, another one
 * continues. Two processes at the same replay take different steps.
 */
@Injectable()
export class ReplaysJob implements OnModuleInit {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly deliveries: DeliveryWorker,
  ) {}

  onModuleInit(): void {
    this.jobs.work(REPLAY_EVENTS, (_, { signal }) => this.advanceAll(signal));
    this.jobs.schedule(REPLAY_EVENTS, { everySeconds: EVERY_SECONDS });
  }

  /** Advances all running replays as long as any of them progresses. */
  private async advanceAll(signal: AbortSignal): Promise<void> {
    const end = performance.now() + MAX_DURATION_MS;
    let moved = true;
    while (moved && performance.now() < end) {
      moved = false;
      let last: string | undefined = '';
      while (last !== undefined && !signal.aborted) {
        const running = await runningAfter(this.db.manager, last, AT_ONCE);
        const turns = await Promise.all(running.map(({ id }) => this.turnOf(id, signal)));
        moved ||= turns.includes(true);
        last = running.length === AT_ONCE ? running.at(-1)?.id : undefined;
      }
      if (signal.aborted) return;
    }
  }

  /** As `advance`. A replay that fails does not delay others. */
  private async turnOf(id: string, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.advance(id, signal);
    } catch (error) {
      this.logger.error(`The replay ${id} could not continue: ${failureReasonOf(error)}`);
      return false;
    }
  }

  /** Runs a replay for its share of time; returns whether it progressed. */
  private async advance(id: string, signal: AbortSignal): Promise<boolean> {
    const end = performance.now() + TURN_MS;
    let [moved, waited] = [false, 0];
    while (performance.now() < end && !signal.aborted) {
      const step = await retrying(() => enqueueNext(this.db.manager, id, MAX_QUEUED, this.clock.now()));
      if (!step) return moved;
      if (!step.open || (step.waiting === 0 && !step.more)) {
        const ended = await this.end(id, step.open);
        if (ended) this.deliveries.wakeUp();
        return ended || moved;
      }
      moved ||= step.enqueued > 0 || step.more || step.waiting < waited;
      waited = step.waiting;
      this.deliveries.wakeUp();
      await pause(PAUSE_MS);
    }
    return moved;
  }

  /**
   * Ends a replay without deliveries under way, as complete or because its webhook receives nothing, and sends the
   * event.
   */
  private end(id: string, isComplete: boolean): Promise<boolean> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        const tally = await tallyOf(tx, id);
        const replay = await rows(tx, WebhookReplay).where('id', id).whereLiteral('state', 'RUNNING').getOne();
        const webhook = replay && (await rows(tx, Webhook).where('id', replay.webhookId).whereTrue('valid').getOne());
        // Pending retries may take hours; the replay ends after them.
        if (!replay || (webhook && tally.pending > 0)) return false;
        const now = this.clock.now();
        const state = stateOf(tally, isComplete);
        const [ended] = await rows(tx, WebhookReplay)
          .where('id', id)
          .whereLiteral('state', 'RUNNING')
          .update({ state, endedAt: now.toISOString() });
        if (ended && webhook) await write(tx, eventFor(webhook, replayEnded(ended, tally), now).writes);
        return ended !== undefined;
      }),
    );
  }
}
