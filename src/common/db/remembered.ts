import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import type { Notices } from './notices.js';

export interface Remembering {
  /** How many values at most. */
  max: number;
  /** For how long. */
  ms?: number;
}

const TEN_SECONDS_MS = 10_000;
/** While no word of a change can arrive, a copy may be this old. */
const UNHEARD_MS = 500;

/**
 * What every request asks, kept in the process: a bounded number of copies, each for ten seconds at most, and all
 * forgotten as soon as any replica says on the channel that something changed.
 */
export class Remembered<V extends NonNullable<unknown>> {
  private readonly copies: LRUCache<string, V>;
  private readonly ms: number;
  private changes = 0;

  constructor(
    private readonly notices: Notices,
    private readonly channel: string,
    { max, ms = TEN_SECONDS_MS }: Remembering,
  ) {
    this.ms = ms;
    this.copies = new LRUCache({ max, ttl: ms });
    notices.on(channel, () => this.forget());
    notices.onGap(() => this.forget());
  }

  get(key: string): V | undefined {
    return this.copies.get(key);
  }

  /** To be called before a value is read: what it answers keeps the value, unless something changed in between. */
  reading(): (key: string, value: V) => void {
    const { changes } = this;
    return (key, value) => {
      if (changes !== this.changes) return;
      this.copies.set(key, value, { ttl: this.notices.connected ? this.ms : Math.min(this.ms, UNHEARD_MS) });
    };
  }

  /** Tells all replicas, in the transaction of `db` if it has one, that what they remember may be old. */
  announceChange(db: EntityManager): Promise<void> {
    return this.notices.publish(db, this.channel, '');
  }

  /** What this process remembers turned out to be old. */
  forget(): void {
    this.changes++;
    this.copies.clear();
  }
}
