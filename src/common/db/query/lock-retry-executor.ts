import { LRUCache } from 'lru-cache';
import type { QueryConfig } from 'pg';
import type { QueryResult } from '../postgres/driver.js';
import type { Bulkhead } from './bulkhead.js';
import { sqlStateOf } from './sqlstate.js';

type Ask = (config: QueryConfig) => Promise<QueryResult>;

/** For so long what contends for the same thing as a statement that met a lock waits elsewhere from the start. */
const REMEMBERED_MS = 1_000;
const MAX_REMEMBERED = 1_000;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs statements where they are quickest, on connections on which others wait behind them and with a short `lock_timeout`.
 * One that meets a lock, and so has done nothing, is run again where it may wait: on other connections, with a longer
 * `lock_timeout`. Of those that are said to contend for the same thing only some are run at a time, there as well as here.
 */
export class LockRetryExecutor {
  private readonly locked = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(
    private readonly quick: Ask,
    private readonly patient: Ask,
    /** How many run at a time, there and where they may wait. */
    private readonly bulkheads: { quick: Bulkhead; patient: Bulkhead },
  ) {}

  /** `lockKey`: what others may lock, such as an account; statements of the same text, unless said otherwise. */
  async run(config: QueryConfig, lockKey?: string): Promise<QueryResult> {
    const key = lockKey ?? config.text;
    const quickly = () => this.unlessLocked(config, key);
    const answer = await (lockKey === undefined ? quickly() : this.bulkheads.quick.run(key, quickly));
    return answer ?? this.bulkheads.patient.run(key, () => this.patient(config));
  }

  /** Undefined where a lock is in the way, or was just now. */
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
