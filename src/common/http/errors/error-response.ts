import { STATUS_CODES } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { isOutage, outageWord } from '../../db/query/outage.js';
import { ApiError, ApiErrors, truncatedParams, OperationErrors } from '../../errors/api-error.js';
import * as catalogue from '../../errors/catalogue.js';
import { StoredAnswer } from '../answers/results.js';
import { bodiesWithHints } from '../hints/hints.js';
import { echoOf } from '../params/params.js';
import { familyOf } from '../urls/public-urls.js';
import { noteRefusal, noteStoredError } from './refused.js';

const logger = new Logger('Errors');

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether to echo the path parameters: set when the caller has access to what they name. */
    echoesPath?: boolean;
  }
  interface FastifyInstance {
    /** The prefix of the problem type URIs of the `/2` family. */
    problemTypes?: string;
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The settings of a server that affect its errors. */
type ErrorSettings = Pick<FastifyInstance, 'hints' | 'problemTypes'>;

/** Writes every error body, whatever was thrown, in the form of the endpoint's family. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (thrown instanceof StoredAnswer) return sendStored(thrown, request, reply);
  const family = errorFormOf(request.url.split('?', 1)[0]);
  const { hints } = request.server;
  const known = thrown instanceof OperationErrors ? thrown : asApiErrors(thrown, request, family);
  if (reply.sent || reply.raw.headersSent) return;

  if (known instanceof OperationErrors) {
    noteRefusal(request, known.operations.flat()[0]);
    reply.status(400).send({ operation_errors: bodiesOf(known, hints), request: known.request.map(echoedOperation) });
    return;
  }
  reply.send(prepareError(known, request, reply));
}

/** Prepares the response for errors, whatever it was before, and returns its body. For hooks before it is sent. */
export function prepareError(known: ApiErrors, request: FastifyRequest, reply: FastifyReply): string {
  const path = request.url.split('?', 1)[0];
  noteRefusal(request, known.errors[0]);
  for (const error of known.errors)
    for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
  if (known.status === 401 && !reply.hasHeader('www-authenticate'))
    reply.header('www-authenticate', path.startsWith('/2/') ? 'Bearer' : 'OAuth realm="marquee"');
  reply.status(known.status).type(JSON_TYPE);
  return errorText(known, request);
}

/** The text of an error body. */
export function errorText(known: ApiErrors, request: FastifyRequest): string {
  const family = errorFormOf(request.url.split('?', 1)[0]);
  // Echo parameters only to authorized callers; the path can name resources of others.
  const named = request.echoesPath ? (request.params as object) : {};
  // the same response whether a limit is reached before parameters are read or after
  const params =
    family === 'ads' && known.status !== 429 ? { ...echoOf(request.query), ...echoOf(request.body), ...named } : {};
  return textOf(known, family, params, request.server);
}

function sendStored({ status, body, headers }: StoredAnswer, request: FastifyRequest, reply: FastifyReply): void {
  if (status >= 400 && body !== null) noteStoredError(request, body);
  reply.status(status).headers(headers);
  if (body === null) void reply.send();
  else void reply.type(JSON_TYPE).send(body);
}

/**
 * The body of a response to input that never became a request; `path` as far as it is known. Oversized headers may hide
 * the path; then the form is that of the advertising endpoints, which are the majority.
 */
export const bareErrorText = (error: ApiError, path?: string): string => {
  const unknown = error.status === 431 ? 'ads' : 'auth';
  return textOf(new ApiErrors([error]), path === undefined ? unknown : errorFormOf(path), {}, {});
};

function textOf(known: ApiErrors, family: Form, params: object, { hints, problemTypes }: ErrorSettings): string {
  const told = bodiesWithHints(hints);
  const errors = known.errors.map(told);
  if (family === 'ads') return JSON.stringify({ errors, request: { params: truncatedParams(params) } });
  if (family === 'problem') return JSON.stringify(problemOf(known.status, errors, problemTypes));
  return JSON.stringify({ errors: errors.map(numbered) });
}

/** The form of the error bodies of a path. */
export const errorFormOf = (path: string): Form => (PROBLEMS.test(path) ? 'problem' : (familyOf(path) ?? 'auth'));

/** The path prefixes of endpoints with problem bodies. */
const PROBLEMS = /^\/(2|workbench)(\/|$)/;

/** Maximum number of errors of a batch that are reported in full. */
const MAX_REPORTED = 1_000;

/** The errors of every invalid operation; beyond MAX_REPORTED only the first one of each, in short form. */
function bodiesOf({ operations }: OperationErrors, hints: ErrorSettings['hints']): object[][] {
  const bodyOf = bodiesWithHints(hints);
  let told = 0;
  return operations.map((own) => {
    if (told >= MAX_REPORTED) return own.slice(0, 1).map((error) => error.toShortBody());
    told += own.length;
    return own.map(bodyOf);
  });
}

const echoedOperation = (operation: object) => {
  const { params, ...rest } = operation as { params: object };
  return { params: truncatedParams(params), ...truncatedParams(rest) };
};

type ErrorBody = ReturnType<ApiError['toBody']> & { hint?: string };

/** Errors thrown before the family is known (an unreadable body) have string codes; this family has numeric ones. */
const numbered = (body: ErrorBody): object =>
  typeof body.code === 'number' ? body : { code: 214, message: body.message, hint: body.hint };

const TITLES: Record<number, string> = {
  400: 'Invalid Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found Error',
  429: 'Too Many Requests',
};

/**
 * The problem body of the `/2` family: `type` distinguishes invalid requests from missing resources; for other errors
 * it is that of the status. `types` is the prefix of the URI.
 */
export function problemOf(status: number, errors: ErrorBody[], types?: string): object {
  const isMissing = status === 404 && errors.some(({ parameter }) => parameter !== undefined);
  const kind = status === 400 ? 'invalid-request' : isMissing ? 'resource-not-found' : undefined;
  const type = kind && types ? `${types}${kind}` : 'about:blank';
  return {
    title: TITLES[status] ?? STATUS_CODES[status] ?? 'Error',
    detail: errors[0].message,
    type,
    status,
    errors: errors.map(problemItem),
  };
}

/** The code of a missing parameter. */
const MISSING = 357;

function problemItem({ code, message, parameter, value, ...rest }: ErrorBody): object {
  const given = value === undefined || value === null ? [] : [value].flat();
  const values = given.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return {
    code: typeof code === 'number' ? code : code === 'MISSING_PARAMETER' ? MISSING : 214,
    message,
    ...(parameter !== undefined && { parameters: { [parameter]: values } }),
    ...rest,
  };
}

type Form = 'ads' | 'auth' | 'problem';

function asApiErrors(thrown: unknown, request: FastifyRequest, family: Form): ApiErrors {
  if (thrown instanceof ApiErrors) return thrown;
  if (thrown instanceof ApiError) return new ApiErrors([thrown]);
  return new ApiErrors([translated(thrown, request, family === 'ads')]);
}

function translated(thrown: unknown, request: FastifyRequest, ads: boolean): ApiError {
  const status =
    thrown instanceof HttpException ? thrown.getStatus() : (thrown as { statusCode?: number } | null)?.statusCode;
  const message = thrown instanceof Error ? thrown.message : 'The request is not valid';
  if (status === 404) return ads ? catalogue.routeNotFound() : catalogue.pageNotFound();
  if (status !== undefined && status >= 400 && status < 500) {
    return ads
      ? new ApiError(status, 'INVALID_PARAMETER', message, { parameter: 'request' })
      : new ApiError(status, 214, message);
  }
  if (isOutage(thrown)) {
    logger.warn({ err: thrown, requestId: request.id }, 'a store did not answer');
    return catalogue.unavailable(ads).because(`store-${outageWord(thrown)}`);
  }
  logger.error({ err: thrown, requestId: request.id }, 'a request failed');
  return ads ? catalogue.internalError() : catalogue.legacyInternalError();
}

/** Handles every error that guards, pipes, handlers and interceptors throw. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}
