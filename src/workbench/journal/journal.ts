import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import { DataSource } from 'typeorm';
import { ApplicationQueries } from '../../auth/credentials/application.queries.js';
import { AnswerTimeouts } from '../../common/concurrency/answer-timeouts.js';
import { inBackground } from '../../common/concurrency/background.js';
import { Clock } from '../../common/time/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { DATABASE, type Database } from '../../common/db/database.js';
import type { Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { insert, write } from '../../common/db/query/write.js';
import { Unavailable } from '../../common/errors/unavailable.js';
import { nextSlice } from '../../common/concurrency/in-slices.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { PollLoop } from '../../common/concurrency/poll-loop.js';
import { captured, type CapturedRequest, capturedAnswer } from './captured-request.js';
import { MAX_OTHERS, MAX_REJECTED } from './journal-retention.job.js';
import { JournaledRequest } from './journaled-request.entity.js';
import type { RequestMinutes } from './request-minutes.js';
import { recorded } from './recorded-request.js';
import { queuesOf, RequestQueues } from './request-queues.js';
import { isRead } from '../../auth/guards/endpoint-policy.js';

/** Minimum and maximum time between two statements, and their share of the time. */
const STORING = { minMs: 100, maxMs: 5_000, share: 0.01 };
/** Maximum number of requests in a statement: others share its connection. */
const BATCH = 100;
/** Bound of the captured requests that are not stored yet, in bytes. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Time that other replicas get to store their requests before a read. */
const SETTLE_MS = 200;
/** Maximum time that a read waits, and that it waits for rejected requests, of which strangers can send any number. */
const MAX_SETTLE_MS = 5_000;
const MAX_REJECTED_SETTLE_MS = 1_000;
/** SQLSTATEs of a row that the table does not take: its values, its keys, or its size. */
const ROW_FAULT = /^(22|23|54)/;
/** Minimum time between two log lines about failures. */
const WARN_MS = 60_000;
/** A message on this channel asks all replicas to store what they have captured in the queues that it names. */
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
  private readonly waiting = new RequestQueues({
    perApplication: MAX_OTHERS,
    rejected: MAX_REJECTED,
    bytes: MAX_WAITING_BYTES,
  });
  private readonly timeouts = new AnswerTimeouts(MAX_SETTLE_MS);
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
    this.unsubscribe = this.notifications.on(CHANNEL, (payload) =>
      inBackground(this.flushAsked(payload), 'storing requests for a reader of the journal'),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    this.unsubscribe?.();
    await this.loop.stop();
    await this.flush();
  }

  private flushAsked(payload: string): Promise<void> {
    const queues = queuesIn(payload);
    return queues ? this.flushInOrder(queues) : this.flush();
  }

  /** Captures an answered request, if its application is known. */
  capture(request: FastifyRequest, reply: FastifyReply): void {
    try {
      const found = captured(request, reply, this.clock.now());
      if (!found) return;
      for (let dropped = this.waiting.push(found); dropped > 0; dropped--) this.countDropped({});
      this.loop.ring();
    } catch (error) {
      // the response has been sent; thrown in a hook, it would end the process
      this.lose(1, error);
    }
  }

  /**
   * Resolves when the journal contains the requests of an application that were answered before the call, and not later
   * ones, which would let others delay it. Other replicas get a moment to store theirs. 503 if it takes too long.
   */
  async settle(applicationId: string): Promise<void> {
    const application = await this.applications.findById(applicationId);
    const queues = queuesOf(applicationId, application?.consumerKey ?? '');
    const settled = this.database.embedded ? this.flushInOrder(queues) : this.settleAll(queues);
    await this.timeouts.race(
      settled,
      () => new Unavailable('the journal has too many requests to store before a read'),
    );
  }

  private async settleAll(queues: readonly string[]): Promise<void> {
    await this.notifications.publish(this.db.manager, CHANNEL, JSON.stringify(queues));
    await Promise.all([this.flushInOrder(queues), pause(SETTLE_MS)]);
  }

  /** Stores the requests of an application in its queues, the rejected ones last and as far as time allows. */
  private async flushInOrder([accepted, ...rejected]: readonly string[]): Promise<void> {
    await this.flush([accepted]);
    await this.flush(rejected, MAX_REJECTED_SETTLE_MS);
  }

  /** Stores the requests that these queues have now, by default all, until the database does not store one. */
  private async flush(queues: readonly string[] = this.waiting.names, maxMs = MAX_SETTLE_MS): Promise<void> {
    const hasLeft = this.waiting.mark(queues);
    const until = performance.now() + maxMs;
    while (!hasLeft() && performance.now() < until && (await this.storeNext(queues)));
    await this.storing;
  }

  private async storeWaiting(): Promise<void> {
    if (this.waiting.size === 0) return;
    await this.storeNext();
    if (this.waiting.size > 0) this.loop.ring();
  }

  /** One batch at a time, so that a slow database does not get more of them. */
  private storeNext(queues?: readonly string[]): Promise<boolean> {
    this.storing = this.storing.then(() => this.store(queues));
    return this.storing;
  }

  /** Returns whether the database stores requests. Never rejects. */
  private async store(queues?: readonly string[]): Promise<boolean> {
    const { requests, errors } = this.waiting.take(BATCH, queues);
    for (const error of errors) this.lose(1, error);
    try {
      return await this.insert(await this.rowsOf(requests));
    } catch (error) {
      this.lose(requests.length, error);
      return false;
    }
  }

  private async rowsOf(requests: readonly CapturedRequest[]): Promise<Row<JournaledRequest>[]> {
    // an application may have been deleted meanwhile, with its journal
    const existing = await this.applications.findKeys(
      [...new Set(requests.flatMap(({ applicationId }) => applicationId ?? []))],
      [...new Set(requests.flatMap(({ consumerKey }) => consumerKey ?? []))],
    );
    const ids = new Set(existing.map(({ id }) => id));
    // rejected requests may only tell a consumer key
    const idByKey = new Map(existing.map(({ id, consumerKey }) => [consumerKey, id]));
    const found: Row<JournaledRequest>[] = [];
    // masking a long text takes milliseconds
    for (const each of requests) {
      const applicationId = each.applicationId ?? idByKey.get(each.consumerKey!);
      if (applicationId === undefined || !ids.has(applicationId)) continue;
      await nextSlice();
      try {
        found.push(recorded(each, applicationId));
      } catch (error) {
        this.lose(1, error);
      }
    }
    return found;
  }

  /** Returns false if the database does not respond. A row that it does not take costs no other. */
  private async insert(rows: readonly Row<JournaledRequest>[]): Promise<boolean> {
    if (rows.length === 0) return true;
    try {
      await write(this.db.manager, [insert(JournaledRequest, rows)]);
      return true;
    } catch (error) {
      const isOfRow = ROW_FAULT.test(sqlStateOf((error as { driverError?: unknown }).driverError ?? error).code ?? '');
      if (!isOfRow || rows.length === 1) {
        this.lose(rows.length, error);
        return isOfRow;
      }
      const [first, second] = [rows.slice(0, rows.length / 2), rows.slice(rows.length / 2)];
      if (await this.insert(first)) return this.insert(second);
      this.lose(second.length, error);
      return false;
    }
  }

  private lose(count: number, error: unknown): void {
    for (let i = 0; i < count; i++) this.countDropped({});
    this.warn(error);
  }

  private warn(error: unknown): void {
    const now = performance.now();
    if (now - this.lastWarnedAt < WARN_MS) return;
    this.lastWarnedAt = now;
    this.logger.warn({ err: error }, 'Requests could not be stored in the journal');
  }
}

/** The queues that a message names; undefined for all if it is of release 0.2, or not of this service. */
function queuesIn(payload: string): string[] | undefined {
  try {
    const names: unknown = JSON.parse(payload);
    return Array.isArray(names) ? names.map(String) : undefined;
  } catch {
    return undefined;
  }
}

/** Requests to the workbench itself would push out those that it is there to show. Those of MCP tools are requests too. */
const OWN = /^\/(workbench|mcp)([/?]|$)/;

/** Has the journal capture each answered request of an application. Install it after the other hooks. */
export function installJournal(fastify: FastifyInstance, journal: Journal, minutes: RequestMinutes): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!isRead(request)) request.changeIds = [];
    done();
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    request.answer = capturedAnswer(payload);
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    if (!OWN.test(request.url) && !request.isInside) {
      minutes.count(request, reply);
      journal.capture(request, reply);
    }
    done();
  });
}
