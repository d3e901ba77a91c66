import { ApiError, type ErrorDetail } from '../common/errors/api-error.js';

/** Errors of the authentication endpoints alone: code, status and words as clients of such services know them. */
const numbered =
  (status: number, code: number, message: string) =>
  (detail: ErrorDetail = {}, headers: Record<string, string> = {}) =>
    new ApiError(status, code, message, detail, headers);

export const missingParameter = (name: string) => new ApiError(403, 38, `${name} parameter is missing`);
export const badParameter = (message: string) => new ApiError(400, 214, message);

export const callbackNotApproved = numbered(
  403,
  415,
  'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
);
export const onlyOutOfBand = numbered(401, 417, "Desktop applications only support the oauth_callback value 'oob'");

export const requestTokenMissing = numbered(401, 32, 'Request token missing');
export const invalidRequestToken = numbered(401, 89, 'Invalid / expired Token');
export const invalidVerifier = numbered(
  401,
  32,
  'Error processing your OAuth request: Invalid oauth_verifier parameter',
);

/** Whatever goes wrong at an `oauth2` endpoint, asking too often included. */
export const unverified = (details?: string, headers: Record<string, string> = {}, rest: ErrorDetail = {}) =>
  new ApiError(
    403,
    99,
    'Unable to verify your credentials',
    { label: 'authenticity_token_error', ...(details !== undefined && { details }), ...rest },
    headers,
  );
export const bearerOfAnother = numbered(403, 348, 'Client application is not permitted to access bearer token');

/** On `/2` endpoints a bearer is what authenticates, so its absence is a 401. */
export const badBearer = numbered(401, 215, 'Bad Authentication data');
export const rateLimited = (retryAfter: number) =>
  new ApiError(429, 88, 'Rate limit exceeded', {}, { 'retry-after': `${retryAfter}` });
