import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { DeliveryWorker } from '../deliveries/delivery-worker.js';
import { Webhook } from '../entities/webhook.entity.js';
import { eventFor } from '../events/event-for.js';
import { replayEnded, stateOf } from './replay.presenter.js';
import { enqueueNext, runningAfter, tallyOf } from './replays.statements.js';
import { WebhookReplay } from './webhook-replay.entity.js';

/** Without retries: the next one comes in a few seconds. */
export const REPLAY_EVENTS = defineJob('replay-webhook-events', { timeoutSeconds: 60, retries: 0 });

const EVERY_SECONDS = 5;
/** It ends by itself before its time is over; the next one waits by then. */
const MAX_DURATION_MS = 45_000;
/** How many replays go on at a time, and for how long before others have their turn. */
const AT_ONCE = 10;
const TURN_MS = 1_000;
/** How many deliveries of a replay wait for their first attempt: what happens meanwhile waits behind no more than these. */
const MAX_QUEUED = 100;
const PAUSE_MS = 50;

/**
 * Has the events of replays sent again, a few at a time and in steps that each are stored with how far they brought it: who
 * dies is followed by any other process, and two at the same replay take different steps.
 */
@Injectable()
export class ReplaysJob implements OnModuleInit {
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

  /** Goes on with all that are underway, as long as that brings any of them further. */
  private async advanceAll(signal: AbortSignal): Promise<void> {
    const end = performance.now() + MAX_DURATION_MS;
    let moved = true;
    while (moved && performance.now() < end) {
      moved = false;
      let last: string | undefined = '';
      while (last !== undefined && !signal.aborted) {
        const running = await runningAfter(this.db.manager, last, AT_ONCE);
        const turns = await Promise.all(running.map(({ id }) => this.advance(id, signal)));
        moved ||= turns.includes(true);
        last = running.length === AT_ONCE ? running.at(-1)?.id : undefined;
      }
      if (signal.aborted) return;
    }
  }

  /** A replay's turn; whether it came any further. */
  private async advance(id: string, signal: AbortSignal): Promise<boolean> {
    const end = performance.now() + TURN_MS;
    let [moved, waited] = [false, 0];
    while (performance.now() < end && !signal.aborted) {
      const step = await retrying(() => enqueueNext(this.db.manager, id, MAX_QUEUED, this.clock.now()));
      if (!step) return moved;
      if (!step.open || step.waiting === 0) {
        const ended = await this.end(id, step.open);
        if (ended) this.deliveries.look();
        return ended || moved;
      }
      moved ||= step.enqueued > 0 || step.waiting < waited;
      waited = step.waiting;
      this.deliveries.look();
      await pause(PAUSE_MS);
    }
    return moved;
  }

  /** Ends a replay of which nothing is underway any more, `whole` or because its webhook takes nothing, and tells that. */
  private end(id: string, whole: boolean): Promise<boolean> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        const tally = await tallyOf(tx, id);
        const replay = await rows(tx, WebhookReplay).where('id', id).whereLiteral('state', 'RUNNING').getOne();
        const webhook = replay && (await rows(tx, Webhook).where('id', replay.webhookId).whereTrue('valid').getOne());
        // what is tried once more is a matter of hours
        if (!replay || (webhook && tally.pending > 0)) return false;
        const now = this.clock.now();
        const state = stateOf(tally, whole);
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
