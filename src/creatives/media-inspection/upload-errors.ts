import { ApiError } from '../../common/errors/api-error.js';
import { badRequestData } from '../../common/errors/catalogue.js';

/** An invalid file. Errors of this family have no parameter field, so the message names it. */
export const invalidFile = (why: string): ApiError => badRequestData(`media ${why}`);

/** 400 for a field that a command requires or does not allow. */
export const badUpload = (message: string): ApiError => badRequestData(message);

/** An upload in the wrong state for the command. */
export const wrongState = (message: string): ApiError => new ApiError(400, 324, message);

/** The user's storage quota is exceeded. Errors of this family have a single text. */
export const uploadQuotaExceeded = ({ message, details }: { message: string; details: string }): ApiError =>
  new ApiError(403, 185, `${message}; ${details}`);

/** An upload that does not exist, belongs to another user or has expired. */
export const uploadNotFound = (mediaId: string, parameter = 'media_id'): ApiError =>
  new ApiError(400, 325, `${parameter} ${mediaId.slice(0, 100)} was not found: it is not yours, or it expired`);

/** A media key of no upload that the caller may use. */
export const mediaKeyNotFound = (key: string, parameter: string): ApiError =>
  new ApiError(404, 325, `Media ${key.slice(0, 100)} was not found: it is not yours, or it is not processed`, {
    parameter,
    value: key.slice(0, 100),
  });

/** Too many queued files; `retry-after` is in seconds. */
export const tooManyFiles = (message: string, retryAfter: number): ApiError =>
  new ApiError(429, 88, message, {}, { 'retry-after': `${retryAfter}` }).because('media-queue-full');
