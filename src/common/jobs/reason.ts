import { sqlStateOf } from '../db/query/sqlstate.js';

const MAX_REASON_LENGTH = 300;

/**
 * Why something failed, for the log and for the job's row. What the database says may quote values, of payloads too, so
 * of its errors only what has a code is told.
 */
export function reasonOf(error: unknown): string {
  const { code, constraint, table } = sqlStateOf(error);
  if (code) {
    const about = [constraint, table].filter(Boolean).join(' on ');
    return `The database answered ${code}${about && ` (${about})`}.`;
  }
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH)}...` : text;
}
