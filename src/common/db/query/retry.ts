import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../../errors/unavailable.js';
import { sqlStateOf } from '../sqlstate.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';
const CHECK_VIOLATION = '23514';
const LOCK_NOT_AVAILABLE = '55P03';

/** The row that a rule used, usually a cached one, has changed in the store. */
export class ConflictRetry extends Error {}

/** A reference that is stale after each fresh read is changed continuously. */
const MAX_CONFLICT_RETRIES = 5;

/**
 * Retries work after a failure that another attempt may not have: a serialization failure, a deadlock, an id that is
 * already taken (TypeORM names primary keys `PK_...`), or stale data. A row on its way to the default partition does not fit
 * there any more when a partition for it was attached meanwhile. The work must be the whole transaction: inside one, every
 * statement after the failure is rejected.
 */
export async function retrying<R>(work: () => Promise<R>, { attempts = 3 } = {}): Promise<R> {
  for (let attempt = 1, stale = 1; ;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConflictRetry) {
        if (stale++ >= MAX_CONFLICT_RETRIES)
          throw new Unavailable('other writes kept changing the rows that a write depends on');
        continue;
      }
      if (attempt >= attempts || !isPassing(error)) throw error;
      await pause(Math.random() * 20 * attempt++);
    }
  }
}

function isPassing(error: unknown): boolean {
  const { code, constraint = '' } = sqlStateOf(error);
  // the condition of a partition has no name
  if (code === CHECK_VIOLATION) return constraint === '';
  if (code === UNIQUE_VIOLATION) return constraint.startsWith('PK_');
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}

/** Maximum number of waits for a lock of others, such as another replica; each as long as the `lock_timeout`. */
export const MAX_LOCK_WAITS = 10;

/** Retries work that could not get a lock, and so stored nothing, until it gets the lock or reaches the limit. */
export async function whenUnlocked<R>(work: () => Promise<R>): Promise<R> {
  for (let waits = 1; ; waits++) {
    try {
      return await work();
    } catch (error) {
      if (waits === MAX_LOCK_WAITS || sqlStateOf(error).code !== LOCK_NOT_AVAILABLE) throw error;
    }
  }
}
