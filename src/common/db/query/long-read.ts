import type { DataSource } from 'typeorm';
import { NoAnswer } from '../../errors/unavailable.js';
import { poolOf, tracedStatement, type Statement, type TimedQuery } from './statement.js';
import { assertOutsideTransaction } from './transaction-guard.js';

/** What a read is given that has much to read: jobs alone ask such, one at a time. */
export interface LongReadOptions {
  /** After so many seconds it is given up. */
  seconds: number;
  /** How many megabytes each of its steps may sort or group in before it writes files. */
  megabytes: number;
  /**
   * Has it use an index wherever there is one, and no further processes: for what takes some milliseconds, by conditions of
   * which the planner does not know how few rows they hold for, and which are dear to ask of each.
   */
  byIndex?: boolean;
}

/** An answer that is later than this after its time is lost. */
const GRACE_MS = 500;

/**
 * Reads what takes longer than requests may: on a connection of the pool, in a transaction that only reads and has settings
 * of its own. It is planned for its values, for it is asked rarely, and not compiled, which takes longer than it spares.
 */
export async function readLong<R>(
  dataSource: DataSource,
  statement: Statement,
  options: LongReadOptions,
): Promise<R[]> {
  return (await runLong(dataSource, 'READ ONLY', [statement], options)) as R[];
}

/** The same for statements that write, in one transaction, each of which may take as long. */
export async function writeLong(
  dataSource: DataSource,
  statements: readonly Statement[],
  options: LongReadOptions,
): Promise<void> {
  await runLong(dataSource, 'READ WRITE', statements, options);
}

/** Answers the rows of the last statement. */
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
