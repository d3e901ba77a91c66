import type { ApiError } from '../../common/errors/api-error.js';
import { invalidTimeWindow } from '../../common/errors/catalogue.js';
import { DAY_MS, HOUR_MS } from '../../common/time/days.js';
import {
  boundsOf,
  MAX_WINDOW_DAYS,
  windowProblems,
  type Granularity,
} from '../account-statistics/statistics-window.rules.js';
import type { GetMediaAnalytics, MediaGranularity } from './media-analytics.dto.js';

type AskedTimes = Pick<GetMediaAnalytics, 'start_time' | 'end_time' | 'granularity'>;

const UNITS: Readonly<Record<MediaGranularity, Granularity>> = { hourly: 'HOUR', daily: 'DAY', total: 'TOTAL' };

/** Files belong to no account, so that no time zone decides when a day begins. */
const placeOf = (now: Date) => ({ timezone: 'UTC', now });

/** Everything that is wrong with the times of a request for media analytics. */
export function mediaWindowProblems(asked: AskedTimes, now: Date): ApiError[] {
  const { granularity } = asked;
  const [days, longer] =
    granularity === 'hourly'
      ? [MAX_WINDOW_DAYS.request, `granularity=daily takes up to ${MAX_WINDOW_DAYS.job} days`]
      : [MAX_WINDOW_DAYS.job];
  const names = granularity === 'daily' ? (['start_time', 'end_time'] as const) : [];
  return [
    ...windowProblems({ ...asked, granularity: 'TOTAL' }, placeOf(now), days, longer),
    ...names
      .filter((name) => Date.parse(asked[name]) % HOUR_MS === 0 && Date.parse(asked[name]) % DAY_MS !== 0)
      .map((name) => invalidTimeWindow(name, 'Time must be midnight in UTC for daily granularity', asked[name])),
  ];
}

/** The beginnings of the units of valid times, and the end of the last one. */
export const mediaBounds = ({ granularity, ...times }: AskedTimes, now: Date): number[] =>
  boundsOf({ ...times, granularity: UNITS[granularity] }, placeOf(now));
