const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A webhook is challenged hourly, and more often once it has not passed for a day; four hours later it is invalid. */
const EVERY_MS = HOUR_MS;
const LATE_AFTER_MS = 24 * HOUR_MS;
const EVERY_WHEN_LATE_MS = 30 * MINUTE_MS;
const OVERDUE_AFTER_MS = 28 * HOUR_MS;
/** Up to this part of the pause is left out, so that webhooks of one hour are not all challenged at once again. */
const JITTER = 0.1;

/** Whether a webhook that passed last at this moment, and does not now, is invalid though it may only be away. */
export const isOverdue = (validatedAt: Date, now: Date): boolean =>
  now.getTime() - validatedAt.getTime() > OVERDUE_AFTER_MS;

/** When a webhook that passed last at this moment is challenged next; `random` is from 0 to 1. */
export function nextCheckAfter(validatedAt: Date, now: Date, random = Math.random()): string {
  const isLate = now.getTime() - validatedAt.getTime() >= LATE_AFTER_MS;
  const pause = (isLate ? EVERY_WHEN_LATE_MS : EVERY_MS) * (1 - JITTER * random);
  return new Date(now.getTime() + Math.round(pause)).toISOString();
}
