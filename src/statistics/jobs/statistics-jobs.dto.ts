import type { PageQuery } from '../../common/list/list-query.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Ids, Int, OneOf, Text } from '../../common/http/params/fields.js';
import { STATISTICS_EXAMPLE, StatisticsParameters } from '../account-statistics/account-statistics.dto.js';
import { segmentationProblems } from '../account-statistics/segmentation.rules.js';
import { SEGMENTATION_TYPES, type SegmentationType } from '../account-statistics/segmentation.js';
import type { StatisticsJob } from './statistics-job.entity.js';

/** What decides whether statistics can be divided into segments. */
const OF_SEGMENTS = ['entity', 'metric_groups', 'segmentation_type', 'country', 'platform'] as const;

@Rule(OF_SEGMENTS, (asked: Pick<CreateStatisticsJob, (typeof OF_SEGMENTS)[number]>) => segmentationProblems(asked))
@Example(STATISTICS_EXAMPLE)
export class CreateStatisticsJob extends StatisticsParameters {
  /** What the statistics are divided by: an element for each segment in which something was counted. */
  @OneOf(SEGMENTATION_TYPES, { optional: true }) segmentation_type?: SegmentationType;
  /** The targeting value of a country, for `CITIES`, `METROS`, `POSTAL_CODES` and `REGIONS`, which require it. */
  @Text({ optional: true, max: 100 }) country?: string;
  /** The targeting value of a platform, for `DEVICES` and `PLATFORM_VERSIONS`, which require it. */
  @Text({ optional: true, max: 100 }) platform?: string;
}

export class ListStatisticsJobs implements PageQuery<StatisticsJob> {
  /** Only these jobs. */
  @Ids({ decimal: true, optional: true }) job_ids?: string[];
  /** Maximum number of items in a page. */
  @Int({ optional: true, min: 1, max: 1_000, default: 200 }) count: number = 200;
  /** The `next_cursor` of the previous page. All other parameters must stay the same. */
  @Text({ absentIfEmpty: true, max: 2000 }) cursor?: string;
}
