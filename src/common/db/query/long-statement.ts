import type { DataSource } from 'typeorm';
import { poolOf, type Statement, type TimedQuery } from './statement.js';

/** The server gives up first, so that the connection can be used again. */
const GRACE_MS = 500;

/**
 * Runs a statement outside any transaction that may take longer than one of a request: for jobs, which are not waited for.
 * It has a connection of the pool to itself for so long.
 */
export async function runLong<R extends object>(
  dataSource: DataSource,
  { text, values }: Statement,
  timeoutMs: number,
): Promise<R[]> {
  const client = await poolOf(dataSource).connect();
  let broken: Error | undefined;
  const onError = (error: Error) => void (broken = error);
  client.on('error', onError);
  try {
    await client.query(`SET statement_timeout = ${timeoutMs}`);
    const timed: TimedQuery = { text, values, query_timeout: timeoutMs + GRACE_MS };
    return (await client.query<R>(timed)).rows;
  } finally {
    await client.query('RESET statement_timeout').catch((lost: Error) => (broken ??= lost));
    client.off('error', onError);
    client.release(broken);
  }
}
