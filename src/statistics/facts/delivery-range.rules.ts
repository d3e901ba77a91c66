import { HOUR_MS } from '../../common/time/days.js';
import { lastFirstHour, nextFirstHour } from '../../common/time/time-zones.js';

/** A range of hours, in ISO 8601: start inclusive, end exclusive. */
export interface DeliveryRange {
  start: string;
  end: string;
  /** The beginning of the first whole local day in the range, and the end of the last one; absent without such a day. */
  days?: { start: string; end: string };
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** The range from one time to another, in milliseconds. Only whole hours begin in it: it may begin and end at half past. */
export function deliveryRangeOf(start: number, end: number, timezone: string): DeliveryRange {
  const [first, last] = [start, end].map((ms) => Math.ceil(ms / HOUR_MS) * HOUR_MS);
  const days = { start: nextFirstHour(timezone, first), end: lastFirstHour(timezone, last) };
  return {
    start: iso(first),
    end: iso(last),
    ...(days.start < days.end && { days: { start: iso(days.start), end: iso(days.end) } }),
  };
}

/** The range of all local days that have a part of the range from one time to another, in milliseconds. */
export function wholeDaysOf(start: number, end: number, timezone: string): DeliveryRange {
  const inner = deliveryRangeOf(start, end, timezone);
  const [first, last] = [Date.parse(inner.start), Date.parse(inner.end)];
  return { ...inner, start: iso(lastFirstHour(timezone, first)), end: iso(nextFirstHour(timezone, last)) };
}

/** The two parts of a range that begins and ends with a local day, each of whole local days; undefined for one day. */
export function halvesOf(range: DeliveryRange, timezone: string): [DeliveryRange, DeliveryRange] | undefined {
  const [start, end] = [Date.parse(range.start), Date.parse(range.end)];
  const middle = lastFirstHour(timezone, (start + end) / 2);
  const cut = middle > start ? middle : nextFirstHour(timezone, start + 1);
  if (cut >= end) return undefined;
  const part = (from: number, to: number): DeliveryRange => {
    const [first, last] = range.days ? [Math.max(from, Date.parse(range.days.start)), Math.min(to, Date.parse(range.days.end))] : [to, to]; // prettier-ignore
    return { start: iso(from), end: iso(to), ...(first < last && { days: { start: iso(first), end: iso(last) } }) };
  };
  return [part(start, cut), part(cut, end)];
}
