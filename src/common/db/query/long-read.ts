import type { DataSource } from 'typeorm';
import { NoAnswer } from '../../errors/unavailable.js';
import { poolOf, tracedStatement, type Statement, type TimedQuery } from './statement.js';
import { assertOutsideTransaction } from './transaction-guard.js';

/** Options of a long read: only jobs run these, one at a time. */
export interface LongReadOptions {
  /** Timeout in seconds. */
  seconds: number;
  /** Memory in megabytes for each sort or group step, before it writes files. */
  megabytes: number;
  /**
   * Makes it use an index wherever one exists, and no parallel processes: for reads of some milliseconds whose
   * conditions the planner cannot estimate, and which are expensive to check for each row.
   */
  byIndex?: boolean;
}

/** A response later than this after the timeout is lost. */
const GRACE_MS = 500;

/**
 * Runs a read that takes longer than requests may: on a connection of the pool, in a read-only transaction with its own
 * settings. It is planned for its values, since it is rare, and without JIT compilation, which takes longer than it
 * saves.
 */
export async function readLong<R>(
  dataSource: DataSource,
  statement: Statement,
  options: LongReadOptions,
): Promise<R[]> {
  return (await runLong(dataSource, 'READ ONLY', [statement], options)) as R[];
}

/** The same for statements that write, in one transaction; the timeout applies to each. */
export async function writeLong(
  dataSource: DataSource,
  statements: readonly Statement[],
  options: LongReadOptions,
): Promise<void> {
  await runLong(dataSource, 'READ WRITE', statements, options);
}

/** Returns the rows of the last statement. */
async function runLong(
  dataSource: DataSource,
  mode: 'READ ONLY' | 'READ WRITE',
  statements: readonly Statement[],
  { seconds, megabytes, byIndex = false }: LongReadOptions,
): Promise<unknown[]> {
  assertOutsideTransaction(dataSource);
  const client = await poolOf(dataSource).connect();
  let broken: Error | undefined;
  const onError = (error: Error) => void (broken = error);
  client.on('error', onError);
  try {
    await client.query(
      `BEGIN ${mode}; SET LOCAL statement_timeout = '${seconds}s'; SET LOCAL work_mem = '${megabytes}MB'; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off${byIndex ? '; SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0' : ''}`,
    );
    let rows: unknown[] = [];
    for (const statement of statements) {
      const timed: TimedQuery = { ...statement, query_timeout: seconds * 1_000 + GRACE_MS };
      ({ rows } = await tracedStatement(statement, () => client.query(timed)));
    }
    await client.query('COMMIT');
    return rows;
  } catch (error) {
    if (error instanceof NoAnswer) broken = error;
    else await client.query('ROLLBACK').catch((lost: Error) => (broken ??= lost));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
