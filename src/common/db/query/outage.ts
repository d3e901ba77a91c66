import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { Unavailable } from '../../errors/unavailable.js';
import { sqlStateOf, UNREACHABLE } from '../sqlstate.js';

/**
 * SQLSTATEs of temporary failures: timeouts, locks held too long, conflicts after all retries, and a store that is
 * unavailable, full or a standby.
 */
const OUTAGES = /^(57014|25006|55P03|40001|40P01|57P0[1-5]|53\d{3}|08[0-9A-Z]{3}|25P03)$/;
/** System errors of a lost connection; those of a failed connection attempt are UNREACHABLE. */
const LOST = /^(ECONN\w+|EPIPE)$/;

/**
 * Whether an error means that a store is unavailable, busy or locked, rather than that the statement is wrong. Connections and pools
 * report a loss as NoAnswer. TypeORM releases the connection of a transaction when it is lost, and rejects what follows.
 */
export function isOutage(thrown: unknown): boolean {
  // TypeORM wraps errors of its own statements
  if (thrown instanceof QueryFailedError) return isOutage(thrown.driverError);
  if (thrown instanceof Unavailable || RELEASED.some((kind) => thrown instanceof kind)) return true;
  const { code } = sqlStateOf(thrown);
  if (code && OUTAGES.test(code)) return true;
  // system errors have a code without a severity; an attempt with several addresses failed for all of them
  const { code: system } = (thrown ?? {}) as { code?: unknown };
  return typeof system === 'string' && (UNREACHABLE.has(system) || LOST.test(system));
}

const RELEASED = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

/** An outage in a word: its SQLSTATE, or the code of a system error. */
export function outageWord(thrown: unknown): string {
  if (thrown instanceof QueryFailedError) return outageWord(thrown.driverError);
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^\w+$/.test(code) ? code.toLowerCase() : 'no-answer';
}
