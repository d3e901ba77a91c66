import type { Usage, Window } from '../../common/limits/windows.js';

/** One request that asks to be admitted. */
export interface NonceAttempt {
  digest: string;
  /** Of the signed nonce, in seconds since the epoch. */
  timestamp: number;
  /** Unique to this attempt: asking again with it, because an answer was lost, is answered as the first time. */
  token: string;
  /** The rate limit windows that it counts in, if the store can count in the same round trip. */
  windows: Window[];
}

/** Whether a nonce is accepted: `too-old` where it cannot be known any more whether it was used. */
export type NonceVerdict = 'fresh' | 'used' | 'too-old';

/** What a store decides. `usages` are given by a store that has counted the windows. */
export type NonceDecision =
  { verdict: 'fresh'; usages?: Usage[] } | { verdict: Exclude<NonceVerdict, 'fresh'>; usages?: undefined };

/** A decision, or `lost`: the store is of another generation than was asked for; nothing was looked up or recorded. */
export type NonceAnswer = NonceDecision | { verdict: 'lost'; generation: string };

export type NonceStoreKind = 'redis' | 'table' | 'process';

/** A place where used nonces are recorded, which can lose all of them at once: then it names another generation. */
export interface NonceStore {
  /** The name of the present generation: everything recorded since the store last lost its nonces. */
  generation(): Promise<string>;
  /** Records the nonce, unless it is recorded already or the generation is not the one named. Rejects when the store is away. */
  take(attempt: NonceAttempt, generation: string): Promise<NonceAnswer>;
  /**
   * Whether nobody can have a nonce accepted under the generation `lost` any more, on whichever connection, now that the
   * store has this one.
   */
  isFenced(lost: string, present: string): boolean;
}
