import type {
  DELIVERY_PLACEMENTS,
  GRANULARITIES,
  METRIC_GROUP_CHOICES,
  REPORTED_ENTITIES,
  SEGMENTATION_TYPE_CHOICES,
} from '../choices.js';
import type { OutputOptions } from '../context.js';

/** Maximum number of days of a report. */
export const MAX_STATS_DAYS = 90;
/** Maximum number of entities of a report. */
export const MAX_ENTITIES = 200;

/** The options of `marquee stats`. */
export interface StatsOptions extends OutputOptions {
  entity: (typeof REPORTED_ENTITIES)[number];
  ids?: string[];
  top: number;
  days?: number;
  /** A date of the account's time zone, or a time in UTC. */
  start?: string;
  end?: string;
  granularity: (typeof GRANULARITIES)[number];
  metricGroups?: (typeof METRIC_GROUP_CHOICES)[number][];
  placement?: (typeof DELIVERY_PLACEMENTS)[number];
  segmentation?: (typeof SEGMENTATION_TYPE_CHOICES)[number];
  country?: string;
  platform?: string;
  csv?: boolean;
}
