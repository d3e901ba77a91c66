import { LRUCache } from 'lru-cache';
import type { QueryConfig } from 'pg';
import type { QueryResult } from '../postgres/driver.js';
import type { Bulkhead } from './bulkhead.js';
import { sqlStateOf } from '../sqlstate.js';

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
