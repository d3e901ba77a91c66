import { inSeconds } from '../../common/time/in-seconds.js';
import { Injectable } from '@nestjs/common';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { throwErrors } from '../../common/errors/api-error.js';
import { notFound } from '../../common/errors/catalogue.js';
import { deliveryRangeOf } from '../facts/delivery-range.rules.js';
import { attributedSumsOf, sumsOf, type Sums } from './account-statistics.statements.js';
import { isAttributed } from './attributed-columns.js';
import {
  columnsOf,
  metricsOf,
  type FactColumn,
  type MetricGroup,
  type StatisticsMetrics,
  type Series,
  type StatisticsEntity,
} from './metrics.js';
import type { Segmentation } from './segmentation.js';
import { groupsDividedBy } from './segmentation.rules.js';
import { assertFewNumbers } from './segmented-counts.js';
import { seriesOfTags } from './conversion-tags.js';
import { SegmentedStatistics } from './segmented-statistics.service.js';
import { boundsOf, momentOf, type AskedWindow, type TimeContext } from './statistics-window.rules.js';

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
  metrics: StatisticsMetrics;
  series: Series[];
  /** The time range as the response echoes it. */
  startTime: string;
  endTime: string;
}

/** Statistics whose entities are read one after the other. */
export interface StatisticsStream extends Omit<Statistics, 'series'> {
  /** In the order in which the entities are named; to be read once. */
  series: AsyncIterable<Series>;
}

/** Reads statistics for requests and jobs. */
@Injectable()
export class StatisticsReader {
  constructor(private readonly segmented: SegmentedStatistics) {}

  /** The statistics of some entities, in the order in which they are named; 404 if the account does not have one of them. */
  async read(account: AccountReader, asked: AskedStatistics, place: TimeContext): Promise<Statistics> {
    const { series, ...statistics } = await this.stream(account, asked, place);
    const all: Series[] = [];
    let numbers = 0;
    for await (const each of series) {
      for (const { counts } of each.parts) numbers += counts.size * statistics.length;
      assertFewNumbers(numbers);
      all.push(each);
    }
    return { ...statistics, series: all };
  }

  /** The same, with one entity at a time in memory if it is divided into segments. */
  async stream(account: AccountReader, asked: AskedStatistics, place: TimeContext): Promise<StatisticsStream> {
    const { entity, metric_groups: groups, segmentation } = asked;
    const metrics = metricsOf(entity, groups, segmentation && groupsDividedBy(segmentation.type, entity));
    const bounds = boundsOf(asked, place);
    const [startTime, endTime] = [asked.start_time, asked.end_time].map((time) =>
      inSeconds(momentOf(time, place.timezone)),
    );
    const series = await this.seriesOf(account, asked, { bounds, columns: columnsOf(metrics), ...place });
    return { length: bounds.length - 1, metrics, series, startTime, endTime };
  }

  private async seriesOf(
    account: AccountReader,
    { entity, entity_ids, placement, granularity, segmentation }: AskedStatistics,
    { bounds, columns, timezone }: { bounds: number[]; columns: FactColumn[]; timezone: string },
  ): Promise<AsyncIterable<Series>> {
    const ids = [...new Set(entity_ids)];
    const hasDays = granularity !== 'HOUR';
    const { days, ...range } = deliveryRangeOf(bounds[0], bounds[bounds.length - 1], timezone);
    const read = { accountId: account.id, entity, ids, bounds, range: hasDays ? { ...range, days } : range, placement };
    const whole = segmentation ? [] : columns;
    const [sums, attributed] = await Promise.all([
      sumsOf(account.db, { ...read, columns: whole.filter((each) => !isAttributed(each)) }, account),
      attributedSumsOf(account.db, { ...read, columns: whole.filter(isAttributed) }, account),
    ]);
    const known = new Set(sums.map(({ id }) => id));
    throwErrors(ids.filter((id) => !known.has(id)).map((id) => notFound(LABELS[entity], 'entity_ids', id, account.id)));
    if (!segmentation) return oneByOne(seriesOf(ids, [...sums, ...attributed], bounds.length - 1));
    if (segmentation.type === 'CONVERSION_TAGS')
      return seriesOfTags(account, { ...read, columns: columns.filter(isAttributed) });
    return this.segmented.each(account, { entity, ids, placement, timezone, bounds, hasDays, columns, segmentation });
  }
}

async function* oneByOne(series: readonly Series[]): AsyncGenerator<Series> {
  yield* series;
}

/** The names of the entities in a 404. */
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

/** The sums as one series for each entity and column. */
function seriesOf(ids: readonly string[], sums: readonly Sums[], length: number): Series[] {
  const byId = new Map(ids.map((id) => [id, new Map<FactColumn, number[]>()]));
  for (const { id, unit, tagId: _, ...columns } of sums as (Sums & { tagId?: string })[]) {
    if (unit === null) continue;
    const counts = byId.get(id)!;
    for (const [column, count] of Object.entries(columns) as [FactColumn, number][]) {
      if (!count) continue;
      if (!counts.has(column)) counts.set(column, new Array<number>(length).fill(0));
      counts.get(column)![unit] = count;
    }
  }
  return [...byId].map(([id, counts]) => ({ id, parts: [{ segment: null, counts }] }));
}
