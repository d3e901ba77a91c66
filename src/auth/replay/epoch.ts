import type { NonceStoreKind } from './nonce-store.js';

/** The row of `nonce_epochs`. */
export interface EpochRow {
  number: number;
  /** Milliseconds since the epoch of UNIX time. */
  beganAt: number;
  store: NonceStoreKind;
  generation: string;
}

/** A period in which one generation of one nonce store decides. See the README of this folder. */
export class Epoch implements EpochRow {
  readonly number: number;
  readonly beganAt: number;
  readonly store: NonceStoreKind;
  readonly generation: string;
  /** Whether all nonces that were used before it are known; until then nothing is decided in it. */
  settled = false;
  /** The oldest timestamp that it accepts, in seconds. */
  oldestTimestamp = Infinity;
  /** Digests that were used in earlier epochs and whose timestamps it still accepts. */
  handedOver: ReadonlySet<string> = NO_DIGESTS;

  constructor(row: EpochRow) {
    this.number = row.number;
    this.beganAt = row.beganAt;
    this.store = row.store;
    this.generation = row.generation;
  }

  /**
   * The oldest timestamp of which nonces are handed over to it: the second before it began. A request signed after the
   * loss of a store can arrive, and the loss be noticed, only when the next second has begun.
   */
  get oldestHandedOver(): number {
    return Math.floor(this.beganAt / 1000) - 1;
  }

  settle(oldestTimestamp: number, handedOver: ReadonlySet<string>): void {
    this.oldestTimestamp = oldestTimestamp;
    this.handedOver = handedOver;
    this.settled = true;
  }
}

export const NO_DIGESTS: ReadonlySet<string> = new Set();
