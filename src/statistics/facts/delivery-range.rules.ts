import { HOUR_MS } from '../../common/days.js';
import { lastFirstHour, nextFirstHour } from '../time-zone.rules.js';

/** A range of hours, in ISO 8601: start inclusive, end exclusive. */
export interface DeliveryRange {
  start: string;
  end: string;
  /** The beginning of the first whole local day in the range, and the end of the last one; absent without such a day. */
  days?: { start: string; end: string };
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** The range from one time to another, in milliseconds. Only whole hours begin in it: it may begin and end at half past. */
export function rangeOf(start: number, end: number, timezone: string): DeliveryRange {
  const [first, last] = [start, end].map((ms) => Math.ceil(ms / HOUR_MS) * HOUR_MS);
  const days = { start: nextFirstHour(timezone, first), end: lastFirstHour(timezone, last) };
  return {
    start: iso(first),
    end: iso(last),
    ...(days.start < days.end && { days: { start: iso(days.start), end: iso(days.end) } }),
  };
}
