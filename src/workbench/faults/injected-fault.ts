import { randomInt } from 'node:crypto';
import type { Row } from '../../common/db/query/rows.js';
import type { DeliveryFault } from '../../webhooks/deliveries/delivery-faults.js';
import { eventKinds } from '../../webhooks/events/event-kinds.js';
import type { ConnectionFault, Fault, FaultPhase } from './fault.entity.js';
import { STATUS_CODES } from 'node:http';
import { rateLimited } from '../../auth/oauth-errors.js';
import { ApiError } from '../../common/errors/api-error.js';
import * as catalogue from '../../common/errors/catalogue.js';
import { errorFormOf } from '../../common/http/errors/error-response.js';

/** The header of a response that a fault changed. */
export const FAULT_HEADER = 'x-marquee-fault';

/** The fault of one request. */
export interface InjectedFault {
  /** The id of the fault, or `prefer`. */
  id: string;
  applied: FaultPhase;
  /** In milliseconds; 0 without one. */
  latencyMs: number;
  error?: { status: number; code: string | null };
  connection?: ConnectionFault;
  rateLimit?: {
    remaining: number;
    /** In seconds since the epoch. */
    resetAt: number;
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The fault of this request. */
    fault?: InjectedFault;
  }
}

/** The effect of a stored fault on one request. */
export function injectedBy(row: Row<Fault>): InjectedFault {
  const { id, applied, minLatencyMs: min, maxLatencyMs: max, errorStatus, errorCode, fault } = row;
  return {
    id,
    applied,
    latencyMs: min === null || max === null ? 0 : randomInt(min, max + 1),
    ...(errorStatus !== null && { error: { status: errorStatus, code: errorCode } }),
    ...(fault !== null && { connection: fault }),
    ...(row.rateLimitRemaining !== null && {
      rateLimit: {
        remaining: row.rateLimitRemaining,
        resetAt: Math.ceil(Date.parse(row.rateLimitResetAt!) / 1_000),
      },
    }),
  };
}

/** Codes of statuses: of advertising endpoints, and of all others. */
const CODES: Record<number, [ads: string, other: number]> = {
  400: ['INVALID_PARAMETER', 214],
  401: ['UNAUTHORIZED_ACCESS', 32],
  403: ['ACTION_NOT_ALLOWED', 220],
  404: ['NOT_FOUND', 34],
  408: ['CANCELLED_REQUEST', 214],
  429: ['TOO_MANY_REQUESTS', 88],
  500: ['INTERNAL_ERROR', 131],
  503: ['SERVICE_UNAVAILABLE', 130],
};

/** The time after which clients try again when a fault answers 429 or 503, in seconds. */
const RETRY_AFTER = 1;

/**
 * The error with this status, as the service itself answers it. A code of the wrong kind for the endpoint is replaced by
 * that of the status.
 */
export function injectedError(path: string, { status, code }: { status: number; code: string | null }): ApiError {
  const isAds = errorFormOf(path) === 'ads';
  const own = code !== null && /^\d/.test(code) !== isAds ? code : null;
  if (own === null && status === 429)
    return isAds ? catalogue.tooManyRequests('a fault of the workbench', RETRY_AFTER) : rateLimited(RETRY_AFTER);
  if (own === null && status === 503) return catalogue.unavailable(isAds);
  const [ads, other] = CODES[status] ?? CODES[status < 500 ? 400 : 500];
  const shownCode = isAds ? (own ?? ads) : Number(own ?? other);
  const headers = status === 429 || status === 503 ? { 'retry-after': `${RETRY_AFTER}` } : undefined;
  return new ApiError(status, shownCode, STATUS_CODES[status] ?? `Status ${status}`, {}, headers);
}

/** The time a reordered delivery without a latency waits for the next one, in milliseconds. */
const REORDER_MS = 10_000;

/** The effect of a stored fault on one delivery; undefined for a fault of requests. */
export function deliveryFaultOf({
  id,
  webhookFault: kind,
  minLatencyMs: min,
  maxLatencyMs: max,
}: Row<Fault>): DeliveryFault | undefined {
  if (kind === null) return undefined;
  const withoutLatency = kind === 'REORDER' ? REORDER_MS : 0;
  return { id, kind, waitMs: min === null || max === null ? withoutLatency : randomInt(min, max + 1) };
}

/** True if a kind is this one, or one of the entity before `.*`. */
export const matchesEvent = (event: string, kind: string): boolean =>
  event.endsWith('.*') ? kind.startsWith(event.slice(0, -1)) : kind === event;

export const isKnownEvent = (event: string): boolean => eventKinds().some((kind) => matchesEvent(event, kind));
