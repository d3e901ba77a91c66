import { ApiProperty } from '@nestjs/swagger';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { ID, Unescaped, SerializedAs } from '../../common/http/answers/responses.js';
import { valueOf, type StatisticsMetrics, type Series } from './metrics.js';

/** A number for each unit of time, null if all are zero; conversions are objects of such values. */
export type MetricValue = readonly number[] | null | Readonly<Record<string, readonly number[] | null>>;

export class StatisticsSegmentView {
  /** The name of the segment in English; null for users of whom the trait is unknown. */
  @ApiProperty({ type: String, nullable: true, example: 'Seattle-Tacoma' }) segment_name: string | null;
  /** The targeting value of the segment, such as the code of a metro; null for users of whom the trait is unknown. */
  @ApiProperty({ type: String, nullable: true, example: '819' }) segment_value: string | null;
}

export class SegmentStatisticsView {
  /** Null for the whole entity. Only jobs divide statistics into segments. */
  @ApiProperty({ type: StatisticsSegmentView, nullable: true, example: null }) segment: StatisticsSegmentView | null;
  /**
   * The metrics of the groups, by name: a number for each unit of time from `start_time` on, or null if nothing was
   * counted. Conversions are objects of such values.
   */
  @ApiProperty({ type: Object, example: { impressions: [120, 87], likes: null } })
  @SerializedAs({ type: 'object', additionalProperties: true })
  metrics: Record<string, MetricValue>;
}

@Noun('statistics', 'statistics of entities')
export class StatisticsView {
  /** The id of the entity. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** One element, or one for each segment. */
  @ApiProperty({ type: SegmentStatisticsView, isArray: true }) id_data: SegmentStatisticsView[];
}

/** The statistics of an entity. */
export const presentStatistics =
  (metrics: StatisticsMetrics) =>
  ({ id, parts }: Series): StatisticsView => ({
    id,
    id_data: parts.map(({ segment, counts }) => ({
      segment: segment && { segment_name: segment.name, segment_value: segment.value },
      metrics: mapped(metrics, (metric) =>
        'members' in metric ? mapped(metric.members, (member) => valueOf(member, counts)) : valueOf(metric, counts),
      ),
    })),
  });

const mapped = <From, To>(values: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
