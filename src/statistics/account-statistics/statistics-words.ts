import { closedSet } from '../../common/values/closed-set.js';

/** The units of time of statistics. */
export const STATISTICS_GRANULARITIES = closedSet('StatisticsGranularity', ['HOUR', 'DAY', 'TOTAL']);
export type StatisticsGranularity = (typeof STATISTICS_GRANULARITIES)[number];

/** Where statistics ask what was delivered. */
export const STATISTICS_PLACEMENTS = closedSet('StatisticsPlacement', [
  'ALL_ON_PLATFORM',
  'PUBLISHER_NETWORK',
  'SPOTLIGHT',
  'TREND',
]);
export type StatisticsPlacement = (typeof STATISTICS_PLACEMENTS)[number];
