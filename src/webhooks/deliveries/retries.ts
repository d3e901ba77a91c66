import { MAX_RETRY_SECONDS } from '../../config/config.js';

/** Pauses are up to this share longer, so that requests which failed together do not retry together. */
const JITTER = 0.2;

/**
 * The pause after a failed attempt in milliseconds; undefined after the last attempt. `attempts` includes the failed
 * one. `pauses` lists the seconds after the first, second, ... attempt. A longer pause requested by the webhook is
 * respected, up to ten hours. `random` is from 0 to 1.
 */
export function pauseAfter(
  attempts: number,
  pauses: readonly number[],
  random: number,
  retryAfterSeconds = 0,
): number | undefined {
  const pause = pauses[attempts - 1];
  if (pause === undefined) return undefined;
  const seconds = Math.max(pause * (1 + JITTER * random), retryAfterSeconds);
  return Math.round(Math.min(seconds, MAX_RETRY_SECONDS * (1 + JITTER)) * 1_000);
}
