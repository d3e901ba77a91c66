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
