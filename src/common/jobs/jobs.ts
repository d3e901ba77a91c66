import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import PgBoss from 'pg-boss';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { isOutage } from '../db/query/outage.js';
import { run } from '../db/query/statement.js';
import { Metrics } from '../metrics/metrics.js';
import { BossDatabase } from './boss-database.js';
import { onEnqueued } from './enqueue.js';
import { expirySeconds, type JobHandler, type Job, type NoPayload } from './job.js';
import { OUTCOMES, QueueWorker, type FetchedJob, type JobOutcome, type QueueStore } from './queue-worker.js';
import { failureReasonOf } from './reason.js';

/**
 * Takes jobs of a queue so that the owners named in a value of the payload take turns: pg-boss knows priorities only, which
 * are fixed when a job is stored. First come those whose owner has the fewest jobs that run or are before it, then those
 * whose owner has waited longest. `started_on` of the last minutes tells that, and every process sees it.
 */
const FETCHED_BY_TURNS = `
  WITH waiting AS (
    SELECT id, coalesce(data->>$3, '') AS owner, created_on,
      row_number() OVER (PARTITION BY data->>$3 ORDER BY priority DESC, created_on, id) AS place
    FROM pgboss.job WHERE name = $1 AND state < 'active' AND start_after < now()
  ), served AS (
    SELECT coalesce(data->>$3, '') AS owner, count(*) FILTER (WHERE state = 'active') AS running, max(started_on) AS at
    FROM pgboss.job WHERE name = $1 AND started_on > now() - interval '10 minutes' GROUP BY 1
  ), ordered AS (
    SELECT w.id, row_number() OVER (ORDER BY w.place + coalesce(s.running, 0), s.at NULLS FIRST, w.created_on, w.id) AS turn
    FROM waiting w LEFT JOIN served s ON s.owner = w.owner
  ), next AS (
    SELECT j.id FROM pgboss.job j JOIN ordered o ON o.id = j.id
    WHERE j.name = $1 AND j.state < 'active' ORDER BY o.turn LIMIT $2 FOR UPDATE OF j SKIP LOCKED
  )
  UPDATE pgboss.job j SET state = 'active', started_on = now(),
    retry_count = CASE WHEN j.started_on IS NOT NULL THEN j.retry_count + 1 ELSE j.retry_count END
  FROM next WHERE j.name = $1 AND j.id = next.id
  RETURNING j.id, j.data, j.retry_count AS "retryCount", j.retry_limit AS "retryLimit"`;

/** Intervals of the workers; tests use shorter ones. */
export interface JobTimings {
  /** Maximum delay until a job of another process is found. */
  lookMs: number;
  /** Interval of reassigning jobs of crashed workers, and of removing old ones. */
  maintenanceSeconds: number;
  /** Time for handlers to finish when the process stops. */
  graceMs: number;
}

/** Background work other than jobs, in worker processes. */
export interface BackgroundWork {
  start(): void;
  /** Starts nothing more; work in progress has this long to finish. */
  stop(graceMs: number): Promise<void>;
}

const TIMINGS: JobTimings = { lookMs: 2_000, maintenanceSeconds: 60, graceMs: 10_000 };

const HOUR = 3_600;
/**
 * Finished jobs are kept for an hour, the row of a scheduled one for its interval, and failed ones for a week for
 * inspection.
 */
const KEPT = { archiveCompletedAfterSeconds: HOUR, archiveFailedAfterSeconds: 7 * 24 * HOUR, deleteAfterSeconds: HOUR };
/** Interval of log lines while the store is unavailable. */
const COMPLAINT_MS = 60_000;
/** Pause before another attempt to start. */
const RETRY_MS = 500;
/** Larger metrics are reported as this value: counting further would cost more. */
const MAX_COUNTED = 10_000;

/**
 * Runs enqueued jobs in worker processes. Handlers are registered while the application is built. No job runs before
 * `start()`, which commands and tools never call.
 */
@Injectable()
export class Jobs implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly workers = new Map<string, QueueWorker>();
  private readonly schedules: { job: Job<NoPayload>; seconds: number }[] = [];
  private readonly otherWork: BackgroundWork[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly timings: JobTimings;
  private readonly database: BossDatabase;
  private boss: PgBoss;
  private readonly queue: QueueStore;
  private readonly countAttempt: (labels: { queue: string; outcome: JobOutcome }, by?: 0 | 1) => void;
  private looking = false;
  private awaySince?: number;
  private lastWarnedAt = -Infinity;
  private starting?: Promise<void>;
  private stopped?: Promise<void>;
  private unsubscribe = (): void => undefined;

  constructor(
    private readonly config: Pick<Config, 'role' | 'databaseWaitMs'>,
    private readonly dataSource: DataSource,
    metrics: Metrics,
    timings: Partial<JobTimings> = {},
  ) {
    this.timings = { ...TIMINGS, ...timings };
    this.database = new BossDatabase(dataSource, {
      succeeded: () => this.answered(),
      failed: (error) => this.complain(error),
    });
    this.boss = this.newBoss();
    this.queue = {
      fetch: async ({ name, turnsBy }, batchSize) =>
        turnsBy === null
          ? this.boss.fetch<object>(name, { batchSize, includeMetadata: true })
          : (await this.database.executeSql<FetchedJob>(FETCHED_BY_TURNS, [name, batchSize, turnsBy])).rows,
      complete: (name, id) => this.boss.complete(name, id),
      fail: (name, id, message) => this.boss.fail(name, id, { message }),
      // as if it had never started, so that no attempt is counted
      giveBack: (name, ids) =>
        this.database.executeSql(
          `UPDATE pgboss.job SET state = 'retry', started_on = NULL, start_after = now() WHERE name = $1 AND id = ANY($2::uuid[]) AND state = 'active'`,
          [name, ids],
        ),
    };
    this.countAttempt = metrics.counter('jobs_total', 'Attempts at jobs, by outcome', ['queue', 'outcome']);
    metrics.gaugesBy(
      'queue',
      {
        jobs_waiting: 'Jobs that no worker has taken yet',
        jobs_oldest_seconds: 'Seconds since the oldest waiting job was due',
      },
      () => this.waiting(),
    );
  }

  /** Registers the handler of a kind of job; one per kind. */
  work<Payload extends object>(job: Job<Payload>, handler: JobHandler<Payload>): void {
    if (this.workers.has(job.name)) throw new Error(`Two handlers for the job ${job.name}`);
    const worker = new QueueWorker(job, handler as JobHandler<object>, this.queue, (...report) =>
      this.report(...report),
    );
    this.workers.set(job.name, worker);
  }

  /**
   * Enqueues a job at an interval, once over all processes: at most once in each interval by the database's time, and
   * not while the previous one still waits. The job only triggers a check: the handler determines by the Clock what is
   * due. From a second to an hour.
   */
  schedule(job: Job<NoPayload>, { everySeconds }: { everySeconds: number }): void {
    if (!Number.isInteger(everySeconds) || everySeconds < 1 || everySeconds > HOUR)
      throw new RangeError(`${job.name}: everySeconds must be a whole number from 1 to ${HOUR}, not ${everySeconds}`);
    this.schedules.push({ job, seconds: everySeconds });
  }

  /** Starts and stops other work together with the jobs. */
  alongside(work: BackgroundWork): void {
    this.otherWork.push(work);
  }

  /**
   * Starts to run jobs, unless this process only answers requests. Throws when the store has no queue for a handler.
   */
  start(): Promise<void> {
    if (this.config.role === 'api' || this.workers.size === 0) return Promise.resolve();
    return (this.starting ??= this.begin());
  }

  /** Takes no more jobs, gives those in progress time to finish, and returns the others to the queue. Idempotent. */
  stop(): Promise<void> {
    return (this.stopped ??= this.end());
  }

  /** Runs before connections close, so that handlers can use them to the end. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  private newBoss(): PgBoss {
    const boss = new PgBoss({
      db: this.database,
      schema: 'pgboss',
      // the service's migrations create the schema
      migrate: false,
      // pg-boss's scheduler has workers that do not survive an outage; see QueueWorker
      schedule: false,
      maintenanceIntervalSeconds: this.timings.maintenanceSeconds,
      ...KEPT,
    });
    boss.on('error', (error) => this.complain(error));
    boss.on('maintenance', () => void this.tellExpired().catch((error: unknown) => this.complain(error)));
    return boss;
  }

  /** Waits for a store that does not answer as long as the start of the service does. */
  private async startBoss(): Promise<void> {
    const deadline = performance.now() + this.config.databaseWaitMs;
    for (;;) {
      try {
        await this.demandQueues();
        await this.boss.start();
        return;
      } catch (error) {
        if (!isOutage(error) || this.stopped || performance.now() > deadline) throw error;
        // it does not start again after a failure
        this.boss = this.newBoss();
        await pause(RETRY_MS);
      }
    }
  }

  private async begin(): Promise<void> {
    await this.startBoss();
    for (const queue of this.workers.keys()) for (const outcome of OUTCOMES) this.countAttempt({ queue, outcome }, 0);
    this.unsubscribe = onEnqueued(this.dataSource, (name) => this.workers.get(name)?.ring());
    for (const worker of [...this.workers.values(), ...this.otherWork]) worker.start();
    this.repeat(this.timings.lookMs, () => this.look());
    for (const { job, seconds } of this.schedules)
      this.repeat(seconds * 1_000, () => this.enqueueScheduled(job, seconds));
    this.beginSchedules().catch(() => undefined);
  }

  /** One after the other: the first requests would wait for dozens of statements on the only connection of an embedded store. */
  private async beginSchedules(): Promise<void> {
    await this.look().catch(() => undefined);
    for (const { job, seconds } of this.schedules)
      if (!this.stopped) await this.enqueueScheduled(job, seconds).catch(() => undefined);
  }

  private async end(): Promise<void> {
    if (!this.starting) return;
    await this.starting.catch(() => undefined);
    for (const timer of this.timers) clearInterval(timer);
    this.unsubscribe();
    const workers = [...this.workers.values(), ...this.otherWork].map((worker) => worker.stop(this.timings.graceMs));
    // jobs that could not be returned because the store is unavailable expire
    await Promise.allSettled(workers);
    await this.boss.stop({ graceful: false, close: false });
    await this.database.idle();
  }

  /** Failures are already reported, as for every statement. */
  private repeat(ms: number, work: () => Promise<unknown>): void {
    const timer = setInterval(() => void work().catch(() => undefined), ms);
    timer.unref();
    this.timers.push(timer);
  }

  private async demandQueues(): Promise<void> {
    const names = [...this.workers.keys()];
    const { rows } = await this.database.executeSql<{ name: string }>(
      'SELECT name FROM pgboss.queue WHERE name = ANY($1)',
      [names],
    );
    const missing = names.filter((name) => !rows.some((row) => row.name === name));
    if (missing.length > 0) throw new Error(`No migration creates a queue for the jobs ${missing.join(', ')}`);
  }

  /** One statement for all kinds of jobs: finds those with due jobs. */
  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      const { rows } = await this.database.executeSql<{ name: string }>(
        `SELECT q.name FROM unnest($1::text[]) AS q (name) CROSS JOIN LATERAL (SELECT FROM pgboss.job j WHERE j.name = q.name AND j.state < 'active' AND j.start_after < now() LIMIT 1) AS found`,
        [[...this.workers.keys()]],
      );
      for (const { name } of rows) this.workers.get(name)?.ring();
    } finally {
      this.looking = false;
    }
  }

  private async enqueueScheduled(job: Job<NoPayload>, seconds: number): Promise<void> {
    const options = {
      singletonSeconds: seconds,
      retryLimit: job.retries,
      retryDelay: job.retryDelaySeconds,
      retryBackoff: true,
      expireInSeconds: expirySeconds(job),
    };
    if (await this.boss.send(job.name, {}, options)) this.workers.get(job.name)?.ring();
  }

  private report({ name }: Job<object>, id: string, outcome: JobOutcome, error?: unknown): void {
    this.countAttempt({ queue: name, outcome });
    const attempt = `The job ${name} (${id}) was ${outcome}`;
    if (outcome === 'failed') this.logger.error(`The job ${name} (${id}) failed for good: ${failureReasonOf(error)}`);
    else if (error) this.logger.debug(`${attempt}: ${failureReasonOf(error)}`);
  }

  /**
   * Reports jobs whose worker crashed at the last attempt, which nothing else reports. Runs in the process that did the
   * maintenance.
   */
  private async tellExpired(): Promise<void> {
    const { rows } = await this.database.executeSql<{ name: string; id: string }>(
      `SELECT name, id FROM pgboss.job WHERE state = 'failed' AND completed_on >= (SELECT maintained_on FROM pgboss.version) AND output #>> '{value,message}' = 'job failed by timeout in active state' LIMIT 100`,
      [],
    );
    for (const { name, id } of rows)
      this.report({ name } as Job<object>, id, 'failed', new Error('its worker ended during the last attempt'));
  }

  private async waiting(): Promise<Record<string, { jobs_waiting: number; jobs_oldest_seconds: number }>> {
    const rows = await run<{ name: string; waiting: number; oldest: number }>(this.dataSource.manager, {
      text: `SELECT q.name, found.waiting, found.oldest FROM pgboss.queue q CROSS JOIN LATERAL (SELECT count(*)::int AS waiting, coalesce(greatest(extract(epoch FROM now() - min(j.start_after)), 0), 0)::float8 AS oldest FROM (SELECT start_after FROM pgboss.job WHERE name = q.name AND state < 'active' LIMIT ${MAX_COUNTED}) AS j) AS found`,
      values: [],
    });
    return Object.fromEntries(
      rows.map(({ name, waiting, oldest }) => [name, { jobs_waiting: waiting, jobs_oldest_seconds: oldest }]),
    );
  }

  private complain(error: unknown): void {
    const now = performance.now();
    this.awaySince ??= now;
    if (now - this.lastWarnedAt < COMPLAINT_MS) return;
    this.lastWarnedAt = now;
    this.logger.warn(`Jobs wait because the database does not answer correctly: ${failureReasonOf(error)}`);
  }

  private answered(): void {
    if (this.awaySince === undefined) return;
    const seconds = Math.round((performance.now() - this.awaySince) / 1_000);
    this.awaySince = undefined;
    this.logger.warn(`Jobs run again after ${seconds} s.`);
  }
}
