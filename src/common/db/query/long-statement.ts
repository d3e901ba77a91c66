import type { PoolClient } from 'pg';
import type { EntityManager } from 'typeorm';
import { run, type Statement, type TimedQuery } from './statement.js';

/** The server ends it in time; an answer that is later than this after it is lost. */
const GRACE_MS = 500;

/**
 * Runs a statement that reads much, in a transaction of its own: planned for the values that it has, with memory for hashes
 * and bitmaps of millions of rows, and with a time of its own. Compiling such statements takes longer than it saves.
 */
export function runLong<R>(db: EntityManager, { text, values }: Statement, limitMs: number): Promise<R[]> {
  return db.transaction(async (tx) => {
    await run(tx, {
      text: `SELECT set_config('statement_timeout', $1, true), set_config('work_mem', '64MB', true),
        set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`,
      values: [String(limitMs)],
    });
    const client = (await tx.queryRunner!.connect()) as PoolClient;
    const timed: TimedQuery = { text, values, query_timeout: limitMs + GRACE_MS };
    return (await client.query(timed)).rows as R[];
  });
}
