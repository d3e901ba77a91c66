import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpException, Logger } from '@nestjs/common';
import { sqlStateOf } from '../db/query/sqlstate.js';
import { ApiError, ApiErrors, OperationErrors } from '../errors/api-error.js';
import { Unavailable } from '../errors/unavailable.js';
import * as catalogue from '../errors/catalogue.js';
import { echoOf } from './params.js';
import { familyOf } from './public-urls.js';

const logger = new Logger('Errors');

declare module 'fastify' {
  interface FastifyRequest {
    /** The parameters of the path may be echoed: the caller has access to what they name. */
    echoesPath?: boolean;
  }
}

/** The one writer of error bodies, for whatever was thrown wherever, in the form of the endpoint's family. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const path = request.url.split('?', 1)[0];
  const family = /^\/2(\/|$)/.test(path) ? 'problem' : (familyOf(path) ?? 'auth');
  const known = thrown instanceof OperationErrors ? thrown : asApiErrors(thrown, request, family);
  if (reply.sent || reply.raw.headersSent) return;

  if (known instanceof OperationErrors) {
    reply.status(400).send({
      operation_errors: known.operations.map((own) => own.map((error) => error.toBody())),
      request: known.request,
    });
    return;
  }
  for (const error of known.errors)
    for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
  if (known.status === 401)
    reply.header('www-authenticate', path.startsWith('/2/') ? 'Bearer' : 'OAuth realm="marquee"');
  reply.status(known.status).type('application/json; charset=utf-8');
  const errors = known.errors.map((error) => bodyOf(error, family));
  if (family === 'ads') {
    // Parameters are read only for those who may ask; the path can name what is not the caller's.
    const named = request.echoesPath ? (request.params as object) : {};
    const params = { ...echoOf(request.query), ...echoOf(request.body), ...named };
    reply.send(JSON.stringify({ errors, request: { params } }));
  } else if (family === 'problem') {
    reply.send(JSON.stringify(problemOf(known.status, errors)));
  } else {
    reply.send(JSON.stringify({ errors }));
  }
}

/** What is refused before a family has its say (a body that cannot be read) has a word for a code; here codes are numbers. */
function bodyOf(error: ApiError, family: Form) {
  const body = error.toBody();
  return family === 'ads' || typeof body.code === 'number' ? body : { code: 214, message: body.message };
}

const TITLES: Record<number, string> = {
  400: 'Invalid Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found Error',
  429: 'Too Many Requests',
};

/** The problem body of the `/2` family. */
export function problemOf(status: number, errors: { message: string }[]): object {
  return { title: TITLES[status] ?? 'Error', detail: errors[0].message, type: 'about:blank', status, errors };
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
    return ads ? catalogue.serviceUnavailable() : new ApiError(503, 130, 'Over capacity', {}, { 'retry-after': '1' });
  }
  logger.error({ err: thrown, requestId: request.id }, 'a request failed');
  return ads ? catalogue.internalError() : catalogue.numberedInternalError();
}

/** SQLSTATEs: timeouts, conflicts that outlasted their retries, and a store that is away or full. Come back later. */
const OUTAGES = /^(57014|40001|40P01|57P0[1-5]|53\d{3}|08\d{3}|25P03)$/;
/** What the system says of a connection that cannot be had, or is lost. */
const LOST = /^(ECONN\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

function isOutage(thrown: unknown): boolean {
  if (thrown instanceof Unavailable) return true;
  const { code } = sqlStateOf(thrown);
  if (code && OUTAGES.test(code)) return true;
  // system errors carry their code without a severity; of several addresses that were tried none answered
  const { code: system } = (thrown ?? {}) as { code?: unknown };
  if (typeof system === 'string' && LOST.test(system)) return true;
  return (
    thrown instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error/.test(
      thrown.message,
    )
  );
}
