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
  /** True if all nonces used before it are known; until then nothing is decided in it. */
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
   * The oldest timestamp whose nonces are handed over to it. Requests signed before it began may arrive, or wait here,
   * for some seconds, and must not be rejected for that.
   */
  get oldestHandedOver(): number {
    return Math.floor(this.beganAt / 1000) - HANDED_OVER_SECONDS;
  }

  settle(oldestTimestamp: number, handedOver: ReadonlySet<string>): void {
    this.oldestTimestamp = oldestTimestamp;
    this.handedOver = handedOver;
    this.settled = true;
  }
}

/** The age in seconds of nonces that are handed over at the start of an epoch: the maximum duration of a request. */
export const HANDED_OVER_SECONDS = 6;

export const NO_DIGESTS: ReadonlySet<string> = new Set();
