import { ApiError, cut } from '../common/errors/api-error.js';

/** How much of an id a message repeats: no id of ours is as long. */
const MAX_ID_LENGTH = 100;

/** Why a webhook is not registered; the words are those that clients know. */
type Refusal = 'CrcValidationFailed' | 'DuplicateUrlFailed' | 'UrlValidationFailed' | 'WebhookLimitExceeded';

const refused =
  (reason: Refusal) =>
  (url: string, why: string): ApiError =>
    new ApiError(400, 214, `${reason}: ${why}`, { parameter: 'url', value: url });

export const crcValidationFailed = refused('CrcValidationFailed');
export const urlValidationFailed = (url: string, mistake: string) =>
  refused('UrlValidationFailed')(url, `url ${mistake}`);
export const duplicateUrlFailed = (url: string) =>
  refused('DuplicateUrlFailed')(url, 'this application has a webhook with this URL already');

/** How many webhooks an application has at most. */
export const MAX_WEBHOOKS = 5;
export const webhookLimitExceeded = (url: string) =>
  refused('WebhookLimitExceeded')(url, `an application has at most ${MAX_WEBHOOKS} webhooks`);

/** Unknown, deleted and another application's are answered alike. */
export const webhookNotFound = (id: string) =>
  new ApiError(404, 34, `WebhookIdInvalid: there is no webhook ${cut(id, MAX_ID_LENGTH)}`, {
    parameter: 'webhook_id',
    value: cut(id, MAX_ID_LENGTH),
  });

/** The same for an account as a webhook may be told of it: unknown ones and those that the application may not read. */
export const accountNotReadable = (id: string) =>
  new ApiError(404, 34, `Account ${cut(id, MAX_ID_LENGTH)} was not found`, {
    parameter: 'account_id',
    value: cut(id, MAX_ID_LENGTH),
    details: 'the application needs a valid access token of a user who has a role on the account',
  });

/** How many subscriptions a webhook has at most. */
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
      : `The webhook has no subscription to Account ${cut(accountId, MAX_ID_LENGTH)}`,
    { parameter: 'account_id', ...(accountId !== undefined && { value: cut(accountId, MAX_ID_LENGTH) }) },
  );

/** Only a valid webhook is sent anything. */
export const webhookNotValid = (id: string) =>
  new ApiError(400, 214, `The webhook ${id} is not valid: validate it with PUT /2/webhooks/${id} first`, {
    parameter: 'webhook_id',
    value: id,
  });

export const deliveryNotFound = (id: string) =>
  new ApiError(404, 34, `The webhook has no delivery ${cut(id, MAX_ID_LENGTH)}`, {
    parameter: 'delivery_id',
    value: cut(id, MAX_ID_LENGTH),
  });
