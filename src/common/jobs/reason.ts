import { sqlStateOf } from '../db/sqlstate.js';

const MAX_REASON_LENGTH = 300;

/**
 * The reason of a failure, for the log and the job's row. Database errors may quote values, including payloads, so that
 * only their codes are reported.
 */
export function failureReasonOf(error: unknown): string {
  const { code, constraint, table } = sqlStateOf(error);
  if (code) {
    const about = [constraint, table].filter(Boolean).join(' on ');
    return `The database answered ${code}${about && ` (${about})`}.`;
  }
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH)}...` : text;
}
