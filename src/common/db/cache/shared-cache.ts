import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import type { DatabaseNotifications } from './notifications.js';

export interface SharedCacheOptions {
  /** Maximum number of entries. */
  max: number;
  /** Maximum age of an entry in milliseconds; ten seconds by default. */
  ttlMs?: number;
}

const DEFAULT_TTL_MS = 10_000;
/** Maximum age of an entry while the invalidations of other processes do not arrive. */
const DISCONNECTED_TTL_MS = 500;
/** Number of invalidated entries that are remembered. Reads from before the oldest of them are not cached. */
const MAX_FORGOTTEN = 10_000;

/** Options of an LRUCache that keeps `count` entries. With `max`, its constructor would allocate all of them. */
export const maxEntries = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 });

/**
 * A bounded cache in this process of rows that nearly every request needs. Any replica that changes one of them
 * invalidates the caches of all, by a message on `channel`; entries expire besides, in case a message is lost.
 */
export class SharedCache<V extends NonNullable<unknown>> {
  private readonly entries: LRUCache<string, V>;
  private readonly ttlMs: number;
  /** The number of invalidations; when each of the last entries was invalidated, and when all last were. */
  private invalidations = 0;
  private readonly forgotten = new LRUCache<string, number>({
    ...maxEntries(MAX_FORGOTTEN),
    dispose: (at, _, reason) => {
      if (reason === 'evict') this.clearedAt = Math.max(this.clearedAt, at);
    },
  });
  private clearedAt = 0;

  constructor(
    private readonly notifications: DatabaseNotifications,
    private readonly channel: string,
    { max, ttlMs: ms = DEFAULT_TTL_MS }: SharedCacheOptions,
  ) {
    this.ttlMs = ms;
    this.entries = new LRUCache({ ...maxEntries(max), ttl: ms });
    notifications.on(channel, (key) => this.forget(key));
    notifications.onInterruption(() => this.clear());
  }

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  /**
   * Call it before reading the rows. Returns the function that caches the result; it does nothing if the entry was
   * invalidated meanwhile, since the result may predate the change.
   */
  beginRead(): (key: string, value: V) => void {
    const begun = this.invalidations;
    return (key, value) => {
      if (Math.max(this.clearedAt, this.forgotten.get(key) ?? 0) > begun) return;
      this.entries.set(key, value, {
        ttl: this.notifications.connected ? this.ttlMs : Math.min(this.ttlMs, DISCONNECTED_TTL_MS),
      });
    };
  }

  /**
   * Clears the caches of all replicas, or one entry of them: once the transaction of `db` is committed, or now if it has
   * none.
   */
  invalidate(db: EntityManager, key = ''): Promise<void> {
    return this.notifications.publish(db, this.channel, key);
  }

  private forget(key: string): void {
    if (key === '') return this.clear();
    this.forgotten.set(key, ++this.invalidations);
    this.entries.delete(key);
  }

  /** Clears the cache of this process. */
  clear(): void {
    this.clearedAt = ++this.invalidations;
    this.entries.clear();
  }
}
