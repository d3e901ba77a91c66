import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { Database, Model } from '../../../src/common/db/database.js';
import { run } from '../../../src/common/db/query/statement.js';
import { JobRow } from '../../../src/common/jobs/job-row.entity.js';
import { Jobs, type JobTimings } from '../../../src/common/jobs/jobs.js';
import { Metrics } from '../../../src/common/metrics/metrics.js';
import { JobQueue1795363200000 } from '../../../src/migrations/1795363200000-JobQueue.js';
import { MODEL } from '../db/model.js';

/** Each test has a queue of its own. */
export const QUEUES = Array.from({ length: 22 }, (_, i) => `test-${String.fromCharCode(97 + i)}`);

class TestQueues1800000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const name of QUEUES)
      await runner.query(
        `SELECT pgboss.create_queue('${name}', '{"policy": "${name === 'test-a' ? 'short' : 'standard'}"}')`,
      );
  }

  async down() {}
}

/** The tables of the unit tests with a job queue beside them. */
export const JOB_MODEL: Model = {
  entities: [...MODEL.entities, JobRow],
  migrations: [...MODEL.migrations, JobQueue1795363200000, TestQueues1800000000000],
};

/** What pg-boss knows of a job. */
export interface StoredJob {
  id: string;
  state: string;
  retry_count: number;
  output: unknown;
}

export const stored = (store: Database, name: string): Promise<StoredJob[]> =>
  run<StoredJob>(store.dataSource.manager, {
    text: 'SELECT id, state::text AS state, retry_count, output FROM pgboss.job WHERE name = $1 ORDER BY created_on, id',
    values: [name],
  });

export const states = async (store: Database, name: string): Promise<string[]> =>
  (await stored(store, name)).map(({ state }) => state);

/** Nothing of this kind of job is noticed by looking: who enqueues it has to say so. */
export const NEVER_MS = 3_600_000;

/** A process that works on jobs, as far as the store can tell. */
export function process(
  store: Database,
  { databaseWaitMs = 10_000, ...timings }: Partial<JobTimings> & { databaseWaitMs?: number } = {},
  role: 'both' | 'api' | 'worker' = 'both',
): { jobs: Jobs; metrics: Metrics } {
  const metrics = new Metrics();
  const config = { role, databaseWaitMs };
  return { metrics, jobs: new Jobs(config, store.dataSource, metrics, { lookMs: 100, graceMs: 2_000, ...timings }) };
}

/** Waits until something is so, for ten seconds at most. */
export async function until(so: () => unknown): Promise<void> {
  for (const end = performance.now() + 10_000; !(await so()); await pause(20)) {
    if (performance.now() > end) throw new Error(`It is not so: ${so.toString()}`);
  }
}

export const unique = () => randomBytes(6).toString('hex');
