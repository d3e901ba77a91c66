import { invalid } from '../../common/errors/catalogue.js';

/** How far a clock may be from the time of the service at first, and how far it advances at once. */
const MAX_YEARS = 2;

/** 400 for the time of a new clock that is too far from now. */
export function requireNear(frozenTime: string, now: Date): void {
  const at = new Date(frozenTime);
  if (at >= yearsFrom(now, -MAX_YEARS) && at <= yearsFrom(now, MAX_YEARS)) return;
  throw invalid(
    'frozen_time',
    `Expected a time at most ${MAX_YEARS} years from now for frozen_time, got ${frozenTime}`,
    { value: frozenTime },
  );
}

/** 400 unless a clock may advance to this time. */
export function requireAdvance(current: string, target: string): void {
  const [from, to] = [new Date(current), new Date(target)];
  const last = yearsFrom(from, MAX_YEARS);
  if (to > from && to <= last) return;
  throw invalid(
    'frozen_time',
    to > from
      ? `Expected a time until ${last.toISOString()}, ${MAX_YEARS} years after that of the clock, for frozen_time, got ${target}`
      : `Expected a time after ${from.toISOString()}, that of the clock, for frozen_time, got ${target}: a clock cannot be set back`,
    { value: target },
  );
}

function yearsFrom(time: Date, years: number): Date {
  const moved = new Date(time);
  moved.setUTCFullYear(time.getUTCFullYear() + years);
  return moved;
}
