import { QueryFailedError } from 'typeorm';
import { Unavailable } from '../../errors/unavailable.js';
import { UNREACHABLE } from '../unreachable.js';
import { sqlStateOf } from './sqlstate.js';

/** SQLSTATEs: timeouts, locks that others held too long, conflicts that outlasted their retries, and a store that is away, full or a standby. Come back later. */
const OUTAGES = /^(57014|25006|55P03|40001|40P01|57P0[1-5]|53\d{3}|08\d{3}|25P03)$/;
/** What the system says of a connection that is lost; of one that cannot be had it says one of UNREACHABLE. */
const LOST = /^(ECONN\w+|EPIPE)$/;

/** Whether something failed because a store is away, busy or locked, and not because of what was asked of it. */
export function isOutage(thrown: unknown): boolean {
  // TypeORM puts an error of its own around those of its own statements
  if (thrown instanceof QueryFailedError) return isOutage(thrown.driverError);
  if (thrown instanceof Unavailable) return true;
  const { code } = sqlStateOf(thrown);
  if (code && OUTAGES.test(code)) return true;
  // system errors carry their code without a severity; of several addresses that were tried none answered
  const { code: system } = (thrown ?? {}) as { code?: unknown };
  if (typeof system === 'string' && (UNREACHABLE.has(system) || LOST.test(system))) return true;
  return (
    thrown instanceof Error &&
    /timeout exceeded when trying to connect|timeout expired|Connection terminated|Client was closed|Client has encountered a connection error/.test(
      thrown.message,
    )
  );
}
