import { ApiError, ApiErrors, truncate, truncatedValue, type ErrorDetail } from './api-error.js';
import { placeholderHint } from './placeholder.js';
import { defineErrors, type ErrorFactory } from './error-codes.js';

/** The codes that every domain uses; each domain defines its own beside its resources. */
const error = defineErrors({
  EXCLUSIVE_PARAMETERS: 400,
  INCLUSIVE_PARAMETERS: 400,
  INVALID_PARAMETER: 400,
  INVALID_TIME_WINDOW: 400,
  MISSING_PARAMETER: 400,
  REQUEST_TOO_COMPLEX: 400,
  UNAUTHORIZED_ACCESS: 401,
  ACTION_NOT_ALLOWED: 403,
  INSUFFICIENT_USER_AUTHORIZED_PERMISSION: 403,
  READONLY_CLIENT_APPLICATION: 403,
  STORAGE_QUOTA_EXCEEDED: 403,
  UNAUTHORIZED_CLIENT_APPLICATION: 403,
  NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CANCELLED_REQUEST: 408,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
});

type Given = Omit<ErrorDetail, 'parameter'>;

/** A parameter with a value that is not allowed; `message` names the allowed values. */
export const invalid = (parameter: string, message: string, { value, ...given }: Given = {}) =>
  error('INVALID_PARAMETER', message, {
    parameter,
    ...given,
    ...(value !== undefined && { value: truncatedValue(value) }),
  });

/** The body of a request did not arrive completely or in time. */
export const cancelledRequest = (message: string, given: Given = {}, headers?: Record<string, string>) =>
  error('CANCELLED_REQUEST', message, { parameter: 'body', ...given }, headers);

export const missing = (parameter: string, details?: string) =>
  error('MISSING_PARAMETER', `"${parameter}" is a required parameter`, { parameter, ...(details && { details }) });

export const exclusive = (one: string, other: string) =>
  error('EXCLUSIVE_PARAMETERS', `${one} and ${other} are exclusive parameters`, { parameter: other });

export const inclusive = (one: string, other: string, details?: string) =>
  error('INCLUSIVE_PARAMETERS', `${one} and ${other} must be provided together`, {
    parameter: other,
    ...(details && { details }),
  });

/** Maximum length of an id in a message; valid ids are shorter. */
const MAX_ID_LENGTH = 100;

/** `notFound` with a code of a domain. */
export const notFoundWith =
  <Code extends string>(error: ErrorFactory<Code>, code: Code) =>
  (what: string, parameter: string, id: string, accountId: string): ApiError =>
    error(
      code,
      `${what} ${truncate(id, MAX_ID_LENGTH)} was not found for Account ${truncate(accountId, MAX_ID_LENGTH)}`,
      {
        parameter,
        value: truncatedValue(id),
      },
    ).hinted(placeholderHint(parameter, id));

/**
 * An id inside an account, in the path or as a reference. Unknown ids, deleted ones and those of other accounts get the
 * same error.
 */
export const notFound = notFoundWith(error, 'NOT_FOUND');

/** More of something than an account can have, with a code of a domain. */
export const tooManyWith =
  <Code extends string>(error: ErrorFactory<Code>, code: Code, what: string) =>
  (limit: number): ApiError =>
    error(code, `An account can have at most ${limit} ${what}`, {
      parameter: 'account_id',
      details: 'delete one of them first',
    });

/** The same for an id that is not of an account. */
export const notFoundById = (what: string, parameter: string, id: string) =>
  error('NOT_FOUND', `${what} ${truncate(id, MAX_ID_LENGTH)} was not found`, {
    parameter,
    value: truncatedValue(id),
  }).hinted(placeholderHint(parameter, id));

/** The account does not exist, or the caller has no access to it: both get the same error. */
export const accountNotFound = (id: string) => notFoundById('Account', 'account_id', id);

/** Whether a write failed because its account is deleted. */
export const isAccountNotFound = (failure: unknown): boolean =>
  (failure instanceof ApiErrors ? failure.errors : [failure]).some(
    (each) => each instanceof ApiError && each.code === 'NOT_FOUND' && each.detail.parameter === 'account_id',
  );

export const invalidTimeWindow = (parameter: string, message: string, value?: unknown, details?: string) =>
  error('INVALID_TIME_WINDOW', message, { parameter, ...(details !== undefined && { details }), value });

/** The request exceeds what one request may do. */
export const requestTooComplex = (message: string, given: ErrorDetail = {}) =>
  error('REQUEST_TOO_COMPLEX', message, given);

/** The same for a body that is too large: 413. */
export const tooComplex = ({ message, detail, headers }: ApiError) =>
  new ApiError(413, 'REQUEST_TOO_COMPLEX', message, detail, headers);

export const unauthorized = (details?: string, extra?: Given) =>
  error('UNAUTHORIZED_ACCESS', 'This request is not properly authenticated', { details, ...extra });

export const actionNotAllowed = (details: string) =>
  error('ACTION_NOT_ALLOWED', 'The role of this user does not allow this action', { details });

/** An action that is not allowed for this user, or no longer allowed for anybody; `message` gives the reason. */
export const notAllowed = (message: string, given: ErrorDetail = {}) => error('ACTION_NOT_ALLOWED', message, given);

/** The storage quota of a user or an account is exceeded; `message` has usage and limit. */
export const storageQuotaExceeded = (message: string, details: string) =>
  error('STORAGE_QUOTA_EXCEEDED', message, { details });

export const readOnlyApplication = () =>
  error('READONLY_CLIENT_APPLICATION', 'Application cannot perform write actions', {
    details: 'the access token is read-only',
  });

/** The access token of OAuth 2.0 has not the scope that an endpoint needs. */
export const scopeMissing = (scope: string) =>
  error(
    'INSUFFICIENT_USER_AUTHORIZED_PERMISSION',
    'The user has not given the application the permission for this request',
    { details: scopeDetails(scope) },
    insufficientScope(scope),
  );

const scopeDetails = (scope: string) =>
  `the access token does not have the scope ${scope}: the user has to approve the application with it`;
const insufficientScope = (scope: string) => ({
  'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
});

const ADS_ACCESS = { details: 'an operator grants access with `marquee app access`' };
export const unauthorizedApplication = () =>
  error(
    'UNAUTHORIZED_CLIENT_APPLICATION',
    'The client application making this request does not have access to this API',
    ADS_ACCESS,
  );
/** The same with numeric codes. */
export const noAdsAccess = () =>
  numbered(403, 220, 'Your credentials do not allow access to this resource', ADS_ACCESS).because(
    'unauthorized-client-application',
  );

export const routeNotFound = () => error('ROUTE_NOT_FOUND', 'The requested path could not be found');

export const methodNotAllowed = (method: string, allowed: string[]) =>
  error(
    'METHOD_NOT_ALLOWED',
    `Method ${method} not allowed.`,
    { details: `allowed methods: ${allowed.join(', ')}` },
    { allow: allowed.join(', ') },
  );

/** `parameter`: the part of the request that the limit applies to, if not the request itself. */
export const tooManyRequests = (details: string, retryAfter: number, parameter?: string) =>
  error(
    'TOO_MANY_REQUESTS',
    'You have exceeded the number of requests allowed',
    { details, ...(parameter !== undefined && { parameter }) },
    { 'retry-after': `${retryAfter}` },
  );

export const internalError = () => error('INTERNAL_ERROR', 'An internal error occurred');

export const serviceUnavailable = (retryAfter = 1) =>
  error('SERVICE_UNAVAILABLE', 'The service is not available at the moment', {}, { 'retry-after': `${retryAfter}` });

/** The family of the authentication endpoints with numeric codes, some of which the advertising endpoints use too. */
const numbered = (status: number, code: number, message: string, detail?: ErrorDetail) =>
  new ApiError(status, code, message, detail);

export const invalidToken = () => numbered(401, 89, 'Invalid or expired token');
export const bearerNotAllowed = () => numbered(403, 220, 'Your credentials do not allow access to this resource');
/** The same with numeric codes. */
export const scopeMissingNumbered = (scope: string) =>
  new ApiError(
    403,
    220,
    'Your credentials do not allow access to this resource',
    { details: scopeDetails(scope) },
    insufficientScope(scope),
  ).because('insufficient-user-authorized-permission');
export const couldNotAuthenticate = (details?: string) => numbered(401, 32, 'Could not authenticate you', { details });
export const timestampOutOfBounds = () => numbered(401, 135, 'Timestamp out of bounds.');
export const badAuthenticationData = () => numbered(400, 215, 'Bad authentication data');
export const pageNotFound = () => numbered(404, 34, 'Sorry, that page does not exist');
export const docsKeyNeeded = () =>
  numbered(403, 220, 'The demo keys need the link that `npm start` and `npx marquee docs` print');
export const badRequestData = (message: string) => numbered(400, 214, message);
export const sslRequired = (message = 'SSL is required') => numbered(403, 92, message).because('not-https');
export const overCapacity = (retryAfter = 1) =>
  new ApiError(503, 130, 'Over capacity', {}, { 'retry-after': `${retryAfter}` });
export const legacyInternalError = () => numbered(500, 131, 'Internal error');
export const rateLimitExceeded = () => numbered(429, 88, 'Rate limit exceeded');
export const cannotWrite = () =>
  numbered(403, 261, 'Application cannot perform write actions').because('readonly-client-application');

/**
 * 429 with `retry-after` for a limit on concurrent requests, in the form of the advertising family or of the others.
 */
export const tooManyAtOnce = (isAds: boolean, details: string, retryAfter = 1): ApiError =>
  isAds
    ? tooManyRequests(details, retryAfter)
    : new ApiError(429, 88, 'Rate limit exceeded', { details }, { 'retry-after': `${retryAfter}` });

/** 503 with `retry-after`, in the form of the advertising family or of the others. */
export const unavailable = (isAds: boolean): ApiError => (isAds ? serviceUnavailable() : overCapacity());
