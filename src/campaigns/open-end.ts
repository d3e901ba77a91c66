import type { ActingAccount } from '../accounts/access/acting-account.js';
import { isInForce } from '../common/as-of/dated-changes.js';
import { wireTime } from '../common/db/postgres/type-parsers.js';

/** The end of a flight without one. In every time zone its year has four digits. */
export const OPEN_END = '9999-12-30T00:00:00Z';

const OPEN_END_MS = Date.parse(OPEN_END);

/** The end of a flight in the history and in events: null without one. */
export const endInHistory = (end: string | null): string | null =>
  end === null || isOpenEnd(end) ? null : wireTime(end);

/** Whether a flight has no end. */
export const isOpenEnd = (end: string): boolean => Date.parse(end) === OPEN_END_MS;

/** The end of a flight in answers: null without one, from the change of X on. */
export function endInAnswers(end: string, { asOf }: Pick<ActingAccount, 'asOf'>): string | null {
  const time = wireTime(end);
  return isInForce('OPEN_FLIGHTS', asOf) && time === OPEN_END ? null : time;
}
