import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { ApplicationQueries } from '../../auth/credentials/application.queries.js';
import { Clock } from '../../common/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { DATABASE, type Database } from '../../common/db/database.js';
import { insert, write } from '../../common/db/query/write.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { PollLoop } from '../../common/poll-loop.js';
import { captured, type CapturedRequest } from './captured-request.js';
import { MAX_REQUESTS } from './journal-retention.job.js';
import { JournaledRequest } from './journaled-request.entity.js';
import { recorded } from './recorded-request.js';
import { RequestQueues } from './request-queues.js';

/** Minimum and maximum time between two statements, and their share of the time. */
const STORING = { leastMs: 100, mostMs: 5_000, share: 0.01 };
/** Maximum number of requests in a statement: others share its connection. */
const BATCH = 100;
/** Bound of the captured requests that are not stored yet, in bytes. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Time that other replicas get to store their requests before a read. */
const SETTLE_MS = 200;
/** Minimum time between two log lines about failures. */
const WARN_MS = 60_000;
/** A message on this channel asks all replicas to store what they have captured. */
const CHANNEL = 'journal';

/**
 * Captures requests in memory and stores them a moment later, so that no response waits for it. Storing takes a bounded
 * share of the time: beyond that, requests wait in memory until somebody reads the journal. Older ones than the journal
 * keeps are never stored. What a killed process has not stored is lost.
 */
@Injectable()
export class Journal implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Journal');
  private readonly countDropped: (labels: Record<string, string>) => void;
  private readonly waiting = new RequestQueues({ perApplication: MAX_REQUESTS, bytes: MAX_WAITING_BYTES });
  private readonly loop: PollLoop;
  private storing = Promise.resolve(true);
  private lastWarnedAt = -Infinity;
  private unsubscribe?: () => void;

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly applications: ApplicationQueries,
    private readonly notifications: DatabaseNotifications,
    @Inject(DATABASE) private readonly database: Database,
    metrics: Metrics,
  ) {
    this.countDropped = metrics.counter(
      'journal_dropped_total',
      'Requests that the journal did not keep: newer ones replaced them, or the database did not store them',
      [],
    );
    this.loop = new PollLoop(
      () => this.storeWaiting(),
      (error) => this.warn(error),
      STORING,
    );
  }

  onApplicationBootstrap(): void {
    this.loop.start();
    this.unsubscribe = this.notifications.on(CHANNEL, () => void this.flush());
  }

  async onApplicationShutdown(): Promise<void> {
    this.unsubscribe?.();
    await this.loop.stop();
    await this.flush();
  }

  /** Captures an answered request, if its application is known. */
  capture(request: FastifyRequest, reply: FastifyReply): void {
    const found = captured(request, reply, this.clock.now());
    if (!found) return;
    for (let dropped = this.waiting.push(found); dropped > 0; dropped--) this.countDropped({});
    this.loop.ring();
  }

  /**
   * Resolves when the journal contains the requests that were answered before the call. Other replicas get a moment to
   * store theirs.
   */
  async settle(): Promise<void> {
    if (this.database.embedded) return this.flush();
    await this.notifications.publish(this.db.manager, CHANNEL, '');
    await Promise.all([this.flush(), pause(SETTLE_MS)]);
  }

  /** Stores all captured requests, until the database does not store one. */
  private async flush(): Promise<void> {
    let stores = true;
    while (stores && this.waiting.size > 0) stores = await this.storeNext();
    await this.storing;
  }

  private async storeWaiting(): Promise<void> {
    if (this.waiting.size === 0) return;
    await this.storeNext();
    if (this.waiting.size > 0) this.loop.ring();
  }

  /** One batch at a time, so that a slow database does not get more of them. */
  private storeNext(): Promise<boolean> {
    this.storing = this.storing.then(() => this.store(this.waiting.take(BATCH)));
    return this.storing;
  }

  /** Returns whether the database has stored the requests. */
  private async store(batch: readonly CapturedRequest[]): Promise<boolean> {
    try {
      // rejected requests may only tell a consumer key
      const keys = new Set(batch.flatMap(({ consumerKey }) => consumerKey ?? []));
      const ids = keys.size > 0 ? await this.applications.idsByConsumerKey([...keys]) : new Map<string, string>();
      const rows = batch.flatMap((each) => {
        const applicationId = each.applicationId ?? ids.get(each.consumerKey!);
        return applicationId === undefined ? [] : [recorded(each, applicationId)];
      });
      await write(this.db.manager, [insert(JournaledRequest, rows)]);
      return true;
    } catch (error) {
      for (const _ of batch) this.countDropped({});
      this.warn(error);
      return false;
    }
  }

  private warn(error: unknown): void {
    const now = performance.now();
    if (now - this.lastWarnedAt < WARN_MS) return;
    this.lastWarnedAt = now;
    this.logger.warn({ err: error }, 'Requests could not be stored in the journal');
  }
}
