import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../../errors/unavailable.js';
import { sqlStateOf } from './sqlstate.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';
const LOCK_NOT_AVAILABLE = '55P03';

/** What a rule was judged on, usually a cached row, is not what is stored any more. */
export class ConflictRetry extends Error {}

/** A reference that is stale each time it is read afresh is changed by somebody without pause. */
const MAX_CONFLICT_RETRIES = 5;

/**
 * Runs work again when it failed for a reason that another try does not have: it could not be serialised, it was the
 * victim of a deadlock, a fresh id was taken already (TypeORM names primary keys `PK_...`), or what it relied on was stale.
 * The work has to be the whole transaction: inside one, every statement after the failure is refused.
 */
export async function retrying<R>(work: () => Promise<R>, { attempts = 3 } = {}): Promise<R> {
  for (let attempt = 1, stale = 1; ;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConflictRetry) {
        if (stale++ >= MAX_CONFLICT_RETRIES)
          throw new Unavailable('what a write relied on was changed again and again');
        continue;
      }
      if (attempt >= attempts || !isPassing(error)) throw error;
      await pause(Math.random() * 20 * attempt++);
    }
  }
}

function isPassing(error: unknown): boolean {
  const { code, constraint = '' } = sqlStateOf(error);
  return (
    code === SERIALIZATION_FAILURE || code === DEADLOCK || (code === UNIQUE_VIOLATION && constraint.startsWith('PK_'))
  );
}

/** How often work waits for a lock that others hold, such as another replica; each time for the `lock_timeout`. */
export const MAX_LOCK_WAITS = 10;

/** Runs work again that could not get a lock, and so stored nothing, until it gets the lock or waited too often. */
export async function whenUnlocked<R>(work: () => Promise<R>): Promise<R> {
  for (let waits = 1; ; waits++) {
    try {
      return await work();
    } catch (error) {
      if (waits === MAX_LOCK_WAITS || sqlStateOf(error).code !== LOCK_NOT_AVAILABLE) throw error;
    }
  }
}
