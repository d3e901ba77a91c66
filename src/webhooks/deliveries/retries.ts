import { MAX_RETRY_SECONDS } from '../../config.js';

/** Pauses are up to this much longer than said, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * How long to wait after a failed attempt, in milliseconds; undefined where it was the last one. `attempts` counts the
 * failed one, `pauses` are those after the first, second, ... attempt in seconds; what the webhook asked for itself is
 * waited for too, up to ten hours. `random` is from 0 to 1.
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
