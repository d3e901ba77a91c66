import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { mistakeOfUrl } from '../client/webhook-url.js';
import type { Webhook } from '../entities/webhook.entity.js';
import { duplicateUrlFailed, MAX_WEBHOOKS, urlValidationFailed, webhookLimitExceeded } from '../webhooks.errors.js';

/** The error for a URL to which the service cannot send events. */
export function problemOfUrl(url: string, production: boolean): ApiError | undefined {
  const mistake = mistakeOfUrl(url, production);
  return mistake === undefined ? undefined : urlValidationFailed(url, mistake);
}

/** The error for a new URL of an application that has these webhooks. Only a URL without it receives a challenge. */
export function problemOfNewUrl(url: string, known: readonly Pick<Row<Webhook>, 'url'>[]): ApiError | undefined {
  if (known.some((each) => each.url === url)) return duplicateUrlFailed(url);
  return known.length >= MAX_WEBHOOKS ? webhookLimitExceeded(url) : undefined;
}
