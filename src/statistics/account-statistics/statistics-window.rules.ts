import { inSeconds } from '../../common/time/in-seconds.js';
import { DAY_MS, HOUR_MS } from '../../common/time/days.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalidTimeWindow } from '../../common/errors/catalogue.js';
import { dayBeginningAt, localDay, offsetAt, startOfDay } from '../../common/time/time-zones.js';

/** The maximum time ranges, in days. */
export const MAX_WINDOW_DAYS = { request: 7, job: 90, segmentedJob: 45 } as const;

export type Granularity = 'HOUR' | 'DAY' | 'TOTAL';

/** The times of a request: UTC, or dates, which begin at midnight in the time zone of the account. */
export interface AskedWindow {
  start_time: string;
  end_time: string;
  granularity: Granularity;
}

/** Where and when somebody asks. */
export interface TimeContext {
  timezone: string;
  now: Date;
}

/** The time of a parameter, which may be a date of the account's time zone. */
export const momentOf = (given: string, timezone: string): number =>
  given.includes('T') ? Date.parse(given) : startOfDay(timezone, Date.parse(given) / DAY_MS);

const isWholeHour = (ms: number, timezone: string): boolean =>
  ms % HOUR_MS === 0 || (ms + offsetAt(timezone, ms)) % HOUR_MS === 0;

/** Times of a request that begin and end with a unit of time. */
interface AlignedWindow extends Omit<AskedWindow, 'granularity'> {
  granularity: Granularity | 'QUARTER_HOUR';
}

const QUARTER_MS = HOUR_MS / 4;

/** Everything that is wrong with the times of a request for at most `days` days. `longer` says what takes more days. */
export function windowProblems(
  asked: AlignedWindow,
  { timezone, now }: TimeContext,
  days: number,
  longer?: string,
): ApiError[] {
  const times = [asked.start_time, asked.end_time];
  const [start, end] = times.map((time) => momentOf(time, timezone));
  const names = ['start_time', 'end_time'];
  const problems: ApiError[] = [];
  const [first, last] =
    asked.granularity === 'DAY' ? [start, end].map((ms) => dayBeginningAt(timezone, ms, now.getTime())) : [];
  // midnight by the offset of a day and by the current one are the same day
  const isNoDay = first !== undefined && first === last;
  if (end <= start || isNoDay)
    problems.push(invalidTimeWindow('end_time', 'end_time must be after start_time', asked.end_time));
  if (end - start > days * DAY_MS + HOUR_MS)
    problems.push(
      invalidTimeWindow(
        'end_time',
        `The end_time can be a maximum of ${days}.days+1.hours after the start_time`,
        asked.end_time,
        longer,
      ),
    );
  if (asked.granularity === 'DAY') {
    for (const [i, day] of [first, last].entries())
      if (day === undefined) {
        // whole days around the times
        const midnight = inSeconds(startOfDay(timezone, localDay(timezone, [start, end][i]) + i));
        const message = `Expect time to be midnight in the account's local timezone for day granularity: in ${timezone}, such as ${midnight}`;
        problems.push(invalidTimeWindow(names[i], message, times[i]));
      }
    return problems;
  }
  const isQuarters = asked.granularity === 'QUARTER_HOUR';
  const message = isQuarters ? 'Time must be a quarter of an hour' : 'Time cannot be fractional hours';
  for (const [i, ms] of [start, end].entries())
    if (isQuarters ? ms % QUARTER_MS !== 0 : !isWholeHour(ms, timezone))
      problems.push(invalidTimeWindow(names[i], message, times[i]));
  return problems;
}

/** The beginnings of the units of valid times, and the end of the last one. */
export function boundsOf(asked: AskedWindow, { timezone, now }: TimeContext): number[] {
  const [start, end] = [asked.start_time, asked.end_time].map((time) => momentOf(time, timezone));
  if (asked.granularity === 'TOTAL') return [start, end];
  if (asked.granularity === 'HOUR')
    return Array.from({ length: Math.ceil((end - start) / HOUR_MS) + 1 }, (_, i) => Math.min(start + i * HOUR_MS, end));
  const [first, last] = [start, end].map((ms) => dayBeginningAt(timezone, ms, now.getTime())!);
  return Array.from({ length: last - first + 1 }, (_, i) => startOfDay(timezone, first + i));
}
