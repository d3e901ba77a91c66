import { wireTime } from '../../common/db/postgres/stored-times.js';
import { invalidTimeWindow } from '../../common/errors/catalogue.js';
import type { ValidityWindow } from './membership.rules.js';

/** When the membership of uploaded users begins and ends, as sent. */
interface SentWindow {
  effective_at?: string;
  expires_at?: string;
}

/** The default expiry of a membership. */
function inThirteenMonths(now: Date): Date {
  const then = new Date(now);
  then.setUTCMonth(now.getUTCMonth() + 13);
  // the month may have no such day: then its last one
  if (then.getUTCDate() !== now.getUTCDate()) then.setUTCDate(0);
  return then;
}

const timeOf = (moment: number): string => wireTime(new Date(moment).toISOString());

function windowOf({ effective_at, expires_at }: SentWindow, now: Date): ValidityWindow {
  const effectiveAt = effective_at === undefined ? now.getTime() : Date.parse(effective_at);
  const expiresAt = expires_at === undefined ? inThirteenMonths(now).getTime() : Date.parse(expires_at);
  return { effectiveAt, expiresAt };
}

/** The membership window of users of a custom audience. */
export function windowInAudience(sent: SentWindow, now: Date): ValidityWindow {
  const window = windowOf(sent, now);
  if (window.expiresAt > window.effectiveAt) return window;
  const { effective_at: from, expires_at: until } = sent;
  if (until !== undefined)
    throw invalidTimeWindow(
      'expires_at',
      `expires_at must be later than effective_at, ${from ?? `which defaults to now, ${timeOf(window.effectiveAt)}`}`,
      until,
    );
  throw invalidTimeWindow(
    'effective_at',
    `effective_at must be earlier than expires_at, which defaults to 13 months from now, ${timeOf(window.expiresAt)}`,
    from,
  );
}

/** The membership window of users of a do-not-reach list: it begins now and ends within 13 months. */
export function windowInList({ expires_at }: Pick<SentWindow, 'expires_at'>, now: Date): ValidityWindow {
  const window = windowOf({ expires_at }, now);
  if (window.expiresAt <= window.effectiveAt)
    throw invalidTimeWindow(
      'expires_at',
      `expires_at must be later than now, ${timeOf(window.effectiveAt)}`,
      expires_at,
    );
  const latest = inThirteenMonths(now).getTime();
  if (window.expiresAt > latest)
    throw invalidTimeWindow(
      'expires_at',
      `expires_at must be within 13 months, ${timeOf(latest)} at the latest`,
      expires_at,
    );
  return window;
}
