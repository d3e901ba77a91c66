import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PollLoop } from '../../common/concurrency/poll-loop.js';
import { retrying, whenUnlocked } from '../../common/db/query/retry.js';
import { timeOfId } from '../../common/entity/ids.js';
import { onEnqueued } from '../../common/jobs/enqueue.js';
import { Jobs, type BackgroundWork } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { Metrics, shareResult } from '../../common/metrics/metrics.js';
import { Clock } from '../../common/time/clock.js';
import { MATCHED_BY } from '../conversions/conversion.entity.js';
import { CONVERSIONS_CHANNEL } from '../conversions/conversions.service.js';
import { attribute, claimConversions, waitingConversions } from './attribution.statements.js';

/** Conversions of one transaction. */
const BATCH = 5_000;
/** Conversions of other processes are found after this time. A rest between rounds collects those of many requests. */
const ROUNDS = { minMs: 100, maxMs: 1_000 };
/** Larger metrics are reported as this value: counting further would cost more. */
const MAX_COUNTED = 10_000;
const NOBODY = 'nobody';

/**
 * Matches conversions with engagements, in the order of their arrival. All processes that do work take turns: a batch belongs to
 * the transaction that locks it.
 */
@Injectable()
export class ConversionMatching implements BackgroundWork, OnModuleInit {
  private readonly logger = new Logger('Conversions');
  private readonly loop: PollLoop;
  private readonly count: (of: { by: string }, by: number) => void;
  /** Conversions of the next transaction: half as many after a failure, since a statement may take three seconds. */
  private batch = BATCH;
  private unsubscribe = (): void => undefined;

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly metrics: Metrics,
  ) {
    this.count = metrics.counter('conversions_matched_total', 'Conversions of tags, by what matched them', ['by']);
    for (const by of [...MATCHED_BY, NOBODY]) this.count({ by }, 0);
    this.loop = new PollLoop(
      async (signal) => void (await this.matchAll(signal)),
      (error) => this.logger.error(`Conversions could not be matched: ${failureReasonOf(error)}`),
      ROUNDS,
    );
  }

  onModuleInit(): void {
    this.jobs.alongside(this);
    const waiting = shareResult(() => waitingConversions(this.db.manager, MAX_COUNTED));
    this.metrics.gauge(
      'conversions_to_match',
      'Conversions of tags that are not matched yet, up to 10,000',
      async () => (await waiting()).count,
    );
    this.metrics.gauge('conversions_to_match_oldest_seconds', 'Seconds since the oldest of them arrived', async () => {
      const { first } = await waiting();
      return first === null ? 0 : Math.max(0, (this.clock.ms() - timeOfId(first).getTime()) / 1_000);
    });
  }

  start(): void {
    this.unsubscribe = onEnqueued(this.db, (name) => void (name === CONVERSIONS_CHANNEL.name && this.loop.ring()));
    this.loop.start();
  }

  async stop(): Promise<void> {
    this.unsubscribe();
    await this.loop.stop();
  }

  /** Matches what waits until nothing is left, or the signal aborts; returns the number of conversions. */
  async matchAll(signal?: AbortSignal): Promise<number> {
    let matched = 0;
    while (!signal?.aborted) {
      const limit = this.batch;
      this.batch = Math.ceil(limit / 2);
      const batch = await this.matchBatch(limit);
      this.batch = Math.min(2 * limit, BATCH);
      matched += batch;
      if (batch < limit) break;
    }
    return matched;
  }

  private async matchBatch(limit: number): Promise<number> {
    const { ids, counts } = await retrying(() =>
      whenUnlocked(() =>
        this.db.transaction(async (tx) => {
          const ids = await claimConversions(tx, limit);
          return { ids, counts: ids.length > 0 ? await attribute(tx, ids) : [] };
        }),
      ),
    );
    for (const { matchedBy, count } of counts)
      this.count({ by: matchedBy === null ? NOBODY : MATCHED_BY[matchedBy] }, count);
    return ids.length;
  }
}
