import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Reader } from '../../common/db/query/freshness.js';
import { refuseAny } from '../../common/errors/api-error.js';
import { notFound } from '../../common/errors/catalogue.js';
import { rangeOf, type DeliveryRange } from '../facts/delivery-range.rules.js';
import { sumsOf, type Sums } from './account-statistics.statements.js';
import {
  columnsOf,
  metricsOf,
  type FactColumn,
  type MetricGroup,
  type Metrics,
  type Series,
  type StatisticsEntity,
} from './metrics.js';
import type { Segmentation } from './segmentation.js';
import {
  boundsOf,
  inSeconds,
  momentOf,
  type AskedWindow,
  type Granularity,
  type Place,
} from './statistics-window.rules.js';

/** Valid parameters of statistics. */
export interface AskedStatistics extends AskedWindow {
  entity: StatisticsEntity;
  entity_ids: readonly string[];
  metric_groups: readonly MetricGroup[];
  placement: string;
  segmentation?: Segmentation;
}

export interface Statistics {
  /** The number of units of time. */
  length: number;
  metrics: Metrics;
  series: Series[];
  /** The time range as the response echoes it. */
  startTime: string;
  endTime: string;
}

/** Reads statistics for requests and jobs. */
@Injectable()
export class StatisticsReader {
  constructor(private readonly db: DataSource) {}

  /** The statistics of some entities, in the order in which they are named; 404 if the account does not have one of them. */
  async read(account: Reader & { id: string }, asked: AskedStatistics, place: Place): Promise<Statistics> {
    const { entity, entity_ids: ids, placement } = asked;
    const metrics = metricsOf(entity, asked.metric_groups);
    const bounds = boundsOf(asked, place);
    const columns = columnsOf(metrics);
    const range = rangeOfUnits(asked.granularity, bounds, place.timezone);
    const sums = await sumsOf(
      this.db.manager,
      { accountId: account.id, entity, ids, bounds, range, placement, columns },
      account,
    );
    const known = new Set(sums.map(({ id }) => id));
    refuseAny(ids.filter((id) => !known.has(id)).map((id) => notFound(LABELS[entity], 'entity_ids', id, account.id)));
    const [startTime, endTime] = [asked.start_time, asked.end_time].map((time) =>
      inSeconds(momentOf(time, place.timezone)),
    );
    return { length: bounds.length - 1, metrics, series: seriesOf(ids, sums, bounds.length - 1), startTime, endTime };
  }
}

/** What 404 calls the entities. */
const LABELS: Record<StatisticsEntity, string> = {
  ACCOUNT: 'Account',
  CAMPAIGN: 'Campaign',
  FUNDING_INSTRUMENT: 'Funding Instrument',
  LINE_ITEM: 'Line Item',
  MEDIA_CREATIVE: 'Media Creative',
  ORGANIC_POST: 'Post',
  PROMOTED_ACCOUNT: 'Promoted Account',
  PROMOTED_POST: 'Promoted Post',
};

/** The time range of all units. Days and totals consist of local days and the hours at the edges. */
function rangeOfUnits(granularity: Granularity, bounds: readonly number[], timezone: string): DeliveryRange {
  const { days, ...range } = rangeOf(bounds[0], bounds[bounds.length - 1], timezone);
  return granularity === 'HOUR' ? range : { ...range, days };
}

/** The sums as one series for each entity and column. */
function seriesOf(ids: readonly string[], sums: readonly Sums[], length: number): Series[] {
  const byId = new Map(ids.map((id) => [id, new Map<FactColumn, number[]>()]));
  for (const { id, unit, ...columns } of sums) {
    if (unit === null) continue;
    const counts = byId.get(id)!;
    for (const [column, count] of Object.entries(columns) as [FactColumn, number][]) {
      if (count === 0) continue;
      if (!counts.has(column)) counts.set(column, new Array<number>(length).fill(0));
      counts.get(column)![unit] = count;
    }
  }
  return [...byId].map(([id, counts]) => ({ id, parts: [{ segment: null, counts }] }));
}
