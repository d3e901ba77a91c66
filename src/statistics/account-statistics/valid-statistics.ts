import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { requirePermission } from '../../accounts/access/permission.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import type { StatisticsParameters } from './account-statistics.dto.js';
import { windowProblems, type TimeContext } from './statistics-window.rules.js';

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
