import { inSeconds } from '../../common/time/in-seconds.js';
import type {
  Counts,
  FactColumn,
  MetricGroup,
  StatisticsMetrics,
  Series,
  StatisticsEntity,
} from '../account-statistics/metrics.js';
import type { Segmentation } from '../account-statistics/segmentation.js';
import { type AskedWindow, type TimeContext } from '../account-statistics/statistics-window.rules.js';
import type { FactPlacement } from '../../measurement/entities/conversion-fact.entity.js';
import type { EntityLabel } from './entity-labels.js';
import { HOUR_MS } from '../../common/time/days.js';
import { localDay, offsetAt, startOfDay } from '../../common/time/time-zones.js';
import type { Objective } from '../../campaigns/entities/line-item.tables.js';

/** The report to write, with a valid time range. */
export interface AskedReport extends AskedWindow {
  entity: StatisticsEntity;
  /** The entities; without them those that spent most. */
  ids?: readonly string[];
  /** The maximum number of entities that are not named. */
  limit: number;
  groups: readonly MetricGroup[];
  /** Absent for all placements together. */
  placement?: FactPlacement;
  segmentation?: Segmentation;
}

/** The figures of an entity, and how to show them. */
export interface ReportedEntity extends EntityLabel, Series {}

export interface Report {
  /** The beginnings of the units of time and the end of the last one, in milliseconds. */
  bounds: readonly number[];
  metrics: StatisticsMetrics;
  entities: ReportedEntity[];
  /** The number of other entities for which something was counted. */
  more: number;
}

/** The sum of a column over all units of time. */
export const sumOf = (part: Counts | undefined, column: FactColumn): number =>
  part?.counts.get(column)?.reduce((sum, each) => sum + each, 0) ?? 0;

/** The last hours until now, the current one included. */
export function recentHours(hours: number, { now }: TimeContext): AskedWindow {
  const end = Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS;
  return { start_time: inSeconds(end - hours * HOUR_MS), end_time: inSeconds(end), granularity: 'HOUR' };
}

/** The last days of a time zone, today included. */
export function recentDays(days: number, { timezone, now }: TimeContext): AskedWindow {
  const [start, end] = [1 - days, 1].map((count) => startOfDay(timezone, localDay(timezone, now.getTime()) + count));
  return { start_time: inSeconds(start), end_time: inSeconds(end), granularity: 'DAY' };
}

/** A time in a time zone, as ISO 8601 without an offset and seconds; midnight is a date. */
export function localTime(ms: number, timezone: string): string {
  const local = new Date(ms + offsetAt(timezone, ms)).toISOString();
  return local.slice(11, 16) === '00:00' ? local.slice(0, 10) : `${local.slice(0, 10)} ${local.slice(11, 16)}`;
}

/** The sum of a column in a range. */
export type SumOf = (column: FactColumn) => number;

/** The event that an objective is about. */
const RESULTS: Readonly<Record<Objective, FactColumn>> = {
  APP_ENGAGEMENTS: 'appClicks',
  APP_INSTALLS: 'appClicks',
  ENGAGEMENTS: 'engagements',
  FOLLOWERS: 'follows',
  PREROLL_VIEWS: 'videoTotalViews',
  REACH: 'engagements',
  VIDEO_VIEWS: 'videoTotalViews',
  WEBSITE_CLICKS: 'clicks',
};

/** The figures that reports compute: null without impressions. */
interface DerivedMetrics {
  /** The cost of 1,000 impressions, in micro-units. */
  cpmLocalMicro: number | null;
  /** The results per impression: the events of the objective, engagements without one. */
  rate: number | null;
}

/** Cost and rate of what was counted. */
export function derivedFrom(sum: SumOf, objective: Objective | null): DerivedMetrics {
  const impressions = sum('impressions');
  if (impressions === 0) return { cpmLocalMicro: null, rate: null };
  return {
    cpmLocalMicro: Math.round((sum('billedChargeLocalMicro') * 1_000) / impressions),
    rate: sum(objective ? RESULTS[objective] : 'engagements') / impressions,
  };
}
