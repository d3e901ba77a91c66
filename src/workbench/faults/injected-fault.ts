import { randomInt } from 'node:crypto';
import type { Row } from '../../common/db/query/rows.js';
import type { ConnectionFault, Fault, FaultPhase } from './fault.entity.js';

/** The header of a response that a fault changed. */
export const FAULT_HEADER = 'x-marquee-fault';

/** What happens to one request. */
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

/** What a stored fault does to one request. */
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
