import { ApiError } from '../../common/errors/api-error.js';
import { invalid, invalidTimeWindow } from '../../common/errors/catalogue.js';
import { DAY_MS, MINUTE_MS } from '../../common/time/days.js';

const WRITTEN = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})$/;

/** A minute in UTC, `yyyymmddhhmm`; the value is that text. Dates that do not exist are rejected. */
export const isMinute = (text: string): boolean => WRITTEN.test(text) && writtenMinute(momentOf(text)) === text;

/** The start of a minute in that format. */
function momentOf(minute: string): Date {
  const [year, month, day, hour, at] = WRITTEN.exec(minute)!.slice(1).map(Number);
  return new Date(Date.UTC(year, month - 1, day, hour, at));
}

/** A time's minute in that format. */
export const writtenMinute = (moment: Date): string => moment.toISOString().slice(0, 16).replace(/\D/g, '');

/** The replayed time window; the start is inclusive, the end exclusive. */
export interface ReplayWindow {
  from: Date;
  to: Date;
}

/** The window between two minutes, both inclusive. */
export const replayWindowOf = (fromDate: string, toDate: string): ReplayWindow => ({
  from: momentOf(fromDate),
  to: new Date(momentOf(toDate).getTime() + MINUTE_MS),
});

/** The window must lie in the past 24 hours, counted from the current minute. */
export function problemsOfWindow(fromDate: string, toDate: string, now: Date): ApiError[] {
  const [from, to] = [momentOf(fromDate), momentOf(toDate)];
  const thisMinute = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  const problems: ApiError[] = [];
  if (from.getTime() < thisMinute - DAY_MS) {
    const earliest = writtenMinute(new Date(thisMinute - DAY_MS));
    problems.push(
      invalid('from_date', `from_date must be within the past 24 hours, ${earliest} at the earliest`, {
        value: fromDate,
      }),
    );
  }
  if (to > now)
    problems.push(invalid('to_date', `to_date must not be later than now, ${writtenMinute(now)}`, { value: toDate }));
  if (to <= from) problems.push(invalidTimeWindow('to_date', `to_date must be after from_date, ${fromDate}`, toDate));
  return problems;
}
