import { ApiError } from '../../common/errors/api-error.js';
import { badRequestData } from '../../common/errors/catalogue.js';

/** A file that is not what it has to be; the numbered family has no place for parameters, so the message names it. */
export const invalidFile = (why: string): ApiError => badRequestData(`media ${why}`);

/** 400 on something that a command needs or must not have. */
export const badUpload = (message: string): ApiError => badRequestData(message);

/** An upload that is not in the state that a command needs. */
export const wrongState = (message: string): ApiError => new ApiError(400, 324, message);

/** More bytes than the user may store; the numbered family has one text. */
export const uploadQuotaExceeded = ({ message, details }: { message: string; details: string }): ApiError =>
  new ApiError(403, 185, `${message}; ${details}`);

/** One that nobody, or somebody else, began; or one that expired. */
export const uploadNotFound = (mediaId: string): ApiError =>
  new ApiError(400, 325, `media_id ${mediaId.slice(0, 100)} was not found: it is not yours, or it expired`);

/** Files wait to be read: `retry-after` is in seconds. */
export const tooManyFiles = (message: string, retryAfter: number): ApiError =>
  new ApiError(429, 88, message, {}, { 'retry-after': `${retryAfter}` }).because('media-queue-full');
