import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../errors/api-error.js';

/** Why a request was rejected, and its sender as far as known: for the log, never for the client. */
interface Refused {
  /** One of a few words. */
  reason: string;
  /** The rate limit window that was full. */
  window?: string;
}

/** The first error of a response, for its log line. */
interface FirstError {
  code: string | number;
  parameter?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for responses that are errors. */
    firstError?: FirstError;
    /** Set for responses with 401, 403 or 429, and for 408 or 503 with a reason. */
    refused?: Refused;
  }
}

/** The sender of a request, verified or claimed: ids, never secrets. */
export interface Sender {
  application?: string;
  user?: string;
  token?: string;
  /** The whole key when it is known here, otherwise its beginning, since an unknown value may be anything. */
  consumer_key?: string;
  /** Seconds by which the timestamp was ahead of the service's clock. */
  ahead_seconds?: number;
}

/** Stores the error of a request and why it is rejected, for its log line. The default reason of an error is its code. */
export function noteRefusal(request: FastifyRequest, { status, code, reason, window, detail }: ApiError): void {
  request.firstError = { code, parameter: detail.parameter };
  // endpoints that return 403 for a full window have a window, too
  const isTold = status === 401 || status === 403 || status === 429;
  if (!isTold && !((status === 408 || status === 503) && reason !== undefined)) return;
  request.refused = { reason: reason ?? wordOf(code), ...(window !== undefined && { window }) };
}

/** Stores the first error of a stored response for its log line. */
export function noteStoredError(request: FastifyRequest, body: string): void {
  const { errors, operation_errors: ofOperations } = JSON.parse(body) as Partial<Record<string, FirstError[]>>;
  const [first] = (errors ?? ofOperations ?? []).flat();
  if (first) request.firstError = { code: first.code, parameter: first.parameter };
}

const wordOf = (code: string | number): string =>
  typeof code === 'number' ? `code-${code}` : code.toLowerCase().replaceAll('_', '-');
