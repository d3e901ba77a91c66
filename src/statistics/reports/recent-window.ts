import { HOUR_MS } from '../../common/time/days.js';
import { inSeconds, type AskedWindow, type TimeContext } from '../account-statistics/statistics-window.rules.js';
import { localDay, offsetAt, startOfDay } from '../time-zone.rules.js';

/** The last hours until now, the current one included. */
export function recentHours(hours: number, { now }: TimeContext): AskedWindow {
  const end = Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS;
  return { start_time: inSeconds(end - hours * HOUR_MS), end_time: inSeconds(end), granularity: 'HOUR' };
}

/** The last days of a time zone, today included. */
export function recentDays(days: number, { timezone, now }: TimeContext): AskedWindow {
  const [start, end] = [1 - days, 1].map((count) => startOfDay(timezone, localDay(timezone, now.getTime()) + count));
  return { start_time: inSeconds(start), end_time: inSeconds(end), granularity: 'DAY' };
}

/** A time in a time zone, as ISO 8601 without an offset and seconds; midnight is a date. */
export function localTime(ms: number, timezone: string): string {
  const local = new Date(ms + offsetAt(timezone, ms)).toISOString();
  return local.slice(11, 16) === '00:00' ? local.slice(0, 10) : `${local.slice(0, 10)} ${local.slice(11, 16)}`;
}
