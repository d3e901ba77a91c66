import type { QueryRunner } from 'typeorm';
import { retryOnLock } from './query/locks.js';

/** Time in which a migration tries to get its locks. A dump may hold them for that long. */
export const LOCK_PATIENCE_MS = 10 * 60_000;
const SHORT = `SET LOCAL lock_timeout = '200ms'`;
/** PostgreSQL ends an autovacuum for a statement that has waited for its lock for `deadlock_timeout`. */
const LONGER = `SELECT set_config('lock_timeout', (setting::int + 200)::text, true) FROM pg_settings WHERE name = 'deadlock_timeout'`;
/** One attempt in so many waits longer. */
const SHORT_ATTEMPTS = 20;

/** Begins a transaction of a migration: other statements wait for its locks at most this long. `attempt`: from 1. */
export const shortLock = (attempt: number): string => (attempt % SHORT_ATTEMPTS === 0 ? LONGER : SHORT);

/**
 * For migrations without a transaction: does the work in one, and again when others hold a lock for longer than they may
 * wait for this one. Throws the error of the last attempt.
 */
export async function withShortLock(runner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
  let attempts = 0;
  const attempt = async () => {
    await runner.startTransaction();
    try {
      await runner.query(shortLock(++attempts));
      await work();
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  };
  await retryOnLock(attempt, undefined, LOCK_PATIENCE_MS);
}
