import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { Clock } from '../clock.js';
import { insert, write, type Write } from '../db/query/write.js';
import { expirySeconds, type Job } from './job.js';
import { JobRow } from './job-row.entity.js';

export interface EnqueueOptions {
  /**
   * How long the job rests before a worker takes it. A pause, not an appointment: it passes by the machine's time, and
   * what is due at a moment is a row that a scheduled job finds by the Clock.
   */
  delaySeconds?: number;
  /** Of the jobs of a kind that wait, those of a higher priority are taken first: 0 by default, and it may be below. */
  priority?: number;
}

/** Calls for whom works in this process. */
const listeners = new WeakMap<DataSource, Set<(name: string) => void>>();
const uncommitted = new WeakMap<QueryRunner, Set<string>>();

/**
 * The job as rows for `write()`, for a statement that stores it together with what it is about: one round trip, and
 * nothing is enqueued unless everything is stored. `noticed()` afterwards spares it the wait for the next look.
 */
export function enqueued<Payload extends object>(
  job: Job<Payload>,
  payloads: readonly Payload[],
  { delaySeconds = 0, priority = 0 }: EnqueueOptions = {},
): Write {
  // PostgreSQL reads `now` as the time of the transaction
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
 * Enqueues a job in the transaction of `db`, with which it commits or is rolled back, or on its own when `db` has none. A
 * worker of this process takes it at once, one of another process within two seconds.
 */
export async function enqueue<Payload extends object>(
  db: EntityManager,
  job: Job<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<void> {
  await write(db, [enqueued(job, [payload], options)]);
  noticed(db, job);
}

/** Has those of this process look who work on what has this name: at once, or when the transaction of `db` has committed. */
export function noticed(db: EntityManager, job: Pick<Job<object>, 'name'>): void {
  const runner = db.queryRunner?.isTransactionActive ? db.queryRunner : undefined;
  if (!runner) return tell(db.dataSource, job.name);
  uncommitted.set(runner, (uncommitted.get(runner) ?? new Set()).add(job.name));
}

/** Calls back when this process has stored something to be worked on, with its name. Returns what ends that. */
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

/** The end of a savepoint decides nothing yet. */
function settle(dataSource: DataSource, runner: QueryRunner, committed: boolean): void {
  if (runner.isTransactionActive) return;
  const names = uncommitted.get(runner) ?? [];
  uncommitted.delete(runner);
  if (committed) for (const name of names) tell(dataSource, name);
}

function tell(dataSource: DataSource, name: string): void {
  for (const hear of listeners.get(dataSource) ?? []) hear(name);
}
