import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { requirePermission } from '../../accounts/access/permission.js';
import { isInForce, sinceDate } from '../../common/as-of/dated-changes.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import type { StatisticsParameters } from './account-statistics.dto.js';
import { SEGMENTATION_TYPES, type SegmentationType } from './segmentation.js';
import { STATISTICS_PLACEMENTS } from './statistics-words.js';
import { momentOf, windowProblems, type TimeContext } from './statistics-window.rules.js';

/**
 * The parameters of a request for statistics of at most so many days; `longer` says what takes more. Throws everything
 * that is wrong with them, and ACTION_NOT_ALLOWED if the role of the caller does not see paid statistics and the request
 * is for some.
 */
export function validStatistics<T extends Asked>(
  account: ActingAccount,
  request: Parsed<T>,
  place: TimeContext,
  maxDays: number,
  longer?: string,
): T {
  if (request.value('entity') !== 'ORGANIC_POST') requirePermission(account.role, PAID_STATISTICS_READ);
  const asked = request.known('start_time', 'end_time', 'granularity');
  return request.paramsUnless([
    ...(asked ? windowProblems(asked, place, maxDays, longer) : []),
    ...datedProblems(account, request),
  ]);
}

type Asked = StatisticsParameters & { segmentation_type?: string };

/** The segments that X still has. */
const CURRENT_SEGMENTS: ReadonlySet<string> = new Set<SegmentationType>([
  'AGE',
  'CONVERSION_TAGS',
  'GENDER',
  'METROS',
  'PLATFORMS',
]);

/** Values that X no longer takes at the date of the request. */
function datedProblems<T extends Asked>({ asOf }: Pick<ActingAccount, 'asOf'>, request: Parsed<T>): ApiError[] {
  const [type, placement] = [request.value('segmentation_type'), request.value('placement')];
  const known: readonly string[] = SEGMENTATION_TYPES;
  return [
    ...(type !== undefined && known.includes(type) && !CURRENT_SEGMENTS.has(type) && isInForce('FEWER_SEGMENTS', asOf)
      ? [noLonger('segmentation_type', type, [...CURRENT_SEGMENTS], sinceDate('FEWER_SEGMENTS', asOf))]
      : []),
    ...(placement === 'PUBLISHER_NETWORK' && isInForce('NO_NETWORK_STATISTICS', asOf)
      ? [
          noLonger(
            'placement',
            placement,
            STATISTICS_PLACEMENTS.filter((each) => each !== placement),
            sinceDate('NO_NETWORK_STATISTICS', asOf),
          ),
        ]
      : []),
  ];
}

const noLonger = (name: string, value: string, allowed: readonly string[], details: string): ApiError =>
  invalid(name, `Expected a value in ${allowed.join(', ')}, got "${value}" for ${name}`, { value, details });

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
