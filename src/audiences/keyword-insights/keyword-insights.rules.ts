import { inSeconds } from '../../common/time/in-seconds.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalidTimeWindow } from '../../common/errors/catalogue.js';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const MAX_WINDOW_MS = 7 * DAY;
/** Tolerates the transit time of a request for the last seven days. */
const ON_ITS_WAY = 60 * SECOND;

const UNITS = { DAY, HOUR: 3_600 * SECOND } as const;

/** The time window and its units. */
export interface InsightsWindow {
  start: Date;
  /** End of the window, exclusive. */
  end: Date;
  /** The reported end, in seconds. */
  endTime: string;
  unitMs: number;
  /** Number of data points, one per unit. */
  units: number;
}

/** The end must be after the start, by at most 7 days. */
export function windowProblem(start: string, end: string, defaulted = false): ApiError | undefined {
  const length = Date.parse(end) - Date.parse(start);
  const what = defaulted ? 'end_time, which defaults to now,' : 'end_time';
  if (length <= 0) return invalidTimeWindow('end_time', `${what} must be after start_time`, end);
  if (length <= MAX_WINDOW_MS) return undefined;
  return invalidTimeWindow('end_time', `${what} must be at most 7 days after start_time`, end);
}

/** The default `end_time`: now. */
export function defaultEnd(start: string, now: Date): string {
  const latest = Date.parse(start) + MAX_WINDOW_MS;
  const late = now.getTime() - latest;
  return inSeconds(late > 0 && late <= ON_ITS_WAY ? new Date(latest) : now);
}

/** The window of a valid request. Without an end it ends now, within a second. */
export function insightsWindowOf(
  { start_time, end_time, granularity }: { start_time: string; end_time?: string; granularity: keyof typeof UNITS },
  now: Date,
): InsightsWindow {
  const start = new Date(start_time);
  const endTime = end_time ?? defaultEnd(start_time, now);
  const told = new Date(endTime);
  const unitMs = UNITS[granularity];
  const isNow = end_time === undefined && now.getTime() - told.getTime() < SECOND;
  return {
    start,
    end: isNow ? new Date(now.getTime() + 1) : told,
    endTime,
    unitMs,
    units: Math.ceil((told.getTime() - start.getTime()) / unitMs),
  };
}
