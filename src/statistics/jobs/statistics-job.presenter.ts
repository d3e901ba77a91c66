import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { METRIC_GROUPS, STATISTICS_ENTITIES_OF, type StatisticsEntity } from '../account-statistics/metrics.js';
import { SEGMENTATION_TYPES } from '../account-statistics/segmentation.js';
import { STATISTICS_GRANULARITIES, STATISTICS_PLACEMENTS } from '../account-statistics/statistics-words.js';
import { STATISTICS_JOB_STATUSES, type StatisticsJob, type StatisticsJobStatus } from './statistics-job.entity.js';

export class StatisticsJobView {
  /** The id of the job, as a number. */
  @ApiProperty({ type: 'integer', format: 'int64' }) id: number;
  /** The id of the job. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id_str: string;
  /** The id of the account. */
  @ApiProperty(ID) @Unescaped() account_id: string;
  /** The status of the job. A job that takes longer than an hour fails. */
  @ApiProperty(enumSchema(STATISTICS_JOB_STATUSES)) @Unescaped() status: StatisticsJobStatus;
  /**
   * The URL of the file: gzip of the JSON that `GET /12/stats/accounts/:account_id` returns. Requests for it need no
   * signature. Null until the job succeeds, and after `expires_at`.
   */
  @ApiProperty({ type: String, format: 'uri', nullable: true }) url: string | null;
  /** When the file is deleted, 48 hours after the success. Null unless the job succeeded. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() expires_at: string | null;
  /** When the job was created. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** When the status changed last. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** The kind of the entities. */
  @ApiProperty(enumSchema(STATISTICS_ENTITIES_OF)) @Unescaped() entity: StatisticsEntity;
  /** The ids of the entities. */
  @ApiProperty({ type: 'array', items: { type: 'string', pattern: ID.pattern } }) entity_ids: string[];
  /** Start of the time range, inclusive. */
  @ApiProperty(TIME) @Unescaped() start_time: string;
  /** End of the time range, exclusive. */
  @ApiProperty(TIME) @Unescaped() end_time: string;
  /** The unit of time of each number. */
  @ApiProperty(enumSchema(STATISTICS_GRANULARITIES)) @Unescaped() granularity: string;
  /** Where it was delivered. */
  @ApiProperty(enumSchema(STATISTICS_PLACEMENTS)) @Unescaped() placement: string;
  /** The groups of metrics. */
  @ApiProperty({ type: 'array', items: enumSchema(METRIC_GROUPS) }) metric_groups: string[];
  /** What the statistics are divided by; null if they are not. */
  @ApiProperty({ ...enumSchema(SEGMENTATION_TYPES), nullable: true }) segmentation_type: string | null;
  /** The targeting value of the country whose parts are the segments. */
  @ApiProperty({ type: String, nullable: true }) country: string | null;
  /** The targeting value of the platform to which the segments belong. */
  @ApiProperty({ type: String, nullable: true }) platform: string | null;
}

/** A job; `url` leads to its file, and is null without one. */
export const presentStatisticsJob = (job: Row<StatisticsJob>, url: string | null): StatisticsJobView => ({
  id: Number(job.id),
  id_str: job.id,
  account_id: job.accountId,
  status: job.status,
  url,
  expires_at: wireTime(job.expiresAt),
  created_at: wireTime(job.createdAt),
  updated_at: wireTime(job.updatedAt),
  ...presentParameters(job),
});

/** The parameters of a job, as its representation, its file and its response have them. */
export const presentParameters = (job: Row<StatisticsJob>) => ({
  entity: job.entity,
  entity_ids: job.entityIds,
  start_time: wireTime(job.startTime),
  end_time: wireTime(job.endTime),
  granularity: job.granularity,
  placement: job.placement,
  metric_groups: job.metricGroups,
  segmentation_type: job.segmentationType,
  country: job.country,
  platform: job.platform,
});
