import { LRUCache } from 'lru-cache';
import { maxEntries } from '../../common/db/cache/shared-cache.js';
import type { Clock } from '../../common/time/clock.js';
import { TOLERANCE_MS, windowUsageOf, type WindowUsage, type RateWindow } from './windows.js';

const MAX_WINDOWS = 100_000;

interface Count {
  count: number;
  resetAt: number;
}

/** Windows of this process alone: without Redis, and while it is unavailable. Evicts the least recently used first. */
export class LocalWindows {
  private readonly counts: LRUCache<string, Count>;

  constructor(
    private readonly clock: Pick<Clock, 'ms'>,
    max = MAX_WINDOWS,
  ) {
    this.counts = new LRUCache(maxEntries(max));
  }

  /** Counts a request in its windows, each of which begins with its first request. */
  count(windows: RateWindow[]): WindowUsage[] {
    const now = this.clock.ms();
    return windows.map((window) => {
      const period = window.seconds * 1000;
      let counted = this.counts.get(window.key);
      if (!counted || counted.resetAt <= now || counted.resetAt > now + period + TOLERANCE_MS) {
        counted = { count: 0, resetAt: now + period };
        this.counts.set(window.key, counted);
      }
      counted.count += window.by ?? 1;
      return windowUsageOf(window, counted.count, counted.resetAt);
    });
  }

  /** Refunds a counted request, unless its window is over. */
  refund({ key }: RateWindow, { resetAt }: WindowUsage): void {
    const counted = this.counts.get(key);
    if (counted && counted.count > 0 && Math.ceil(counted.resetAt / 1000) === resetAt) counted.count--;
  }
}
