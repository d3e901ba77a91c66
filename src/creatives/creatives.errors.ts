import { ApiError, truncate, truncatedValue } from '../common/errors/api-error.js';
import { tooManyWith } from '../common/errors/catalogue.js';
import { defineErrors } from '../common/errors/error-codes.js';
import { quotedValue } from '../common/http/params/refusals.js';

const error = defineErrors({
  DUPLICATE_POST: 400,
  INVALID_IMAGE: 400,
  INVALID_MEDIA: 400,
  INVALID_MEDIA_ID: 400,
  INVALID_USER_ID: 400,
  POST_CANNOT_BE_BLANK: 400,
  SCHEDULED_POST_LIMIT_EXCEEDED: 400,
  TOO_MANY_LEAD_FORMS: 400,
  UNKNOWN_CARD_TYPE: 400,
  MEDIA_NOT_FOUND: 404,
  POST_NOT_FOUND: 404,
});

export const tooManyLeadForms = tooManyWith(error, 'TOO_MANY_LEAD_FORMS', 'lead forms');

/** A media item that does not fit this use: wrong type, size or aspect ratio. */
export const invalidMedia = (parameter: string, message: string, value?: string | string[], details?: string) =>
  error('INVALID_MEDIA', message, { parameter, ...(details && { details }), ...(value !== undefined && { value }) });

/** A media key that is not in the account's library. */
export const unknownMedia = (parameter: string, mediaKey: string, accountId: string) =>
  error('INVALID_MEDIA_ID', `Media ${mediaKey} is not in the media library of Account ${accountId}`, {
    parameter,
    value: mediaKey,
    details: 'add uploaded media with POST /12/accounts/:account_id/media_library',
  });

/** A media key without an upload, or one that this account cannot use. */
export const mediaNotFound = (mediaKey: string) =>
  error('MEDIA_NOT_FOUND', `Media ${mediaKey} was not found`, {
    parameter: 'media_key',
    value: mediaKey,
    details: 'another user uploaded it without additional_owners, it has no media_category, or it expired',
  });

export const postCannotBeBlank = () =>
  error('POST_CANNOT_BE_BLANK', 'A post needs text or media', { parameter: 'text' });

export const duplicatePost = () =>
  error('DUPLICATE_POST', 'This user has already published the same post today', {
    parameter: 'text',
    details: 'another post of the same day (UTC) has the same text, media and card',
  });

export const invalidUserId = (parameter: string, userId: string, details?: string) =>
  error('INVALID_USER_ID', `User ${userId} is not a promotable user of this account`, {
    parameter,
    value: userId,
    ...(details !== undefined && { details }),
  });

/** Something of a user who is not promotable by the account; `value`: the user's id, or the post's id. */
export const notPromotable = (what: 'account' | 'post', parameter: string, value: string, accountId: string) =>
  error('INVALID_USER_ID', `You cannot promote someone else's ${what}`, {
    parameter,
    value,
    details: `GET promotable_users lists the users whom Account ${accountId} may promote`,
  });

/** A post that does not exist or is not visible to the account. */
export const postNotFound = (parameter: string, postId: string, accountId: string) =>
  error('POST_NOT_FOUND', `Post ${truncate(postId, 100)} was not found for Account ${accountId}`, {
    parameter,
    value: truncatedValue(postId),
  });

export const scheduledPostLimitExceeded = (limit: number, minutes: number) =>
  error('SCHEDULED_POST_LIMIT_EXCEEDED', `A user can have at most ${limit} posts scheduled within ${minutes} minutes`, {
    parameter: 'scheduled_at',
  });

export const unknownCardType = (given: unknown, allowed: readonly string[]): ApiError =>
  error('UNKNOWN_CARD_TYPE', `Expected a value in ${allowed.join(', ')}, got ${quotedValue(given)} for card_types`, {
    parameter: 'card_types',
    value: given,
  });
