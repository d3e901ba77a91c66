import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { requirePermission } from '../../accounts/access/permission.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import type { StatisticsParameters } from './account-statistics.dto.js';
import { momentOf, windowProblems, type TimeContext } from './statistics-window.rules.js';

/**
 * The parameters of a request for statistics of at most so many days; `longer` says what takes more. Throws everything
 * that is wrong with them, and ACTION_NOT_ALLOWED if the role of the caller does not see paid statistics and the request
 * is for some.
 */
export function validStatistics<T extends StatisticsParameters>(
  account: ActingAccount,
  request: Parsed<T>,
  place: TimeContext,
  maxDays: number,
  longer?: string,
): T {
  if (request.value('entity') !== 'ORGANIC_POST') requirePermission(account.role, PAID_STATISTICS_READ);
  const asked = request.known('start_time', 'end_time', 'granularity');
  return request.paramsUnless(asked ? windowProblems(asked, place, maxDays, longer) : []);
}

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
