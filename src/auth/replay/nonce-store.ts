import type { Usage, Window } from '../../common/limits/windows.js';

/** One request on its way through the gate. */
export interface NonceAttempt {
  digest: string;
  timestamp: number;
  /** Of this attempt alone: whoever asks again with it is answered as before. */
  token: string;
  /** Where it counts, if the memory can count in the same round trip. */
  windows: Window[];
}

export type NonceDecision =
  | { verdict: 'fresh'; usages?: Usage[] }
  | { verdict: 'used'; usages?: undefined }
  | { verdict: 'too-old'; usages?: undefined };

/** `lost`: the memory is another one than was asked for, and nothing was looked at or kept. */
export type NonceAnswer = NonceDecision | { verdict: 'lost'; generation: string };

export type NonceStoreKind = 'redis' | 'table' | 'process';

/** Something that remembers which claims were used, until it loses everything at once. */
export interface NonceStore {
  /** The name of what it remembers since the last loss. */
  generation(): Promise<string>;
  /** Remembers the claim, unless it does already, or its generation is not the one named. Rejects when it is away. */
  take(passing: NonceAttempt, generation: string): Promise<NonceAnswer>;
}
