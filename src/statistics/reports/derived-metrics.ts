import type { Objective } from '../../campaigns/entities/line-item.tables.js';
import type { FactColumn } from '../account-statistics/metrics.js';

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
export interface DerivedMetrics {
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
