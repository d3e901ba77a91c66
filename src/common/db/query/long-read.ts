import type { DataSource } from 'typeorm';
import { NoAnswer } from '../../errors/unavailable.js';
import { poolOf, type Statement, type TimedQuery } from './statement.js';
import { assertOutsideTransaction } from './transaction-guard.js';

/** What a read is given that has much to read: jobs alone ask such, one at a time. */
export interface Generosity {
  /** After so many seconds it is given up. */
  seconds: number;
  /** How many megabytes each of its steps may sort or group in before it writes files. */
  megabytes: number;
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
  { seconds, megabytes }: Generosity,
): Promise<R[]> {
  assertOutsideTransaction(dataSource);
  const client = await poolOf(dataSource).connect();
  let broken: Error | undefined;
  const onError = (error: Error) => void (broken = error);
  client.on('error', onError);
  try {
    await client.query(
      `BEGIN READ ONLY; SET LOCAL statement_timeout = '${seconds}s'; SET LOCAL work_mem = '${megabytes}MB'; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off`,
    );
    const timed: TimedQuery = { ...statement, query_timeout: seconds * 1_000 + GRACE_MS };
    const { rows } = await client.query(timed);
    await client.query('COMMIT');
    return rows as R[];
  } catch (error) {
    if (error instanceof NoAnswer) broken = error;
    else await client.query('ROLLBACK').catch((lost: Error) => (broken ??= lost));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
