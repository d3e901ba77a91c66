import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { wireTime } from '../../common/db/postgres/stored-times.js';
import { DAY_MS } from '../../common/time/days.js';
import { closedSet } from '../../common/values/closed-set.js';
import type { Objective } from '../entities/line-item.tables.js';
import { ALL_USERS, type TestedEntity } from './ab-test.entity.js';

export const TEST_STATUSES = closedSet('AbTestStatus', ['COMPLETED', 'LIVE', 'SCHEDULED']);
export type TestStatus = (typeof TEST_STATUSES)[number];

/** Minimum and maximum number of groups. */
export const GROUPS = { min: 2, max: 30 };
const MAX_LINE_ITEM_GROUPS = 5;
const MIN_DAYS = 1;
/** Apps are measured longer. */
const MIN_DAYS_OF_APPS = 5;
const APP_OBJECTIVES: readonly (Objective | null)[] = ['APP_ENGAGEMENTS', 'APP_INSTALLS'];

interface Times {
  startTime: string;
  endTime: string;
}

/** The state of a test at a time of its account. */
export function statusAt({ startTime, endTime }: Times, now: Date): TestStatus {
  if (now.getTime() < Date.parse(startTime)) return 'SCHEDULED';
  return now.getTime() < Date.parse(endTime) ? 'LIVE' : 'COMPLETED';
}

/** A size such as "33.3" in hundredths of a percent. */
export const sizeOf = (text: string): number => Math.round(Number(text) * 100);

/** The same as responses write it: with one decimal, or two. */
export const sizeText = (size: number): string => (size / 100).toFixed(2).replace(/0$/, '');

/** A campaign or line item of a test. */
export interface Tested {
  id: string;
  campaignId: string;
  objective: Objective | null;
  /** The flight; null for a campaign that has none. */
  startTime: string | null;
  endTime: string | null;
}

/** A test as it would be stored. */
export interface PlannedTest extends Times {
  entityType: TestedEntity;
  groups: readonly { entityIds: readonly string[]; size: number }[];
}

/** The errors of the times of a test: it begins in the future and runs for a while in all flights. */
export function timeProblems(test: Times, tested: readonly Tested[], now: Date, isLive: boolean): ApiError[] {
  const [start, end] = [Date.parse(test.startTime), Date.parse(test.endTime)];
  const days = tested.some(({ objective }) => APP_OBJECTIVES.includes(objective)) ? MIN_DAYS_OF_APPS : MIN_DAYS;
  const problem = (parameter: 'start_time' | 'end_time', message: string) =>
    invalid(parameter, message, { value: wireTime(new Date(parameter === 'start_time' ? start : end)) });
  const without = tested.find((each) => each.startTime === null || each.endTime === null);
  const outside = tested.find(({ startTime }) => startTime !== null && Date.parse(startTime) > start);
  const endsBefore = tested.find(({ endTime }) => endTime !== null && Date.parse(endTime) < end);
  return [
    ...(!isLive && start <= now.getTime() ? [problem('start_time', 'start_time must be in the future')] : []),
    ...(isLive && end <= now.getTime() ? [problem('end_time', 'end_time must be in the future')] : []),
    ...(end - start < days * DAY_MS
      ? [problem('end_time', `end_time must be at least ${days} ${days === 1 ? 'day' : 'days'} after start_time`)]
      : []),
    ...(without && !isLive ? [invalid('user_groups', `${without.id} has no line item, so it has no flight`)] : []),
    ...(outside && !isLive ? [problem('start_time', `The flight of ${outside.id} does not include start_time`)] : []),
    ...(endsBefore ? [problem('end_time', `The flight of ${endsBefore.id} does not include end_time`)] : []),
  ];
}

/** The errors of groups of known entities. `ofCampaign`: all line items of the campaign of the first one. */
export function groupProblems(
  { entityType, groups }: PlannedTest,
  tested: readonly Tested[],
  ofCampaign: readonly string[],
): ApiError[] {
  const problem = (message: string) => invalid('user_groups', message);
  const sizes = groups.map(({ size }) => size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const ids = groups.flatMap(({ entityIds }) => entityIds);
  const seen = new Set<string>();
  let repeated: string | undefined;
  for (const id of ids) {
    if (seen.has(id)) repeated ??= id;
    seen.add(id);
  }
  const problems = [
    ...(total === ALL_USERS ? [] : [problem(`The sizes of user_groups must add up to 100, got ${sizeText(total)}`)]),
    ...(repeated === undefined ? [] : [problem(`${repeated} is in user_groups more than once`)]),
  ];
  if (entityType === 'CAMPAIGN') return problems;
  if (groups.length > MAX_LINE_ITEM_GROUPS)
    problems.push(problem(`A test of line items has at most ${MAX_LINE_ITEM_GROUPS} user_groups`));
  if (groups.some(({ entityIds }) => entityIds.length > 1))
    problems.push(problem('A test of line items has one line item in each of the user_groups'));
  // a third of 100 has no two decimals
  if (Math.max(...sizes) - Math.min(...sizes) > 1)
    problems.push(problem('A test of line items has user_groups of equal sizes'));
  const others = ofCampaign.filter((id) => !seen.has(id));
  if (new Set(tested.map(({ campaignId }) => campaignId)).size > 1)
    problems.push(problem('A test of line items has those of one campaign'));
  else if (others.length > 0)
    problems.push(problem(`A test of line items has all of a campaign: ${others.slice(0, 5).join(', ')} are missing`));
  return problems;
}
