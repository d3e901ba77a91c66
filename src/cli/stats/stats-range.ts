import { DAY_MS, HOUR_MS } from '../../common/days.js';
import {
  momentOf,
  windowProblems,
  type AskedWindow,
  type Granularity,
  type Place,
} from '../../statistics/account-statistics/statistics-window.rules.js';
import { dayBeginningAt, localDay, startOfDay } from '../../statistics/time-zone.rules.js';
import { Refusal } from '../refusal.js';

/** The options of a time range. */
export interface GivenRange {
  days?: number;
  start?: string;
  end?: string;
  granularity: Granularity;
}

const DEFAULT_DAYS = 7;

/** The time range of these options: by default the last days of the account, including today. */
export function rangeOf({ days, start, end, granularity }: GivenRange, place: Place, maxDays: number): AskedWindow {
  const { timezone, now } = place;
  const dayOf = (ms: number) => localDay(timezone, ms);
  const iso = (ms: number) => new Date(ms).toISOString();
  const given = (time: string) => momentOf(time, timezone);
  const afterDays = (from: number, count: number) => startOfDay(timezone, dayOf(from) + count);
  // what has not happened yet is only a part of today
  const current = granularity === 'DAY' ? afterDays(now.getTime(), 1) : Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS;
  let last = end === undefined ? current : given(end);
  const first = start === undefined ? afterDays(last - 1, 1 - (days ?? DEFAULT_DAYS)) : given(start);
  if (start !== undefined && end === undefined && days !== undefined) last = afterDays(first, days);
  const range = { start_time: iso(first), end_time: iso(last), granularity };
  if (last <= first) throw new Refusal(`the end of the range, ${iso(last)}, is not after its start, ${iso(first)}`);
  if (last - first > maxDays * DAY_MS + HOUR_MS) throw new Refusal(`the range is longer than ${maxDays} days`);
  if (windowProblems(range, place, maxDays).length === 0) return range;
  for (const [option, ms] of [
    ['--start', first],
    ['--end', last],
  ] as const) {
    if (granularity === 'DAY' && dayBeginningAt(timezone, ms, now.getTime()) === undefined)
      throw new Refusal(
        `${option} must be a date, or midnight in ${timezone}; --granularity HOUR takes any whole hour`,
      );
  }
  throw new Refusal('--start and --end must be whole hours');
}
