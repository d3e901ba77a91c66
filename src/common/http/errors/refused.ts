import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../errors/api-error.js';

/** Why a request was refused, and whose it was, as far as that is known: for the log, never for the client. */
export interface Refused {
  /** One of few words. */
  reason: string;
  /** The rate limit window that was full. */
  window?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where a request is answered with 401, 403 or 429, or with 408 or 503 for a reason of its own. */
    refused?: Refused;
  }
}

/** Who a request is from, or says it is from; ids, and never what is secret about them. */
export interface Sender {
  application?: string;
  token?: string;
  /** The whole of one that is known here, else how it begins: what stands there may be anything. */
  consumer_key?: string;
  /** How far its timestamp was ahead of our clock, in seconds. */
  ahead_seconds?: number;
}

/** Remembers why a request is refused, for its line in the log. An error without a reason has its code for one. */
export function noteRefusal(request: FastifyRequest, { status, code, reason, window }: ApiError): void {
  // the endpoints that answer 403 to whoever asks too often have a window, too
  const isTold = status === 401 || status === 403 || status === 429;
  if (!isTold && !((status === 408 || status === 503) && reason !== undefined)) return;
  request.refused = { reason: reason ?? wordOf(code), ...(window !== undefined && { window }) };
}

const wordOf = (code: string | number): string =>
  typeof code === 'number' ? `code-${code}` : code.toLowerCase().replaceAll('_', '-');
