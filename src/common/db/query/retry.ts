import { setTimeout as pause } from 'node:timers/promises';
import { sqlStateOf } from './sqlstate.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';

/**
 * Runs work again when it failed for a reason that another try does not have: it could not be serialised, it was the
 * victim of a deadlock, or a fresh id was taken already (TypeORM names primary keys `PK_...`). The work has to be the
 * whole transaction: inside one, every statement after the failure is refused.
 */
export async function retrying<R>(work: () => Promise<R>, { attempts = 3 } = {}): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !isPassing(error)) throw error;
      await pause(Math.random() * 20 * attempt);
    }
  }
}

function isPassing(error: unknown): boolean {
  const { code, constraint = '' } = sqlStateOf(error);
  return (
    code === SERIALIZATION_FAILURE || code === DEADLOCK || (code === UNIQUE_VIOLATION && constraint.startsWith('PK_'))
  );
}
