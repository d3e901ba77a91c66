import type { NonceStoreKind } from './nonce-store.js';

/** The row of `nonce_epochs`. */
export interface EpochRow {
  number: number;
  /** When the memory began, in milliseconds since the epoch. */
  began: number;
  store: NonceStoreKind;
  generation: string;
}

/** A time during which one memory decides without having lost anything. */
export class Epoch implements EpochRow {
  readonly number: number;
  readonly began: number;
  readonly store: NonceStoreKind;
  readonly generation: string;
  /** Whether it is known what was used before it; until then nothing is decided in it. */
  settled = false;
  /** The first second of timestamps that it can decide on. */
  since = Infinity;
  /** What was used before it and could come again now. */
  handedOver: ReadonlySet<string> = NOTHING;

  constructor(row: EpochRow) {
    this.number = row.number;
    this.began = row.began;
    this.store = row.store;
    this.generation = row.generation;
  }

  /**
   * The first second that replicas hand over claims of: that before the beginning, since a request signed after the loss
   * may arrive, or the loss be noticed, when the next second has begun.
   */
  get firstSecond(): number {
    return Math.floor(this.began / 1000) - 1;
  }

  settle(since: number, carried: ReadonlySet<string>): void {
    this.since = since;
    this.handedOver = carried;
    this.settled = true;
  }
}

export const NOTHING: ReadonlySet<string> = new Set();
