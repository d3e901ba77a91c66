import { NoAnswer, Unavailable } from '../errors/unavailable.js';

/** The machine-readable fields of a database error. */
export interface SqlState {
  /** Five characters, such as 23505. */
  code?: string;
  constraint?: string;
  table?: string;
}

/**
 * Reads an error of pg, of TypeORM or of the embedded store, which have three classes but the same fields. Empty for
 * any other error: system errors have a `code` too (EPIPE), but no severity.
 */
export function sqlStateOf(error: unknown): SqlState {
  const { code, severity, constraint, table } = (error ?? {}) as Record<string, unknown>;
  if (typeof severity !== 'string' || typeof code !== 'string') return {};
  return {
    code,
    ...(typeof constraint === 'string' && { constraint }),
    ...(typeof table === 'string' && { table }),
  };
}

/**
 * The error of a connection that was lost or not opened. pg has no class for it, and its texts change; what the server itself said
 * has an SQLSTATE and stays.
 */
export function asNoAnswer(error: Error): Error {
  if (error instanceof Unavailable || sqlStateOf(error).code !== undefined) return error;
  return new NoAnswer(error.message, { cause: error });
}

/** System errors for an unreachable server: nothing listens, or its name or the route to it is unknown. */
export const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
