import type { Usage, Window } from '../../common/limits/windows.js';

/** One request to be admitted. */
export interface NonceAttempt {
  digest: string;
  /** The signed timestamp, in seconds since the epoch. */
  timestamp: number;
  /** Unique to this attempt: a retry with the same token, after a lost response, gets the same result. */
  token: string;
  /** The rate limit windows that it counts in, if the store can count in the same round trip. */
  windows: Window[];
}

/** Whether a nonce is accepted: `too-old` when its use can no longer be determined. */
export type NonceVerdict = 'fresh' | 'used' | 'too-old';

/** The decision of a store. `usages` are present if the store counted the windows. */
export type NonceDecision =
  { verdict: 'fresh'; usages?: Usage[] } | { verdict: Exclude<NonceVerdict, 'fresh'>; usages?: undefined };

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
   * Whether no connection can accept a nonce under the generation `lost` any more, now that the store has the
   * generation `present`.
   */
  isFenced(lost: string, present: string): boolean;
}
