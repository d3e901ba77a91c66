import { truncate, truncatedValue } from '../common/errors/api-error.js';
import { defineErrors } from '../common/errors/error-codes.js';
import { placeholderHint } from '../common/errors/placeholder.js';

const error = defineErrors({
  TOO_MANY_PIXEL_TOKENS: 400,
  TOO_MANY_WEB_EVENT_TAGS: 400,
  WEB_EVENT_TAG_NOT_FOUND: 404,
});

export const tooManyWebEventTags = (limit: number) =>
  error('TOO_MANY_WEB_EVENT_TAGS', `An account can have at most ${limit} web event tags`, {
    parameter: 'account_id',
    details: 'delete one of them first',
  });

/** A tag that the account does not have or has deleted. `parameter` names it. */
export const webEventTagNotFound = (id: string, account: { id: string }, parameter = 'web_event_tag_id') =>
  error('WEB_EVENT_TAG_NOT_FOUND', `Web Event Tag ${truncate(id, 100)} was not found for Account ${account.id}`, {
    parameter,
    value: truncatedValue(id),
  }).hinted(placeholderHint(parameter, id));

export const tooManyPixelTokens = (limit: number) =>
  error('TOO_MANY_PIXEL_TOKENS', `A pixel can have at most ${limit} tokens`, {
    parameter: 'account_id',
    details: 'revoke one of them first',
  });
