import { ApiError, truncate } from '../common/errors/api-error.js';
import { invalid } from '../common/errors/catalogue.js';
import { didYouMean } from '../common/http/hints/nearest.js';
import { quotedValue } from '../common/http/params/refusals.js';

/** Maximum length of an id in a message; valid ids are shorter. */
const MAX_ID_LENGTH = 100;

/** Why a webhook is not registered, in words that clients know. */
type Refusal = 'CrcValidationFailed' | 'DuplicateUrlFailed' | 'UrlValidationFailed' | 'WebhookLimitExceeded';

const refused =
  (reason: Refusal) =>
  (url: string, why: string): ApiError =>
    new ApiError(400, 214, `${reason}: ${why}`, { parameter: 'url', value: url });

export const crcValidationFailed = refused('CrcValidationFailed');
export const urlValidationFailed = (url: string, mistake: string) =>
  refused('UrlValidationFailed')(url, `url ${mistake}`);
export const duplicateUrlFailed = (url: string) =>
  refused('DuplicateUrlFailed')(url, 'this application already has a webhook with this URL');

/** Maximum number of webhooks of an application. */
export const MAX_WEBHOOKS = 5;
export const webhookLimitExceeded = (url: string) =>
  refused('WebhookLimitExceeded')(url, `an application has at most ${MAX_WEBHOOKS} webhooks`);

/** Unknown, deleted and foreign webhooks get the same response. */
export const webhookNotFound = (id: string) =>
  new ApiError(404, 34, `WebhookIdInvalid: there is no webhook ${truncate(id, MAX_ID_LENGTH)}`, {
    parameter: 'webhook_id',
    value: truncate(id, MAX_ID_LENGTH),
  });

/** The same for accounts: unknown and unreadable accounts get the same response. */
export const accountNotReadable = (id: string) =>
  new ApiError(404, 34, `Account ${truncate(id, MAX_ID_LENGTH)} was not found`, {
    parameter: 'account_id',
    value: truncate(id, MAX_ID_LENGTH),
    details:
      'the application needs a valid access token (OAuth 2.0: with ads.read) of a user whose role on the account may read its campaigns',
  });

/** Maximum number of subscriptions of a webhook. */
export const MAX_SUBSCRIPTIONS = 5_000;
export const subscriptionLimitExceeded = () =>
  new ApiError(400, 214, `A webhook has at most ${MAX_SUBSCRIPTIONS} subscriptions`, {
    details: 'one without account_id covers all accounts that the application may read',
  });

export const subscriptionNotFound = (accountId: string | undefined) =>
  new ApiError(
    404,
    34,
    accountId === undefined
      ? 'The webhook has no subscription to all accounts'
      : `The webhook has no subscription to Account ${truncate(accountId, MAX_ID_LENGTH)}`,
    { parameter: 'account_id', ...(accountId !== undefined && { value: truncate(accountId, MAX_ID_LENGTH) }) },
  );

/** Only valid webhooks receive events. */
export const webhookNotValid = (id: string) =>
  new ApiError(400, 214, `The webhook ${id} is not valid: validate it with PUT /2/webhooks/${id} first`, {
    parameter: 'webhook_id',
    value: id,
  });

export const deliveryNotFound = (id: string) =>
  new ApiError(404, 34, `The webhook has no delivery ${truncate(id, MAX_ID_LENGTH)}`, {
    parameter: 'delivery_id',
    value: truncate(id, MAX_ID_LENGTH),
  });

export const eventNotFound = (id: string) =>
  new ApiError(404, 34, `No webhook of this application has a delivery of the event ${truncate(id, MAX_ID_LENGTH)}`, {
    parameter: 'event_id',
    value: truncate(id, MAX_ID_LENGTH),
  });

export const unknownEventKind = (kind: string, kinds: readonly string[]) =>
  invalid('kind', `Expected one of ${kinds.join(', ')} for kind, got ${quotedValue(truncate(kind, MAX_ID_LENGTH))}`, {
    value: truncate(kind, MAX_ID_LENGTH),
  }).hinted(() => didYouMean(kind, kinds));

/** A replay requires a challenge first. */
export const needsCheck = (webhookId: string, details?: string) =>
  new ApiError(400, 214, 'Webhook is marked invalid and requires a CRC check.', {
    parameter: 'webhook_id',
    value: webhookId,
    ...(details !== undefined && { details }),
  });

/** The challenge failed for a temporary reason, such as a 503 response. The webhook's validity is unchanged. */
export const challengeFailed = (webhookId: string, why: string) =>
  new ApiError(400, 214, `The webhook ${webhookId} did not pass the challenge before the replay. ${why}`, {
    parameter: 'webhook_id',
    value: webhookId,
    details: 'its validity is unchanged; repeat the request when its receiver answers challenges again',
  });

export const replayRunning = (webhookId: string) =>
  new ApiError(409, 214, `A replay of the webhook ${webhookId} is running; start the next one after it ends`, {
    parameter: 'webhook_id',
    value: webhookId,
  });

export const replayNotFound = (id: string) =>
  new ApiError(404, 34, `Replay job ${truncate(id, 100)} was not found`, {
    parameter: 'job_id',
    value: truncate(id, 100),
  });
