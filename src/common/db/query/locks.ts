import { setTimeout as pause } from 'node:timers/promises';
import { sqlStateOf } from '../sqlstate.js';

/** A lock that was not available in time, and a deadlock. */
const HELD = ['55P03', '40P01'];
/** Other statements run in these pauses, so that they never wait longer than one attempt. */
const PAUSE_MS = { min: 100, max: 1_000 };

/** Whether a statement failed because others hold a lock. */
const isLocked = (error: unknown): boolean => HELD.includes(sqlStateOf(error).code ?? '');

/**
 * Repeats work that waits for a lock for a short time only, until it gets the lock or `patienceMs` have passed.
 * `pauseMs`: how long other statements run between two attempts.
 */
export async function retryOnLock<T>(
  work: () => Promise<T>,
  signal?: AbortSignal,
  patienceMs = 20_000,
  pauseMs = PAUSE_MS,
): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || performance.now() - began > patienceMs) throw error;
      await pause(pauseMs.min + Math.random() * (pauseMs.max - pauseMs.min), undefined, { signal });
    }
  }
}
