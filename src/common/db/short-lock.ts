import type { QueryRunner } from 'typeorm';
import { retryOnLock } from './query/locks.js';

/** Time in which a migration tries to get its locks. A dump may hold them for that long. */
export const LOCK_PATIENCE_MS = 10 * 60_000;
/** Begins a transaction of a migration: other statements wait for its locks at most this long. */
export const SHORT_LOCK = `SET LOCAL lock_timeout = '200ms'`;

/**
 * For migrations without a transaction: does the work in one, and again when others hold a lock for longer than they may
 * wait for this one. Throws the error of the last attempt.
 */
export async function withShortLock(runner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
  const attempt = async () => {
    await runner.startTransaction();
    try {
      await runner.query(SHORT_LOCK);
      await work();
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  };
  await retryOnLock(attempt, undefined, LOCK_PATIENCE_MS);
}
