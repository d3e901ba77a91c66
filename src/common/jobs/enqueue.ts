import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { Clock } from '../time/clock.js';
import { insert, write, type Write } from '../db/query/write.js';
import { expirySeconds, type Job } from './job.js';
import { JobRow } from './job-row.entity.js';

export interface EnqueueOptions {
  /**
   * How long the job waits before a worker takes it. It is a pause by the machine's time, not a schedule: what is due
   * at a time is a row that a scheduled job finds by the Clock.
   */
  delaySeconds?: number;
  /**
   * Among waiting jobs of a kind, those with a higher priority come first: 0 by default, negative values are allowed.
   */
  priority?: number;
}

/** Callbacks for the workers of this process. */
const listeners = new WeakMap<DataSource, Set<(name: string) => void>>();
const uncommitted = new WeakMap<QueryRunner, Set<string>>();

/**
 * The job as rows for `write()`, for a statement that stores it together with its subject: one round trip, and atomic.
 * Call `notifyWorkers()` afterwards so that it does not wait for the next poll.
 */
export function enqueueWrite<Payload extends object>(
  job: Job<Payload>,
  payloads: readonly Payload[],
  { delaySeconds = 0, priority = 0 }: EnqueueOptions = {},
): Write {
  // PostgreSQL interprets `now` as the time of the transaction
  const start = delaySeconds > 0 ? new Date(Clock.machineMs() + delaySeconds * 1_000).toISOString() : 'now';
  return insert(
    JobRow,
    payloads.map((data) => ({
      id: randomUUID(),
      name: job.name,
      data,
      priority,
      retry_limit: job.retries,
      retry_delay: job.retryDelaySeconds,
      retry_backoff: true,
      expire_in: `${expirySeconds(job)} seconds`,
      start_after: start,
    })),
  );
}

/**
 * Enqueues a job in the transaction of `db`, with which it commits or is rolled back, or on its own when `db` has none.
 * A worker of this process takes it at once, a worker of another process within two seconds.
 */
export async function enqueue<Payload extends object>(
  db: EntityManager,
  job: Job<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<void> {
  await write(db, [enqueueWrite(job, [payload], options)]);
  notifyWorkers(db, job);
}

/** Makes workers of this process poll for jobs of this name: at once, or when the transaction of `db` commits. */
export function notifyWorkers(db: EntityManager, job: Pick<Job<object>, 'name'>): void {
  const runner = db.queryRunner?.isTransactionActive ? db.queryRunner : undefined;
  if (!runner) return tell(db.dataSource, job.name);
  uncommitted.set(runner, (uncommitted.get(runner) ?? new Set()).add(job.name));
}

/** Calls back with the name when this process has stored a job or event. Returns a function that unsubscribes. */
export function onEnqueued(dataSource: DataSource, hear: (name: string) => void): () => void {
  const own = listeners.get(dataSource) ?? new Set();
  if (!listeners.has(dataSource)) {
    listeners.set(dataSource, own);
    dataSource.subscribers.push({
      afterTransactionCommit: ({ queryRunner }) => settle(dataSource, queryRunner, true),
      afterTransactionRollback: ({ queryRunner }) => settle(dataSource, queryRunner, false),
    });
  }
  own.add(hear);
  return () => void own.delete(hear);
}

/** The end of a savepoint does not count. */
function settle(dataSource: DataSource, runner: QueryRunner, committed: boolean): void {
  if (runner.isTransactionActive) return;
  const names = uncommitted.get(runner) ?? [];
  uncommitted.delete(runner);
  if (committed) for (const name of names) tell(dataSource, name);
}

function tell(dataSource: DataSource, name: string): void {
  for (const hear of listeners.get(dataSource) ?? []) hear(name);
}
