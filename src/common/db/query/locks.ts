import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { QueryConfig } from 'pg';
import type { QueryResult } from '../postgres/driver.js';
import { sqlStateOf } from '../sqlstate.js';
import type { Bulkhead } from './bulkhead.js';

/** A lock that was not available in time, and a deadlock. */
const HELD = ['55P03', '40P01'];
/** Other statements run in these pauses, so that they never wait longer than one attempt. */
const PAUSE_MS = { min: 100, max: 1_000 };

/** Whether a statement failed because others hold a lock. */
export const isLocked = (error: unknown): boolean => HELD.includes(sqlStateOf(error).code ?? '');

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

type Ask = (config: QueryConfig) => Promise<QueryResult>;

/** After a lock conflict, statements with the same key use the patient connections for this time. */
const REMEMBERED_MS = 1_000;
const MAX_REMEMBERED = 1_000;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs statements on the fastest connections, which others share, with a short `lock_timeout`. A statement that meets a
 * lock has done nothing; it is retried on other connections, with a longer `lock_timeout`. Both limit concurrent
 * statements with the same lock key.
 */
export class LockRetryExecutor {
  private readonly locked = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(
    private readonly quick: Ask,
    private readonly patient: Ask,
    /** Limits of concurrent statements, on both kinds of connections. */
    private readonly bulkheads: { quick: Bulkhead; patient: Bulkhead },
  ) {}

  /** `lockKey`: what others may lock, such as an account; by default the text of the statement. */
  async run(config: QueryConfig, lockKey?: string): Promise<QueryResult> {
    const key = lockKey ?? config.text;
    const quickly = () => this.unlessLocked(config, key);
    const answer = await (lockKey === undefined ? quickly() : this.bulkheads.quick.run(key, quickly));
    return answer ?? this.bulkheads.patient.run(key, () => this.patient(config));
  }

  /** Undefined when a lock is in the way, or recently was. */
  private async unlessLocked(config: QueryConfig, key: string): Promise<QueryResult | undefined> {
    if (this.locked.has(key)) return undefined;
    try {
      return await this.quick(config);
    } catch (error) {
      if (sqlStateOf(error).code !== LOCK_NOT_AVAILABLE) throw error;
      this.locked.set(key, true);
      return undefined;
    }
  }
}
