import type {
  Counts,
  FactColumn,
  MetricGroup,
  Metrics,
  Series,
  StatisticsEntity,
} from '../account-statistics/metrics.js';
import type { Segmentation } from '../account-statistics/segmentation.js';
import type { AskedWindow } from '../account-statistics/statistics-window.rules.js';
import type { FactPlacement } from '../facts/delivery-fact.entity.js';
import type { EntityLabel } from './entity-labels.js';

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
  metrics: Metrics;
  entities: ReportedEntity[];
  /** The number of other entities for which something was counted. */
  more: number;
}

/** The sum of a column over all units of time. */
export const sumOf = (part: Counts | undefined, column: FactColumn): number =>
  part?.counts.get(column)?.reduce((sum, each) => sum + each, 0) ?? 0;
