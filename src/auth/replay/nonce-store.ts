import type { RowOwners, RememberedWrites } from '../../common/db/read-replicas/remembered-writes.js';
import type { WindowUsage, RateWindow } from '../limits/windows.js';

/** One request to be admitted. */
export interface NonceAttempt {
  digest: string;
  /** The token that signed, or the application without one: its nonces are together in a Redis Cluster. */
  home: string;
  /** The signed timestamp, in seconds since the epoch. */
  timestamp: number;
  /** Unique to this attempt: a retry with the same token, after a lost response, gets the same result. */
  token: string;
  /** The rate limit windows that it counts in, if the store can count in the same round trip. */
  windows: RateWindow[];
  /** With read replicas: whose writes to remember, or to recall, if the store can do so in the same round trip. */
  access?: RowOwners;
}

/** The verdict on a nonce: `too-old` when its use can no longer be determined. */
export type NonceVerdict = 'fresh' | 'used' | 'too-old';

/**
 * The decision of a store. `usages` are present if the store counted the windows, and `remembered` if it recalled the
 * writes of a read, or remembered a write.
 */
export type NonceDecision =
  | { verdict: 'fresh'; usages?: WindowUsage[]; remembered?: RememberedWrites }
  | { verdict: Exclude<NonceVerdict, 'fresh'>; usages?: undefined; remembered?: undefined };

/**
 * A decision, or `lost`: the store has another generation than requested, and neither looked up nor recorded anything.
 */
export type NonceAnswer = NonceDecision | { verdict: 'lost'; generation: string };

export type NonceStoreKind = 'redis' | 'table' | 'process';

/** A store of used nonces, which may lose all of them at once: then its generation changes. */
export interface NonceStore {
  /** The name of the current generation: everything recorded since the store last lost its nonces. */
  generation(): Promise<string>;
  /**
   * Records the nonce unless it is recorded already or the generation differs. Rejects when the store is unavailable.
   */
  take(attempt: NonceAttempt, generation: string): Promise<NonceAnswer>;
  /**
   * True if no connection can accept a nonce under the generation `lost` any more, now that the store has the
   * generation `present`.
   */
  isFenced(lost: string, present: string): boolean;
}
