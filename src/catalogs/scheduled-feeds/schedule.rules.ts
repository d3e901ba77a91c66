import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, missing } from '../../common/errors/catalogue.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/days.js';
import { firstMomentOf, localDay, mainTimeZone } from '../../common/time/time-zones.js';
import type { FeedFrequency } from '../entities/scheduled-feed.entity.js';

/** When a feed is fetched. */
export interface Schedule {
  frequency: FeedFrequency;
  /** A weekday, or a number of hours; null for DAILY. */
  repeat: string | null;
  /** HH:MM. */
  startTime: string;
  timeZone: string;
}

const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
/** Of January 1, 1970. */
const THURSDAY = 3;
const HOURS = ['1', '2', '3', '4', '6', '8', '12'];

/**
 * `repeat` as it is stored: HOURLY feeds have 1 by default, WEEKLY ones need a weekday, and DAILY ones have none. An error
 * for another value.
 */
export function repeatOf(frequency: FeedFrequency, given: string | null | undefined): string | null | ApiError {
  if (frequency === 'DAILY')
    return given === null || given === undefined
      ? null
      : invalid('repeat', `setting repeat is not allowed for the frequency DAILY, got ${given}`, { value: given });
  const allowed = frequency === 'HOURLY' ? HOURS : WEEKDAYS;
  const value = (given ?? (frequency === 'HOURLY' ? '1' : undefined))?.toUpperCase();
  if (value === undefined)
    return missing('repeat', `one of ${WEEKDAYS.join(', ')}: a feed of the frequency WEEKLY needs it`);
  if (allowed.includes(value)) return value;
  return invalid(
    'repeat',
    `Expected one of ${allowed.join(', ')} for repeat of the frequency ${frequency}, got ${given}`,
    {
      value: given,
    },
  );
}

/**
 * The first time after `after` at which a feed is due, in milliseconds. DAILY and WEEKLY feeds are due at the start time of
 * the clocks of the time zone, once, also when clocks change. HOURLY ones are due then and each so many hours later, until
 * the start time of the next day.
 */
export function nextDue({ frequency, repeat, startTime, timeZone }: Schedule, after: number): number {
  const zone = mainTimeZone(timeZone)!;
  const [hours, minutes] = startTime.split(':').map(Number);
  const startOf = (day: number) => firstMomentOf(zone, day * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS);
  for (let day = localDay(zone, after) - 1; ; day++) {
    const start = startOf(day);
    if (frequency === 'HOURLY') {
      const step = Number(repeat) * HOUR_MS;
      const due = start + Math.max(0, Math.floor((after - start) / step) + 1) * step;
      if (due < startOf(day + 1)) return due;
    } else if (start > after && (frequency === 'DAILY' || WEEKDAYS[(day + THURSDAY) % 7] === repeat)) return start;
  }
}
