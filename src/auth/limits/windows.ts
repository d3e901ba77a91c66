import type { QuotaName } from '../../config/quotas.js';

/** A window in which a request counts. Its key identifies the quota and its owner. */
export interface RateWindow {
  key: string;
  /** What shares a slot of a Redis Cluster with it; by default its key. One window has the same home always. */
  home?: string;
  name: QuotaName;
  limit: number;
  seconds: number;
  /** How often the request counts; by default once. */
  by?: number;
}

/** The state of a window after a request was counted in it. */
export interface WindowUsage {
  name: QuotaName;
  limit: number;
  seconds: number;
  /** Never below 0. */
  remaining: number;
  /** When the next window may begin, in seconds since the epoch. */
  resetAt: number;
  /** Whether this request is beyond the limit. */
  exceeded: boolean;
}

/**
 * Clocks of replicas differ: a window that ends this much later than a new one does not mean that the clock was moved
 * back.
 */
export const TOLERANCE_MS = 5_000;

export const windowUsageOf = ({ name, limit, seconds }: RateWindow, count: number, resetAtMs: number): WindowUsage => ({
  name,
  limit,
  seconds,
  remaining: Math.max(0, limit - count),
  // Rounded up: a client that retries at this second gets a new window.
  resetAt: Math.ceil(resetAtMs / 1000),
  exceeded: count > limit,
});
