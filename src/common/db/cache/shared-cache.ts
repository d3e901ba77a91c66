import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import type { DatabaseNotifications } from './notifications.js';

export interface SharedCacheOptions {
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
export class SharedCache<V extends NonNullable<unknown>> {
  private readonly copies: LRUCache<string, V>;
  private readonly ms: number;
  private changes = 0;

  constructor(
    private readonly notifications: DatabaseNotifications,
    private readonly channel: string,
    { max, ms = TEN_SECONDS_MS }: SharedCacheOptions,
  ) {
    this.ms = ms;
    this.copies = new LRUCache({ max, ttl: ms });
    notifications.on(channel, () => this.clear());
    notifications.onGap(() => this.clear());
  }

  get(key: string): V | undefined {
    return this.copies.get(key);
  }

  /** To be called before a value is read: what it answers keeps the value, unless something changed in between. */
  reading(): (key: string, value: V) => void {
    const { changes } = this;
    return (key, value) => {
      if (changes !== this.changes) return;
      this.copies.set(key, value, { ttl: this.notifications.connected ? this.ms : Math.min(this.ms, UNHEARD_MS) });
    };
  }

  /** Tells all replicas, in the transaction of `db` if it has one, that what they remember may be old. */
  announceChange(db: EntityManager): Promise<void> {
    return this.notifications.publish(db, this.channel, '');
  }

  /** What this process remembers turned out to be old. */
  clear(): void {
    this.changes++;
    this.copies.clear();
  }
}
