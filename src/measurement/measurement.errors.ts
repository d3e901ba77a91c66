import { notFoundWith, tooManyWith } from '../common/errors/catalogue.js';
import { defineErrors } from '../common/errors/error-codes.js';

const error = defineErrors({
  TOO_MANY_PIXEL_TOKENS: 400,
  TOO_MANY_WEB_EVENT_TAGS: 400,
  WEB_EVENT_TAG_NOT_FOUND: 404,
});

export const tooManyWebEventTags = tooManyWith(error, 'TOO_MANY_WEB_EVENT_TAGS', 'web event tags');
export const webEventTagNotFound = notFoundWith(error, 'WEB_EVENT_TAG_NOT_FOUND');

export const tooManyPixelTokens = (limit: number) =>
  error('TOO_MANY_PIXEL_TOKENS', `A pixel can have at most ${limit} tokens`, {
    parameter: 'account_id',
    details: 'revoke one of them first',
  });
