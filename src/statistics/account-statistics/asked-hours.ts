import type { Parsed } from '../../common/http/params/parsed.js';
import { momentOf, windowProblems, type TimeContext } from './statistics-window.rules.js';

/** Parameters with a time range of whole hours, or of quarters of them. */
interface RangedItem {
  start_time: string;
  end_time: string;
}

/** The parameters of a request and its time range in milliseconds, unless something is wrong with them. */
export function hoursOf<T extends RangedItem>(
  request: Parsed<T>,
  place: TimeContext,
  maxDays: number,
  unit: 'HOUR' | 'QUARTER_HOUR' = 'HOUR',
) {
  const times: RangedItem | undefined = request.known('start_time', 'end_time');
  const problems = times ? windowProblems({ ...times, granularity: unit }, place, maxDays) : [];
  const params = request.paramsUnless(problems);
  const [start, end] = [params.start_time, params.end_time].map((time) => momentOf(time, place.timezone));
  return { params, start, end };
}
