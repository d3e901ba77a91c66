import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { toTime } from '../../common/http/params/conversions.js';
import { Example, Rule, type DatesIn } from '../../common/http/params/dto-metadata.js';
import { EnumList, Field, Ids, OneOf, Text, time } from '../../common/http/params/fields.js';
import { GROUPS, METRIC_GROUPS, STATISTICS_ENTITIES_OF, type MetricGroup, type StatisticsEntity } from './metrics.js';
import {
  STATISTICS_GRANULARITIES,
  STATISTICS_PLACEMENTS,
  type StatisticsGranularity,
  type StatisticsPlacement,
} from './statistics-words.js';

/** The request that the document shows: the statistics of a line item of the demo. */
export const STATISTICS_EXAMPLE = {
  entity: 'LINE_ITEM',
  entity_ids: ['{line_item_id}'],
  start_time: '{first_day}',
  end_time: '{last_day}',
  granularity: 'DAY',
  metric_groups: ['ENGAGEMENT', 'BILLING'],
  placement: 'ALL_ON_PLATFORM',
};

/** The number of entities of a request. */
const MAX_ENTITIES = 20;

/** A date without a time stays as it is: the account's time zone decides when it begins. */
const isDate = (given: unknown): given is string => typeof given === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(given);

/** A time, or a date of this time zone. */
export const TimeOrDate = (zone: DatesIn = 'the time zone of the account') =>
  Field(
    {
      ...time(false, zone),
      convert: (given) => (isDate(given) && toTime(false)(given) !== '' ? given : toTime(false)(given)),
    },
    {},
    {
      type: String,
      example: '2026-10-01T07:00:00Z',
      description: `ISO 8601, with Z or an offset. Without them it is in UTC, but a date is midnight in ${zone}.`,
    },
  );

/** The parameters that statistics and their jobs share. */
@Rule(
  ['entity', 'metric_groups'],
  ({ entity, metric_groups }: Pick<StatisticsParameters, 'entity' | 'metric_groups'>) =>
    metric_groups.flatMap((group) => (GROUPS[entity][group] ? [] : [groupWithout(entity, group)])),
)
export class StatisticsParameters {
  /** The kind of the entities. */
  @OneOf(STATISTICS_ENTITIES_OF) entity: StatisticsEntity;
  /** The ids of the entities, at most 20; for `ACCOUNT` that of the account. Deleted entities have statistics, too. */
  @Ids({ max: MAX_ENTITIES }) entity_ids: string[];
  /** Start of the time range, inclusive: a whole hour, with `DAY` midnight in the time zone of the account. */
  @TimeOrDate() start_time: string;
  /** End of the time range, exclusive. The endpoint says how long the range may be. */
  @TimeOrDate() end_time: string;
  /** The unit of time of each number. `DAY` means days in the time zone of the account. */
  @OneOf(STATISTICS_GRANULARITIES) granularity: StatisticsGranularity;
  /**
   * The groups of metrics. `ACCOUNT` has only `ENGAGEMENT`, `FUNDING_INSTRUMENT` also `BILLING`, and `ORGANIC_POST`
   * `ENGAGEMENT` and `VIDEO`.
   */
  @EnumList(METRIC_GROUPS) metric_groups: MetricGroup[];
  /** Where it was delivered. Nothing is delivered to `SPOTLIGHT` and `TREND`. */
  @OneOf(STATISTICS_PLACEMENTS) placement: StatisticsPlacement;
}

@Rule(['segmentation_type'], ({ segmentation_type }: Pick<GetStatistics, 'segmentation_type'>) =>
  segmentation_type === undefined
    ? undefined
    : invalid('segmentation_type', 'segmentation_type is only available for jobs', {
        value: segmentation_type,
        details: 'POST /12/stats/jobs/accounts/:account_id',
      }),
)
@Example(STATISTICS_EXAMPLE)
export class GetStatistics extends StatisticsParameters {
  /** Not available here: only jobs divide statistics into segments. */
  @Text({ optional: true }) segmentation_type?: string;
}

const groupWithout = (entity: StatisticsEntity, group: MetricGroup): ApiError =>
  invalid(
    'metric_groups',
    `Expected a value in ${Object.keys(GROUPS[entity]).join(', ')}, got "${group}" for metric_groups`,
    { value: group, details: `${entity} does not have this group` },
  );
