import { ApiProperty } from '@nestjs/swagger';
import { ID, Unescaped, WrittenAs } from '../../common/http/answers/responses.js';
import type { Series } from './account-statistics.service.js';
import type { Metrics } from './metrics.js';

/** A number for each unit of time, null if all are zero; conversions are objects of such values. */
export type MetricValue = readonly number[] | null | Readonly<Record<string, readonly number[] | null>>;

export class SegmentStatisticsView {
  /** Always null: only jobs divide statistics into segments. */
  @ApiProperty({ type: Object, nullable: true, example: null }) segment: null;
  /**
   * The metrics of the groups, by name: a number for each unit of time from `start_time` on, or null if nothing was
   * counted. Conversions are objects of such values.
   */
  @ApiProperty({ type: Object, example: { impressions: [120, 87], likes: null } })
  @WrittenAs({ type: 'object', additionalProperties: true })
  metrics: Record<string, MetricValue>;
}

export class StatisticsView {
  /** The id of the entity. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** One element. */
  @ApiProperty({ type: SegmentStatisticsView, isArray: true }) id_data: SegmentStatisticsView[];
}

/** The statistics of an entity. */
export const presentStatistics =
  (metrics: Metrics) =>
  ({ id, counts }: Series): StatisticsView => ({
    id,
    id_data: [
      {
        segment: null,
        metrics: Object.fromEntries(
          Object.entries(metrics).map(([name, metric]) => [
            name,
            'column' in metric ? (counts.get(metric.column) ?? null) : metric.constant,
          ]),
        ),
      },
    ],
  });
