import type { QuotaName } from '../../quotas.js';

/** A window in which a request counts. Its key says of what and of whom. */
export interface Window {
  key: string;
  name: QuotaName;
  limit: number;
  seconds: number;
}

/** How a window stands after a request was counted in it. */
export interface Usage {
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

/** Clocks of replicas differ; a window that ends so much later than one begun now is not taken for a clock moved back. */
export const TOLERANCE_MS = 5_000;

export const usageOf = ({ name, limit, seconds }: Window, count: number, resetAtMs: number): Usage => ({
  name,
  limit,
  seconds,
  remaining: Math.max(0, limit - count),
  // Rounded up: whoever comes back at this second finds a new window.
  resetAt: Math.ceil(resetAtMs / 1000),
  exceeded: count > limit,
});
