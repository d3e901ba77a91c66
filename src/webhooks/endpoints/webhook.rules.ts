import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { mistakeOfUrl } from '../../common/http/outgoing/public-url.js';
import type { Webhook } from '../entities/webhook.entity.js';
import { duplicateUrlFailed, MAX_WEBHOOKS, urlValidationFailed, webhookLimitExceeded } from '../webhooks.errors.js';
import { HOUR_MS, MINUTE_MS } from '../../common/time/days.js';

/** The error for a URL to which the service cannot send events. */
export function problemOfUrl(url: string, production: boolean): ApiError | undefined {
  const mistake = mistakeOfUrl(url, production);
  return mistake === undefined ? undefined : urlValidationFailed(url, mistake);
}

/** The error for a new URL of an application that has these webhooks. Only a URL without it receives a challenge. */
export function problemOfNewUrl(url: string, existing: readonly Pick<Row<Webhook>, 'url'>[]): ApiError | undefined {
  if (existing.some((each) => each.url === url)) return duplicateUrlFailed(url);
  return existing.length >= MAX_WEBHOOKS ? webhookLimitExceeded(url) : undefined;
}

/** Webhooks are challenged hourly, and more often after failing for a day. Four hours later they become invalid. */
const EVERY_MS = HOUR_MS;
const LATE_AFTER_MS = 24 * HOUR_MS;
const EVERY_WHEN_LATE_MS = 30 * MINUTE_MS;
const OVERDUE_AFTER_MS = 28 * HOUR_MS;
/** Up to this share of the pause is skipped, so that webhooks of one hour are not all challenged together. */
const JITTER = 0.1;

/** True if a webhook that last passed at this time, and fails now, becomes invalid even after a temporary failure. */
export const isOverdue = (validatedAt: Date, now: Date): boolean =>
  now.getTime() - validatedAt.getTime() > OVERDUE_AFTER_MS;

/** The next challenge of a webhook that last passed at this time. */
export function nextCheckAfter(validatedAt: Date, now: Date): string {
  const isLate = now.getTime() - validatedAt.getTime() >= LATE_AFTER_MS;
  const pause = (isLate ? EVERY_WHEN_LATE_MS : EVERY_MS) * (1 - JITTER * Math.random());
  return new Date(now.getTime() + Math.round(pause)).toISOString();
}
