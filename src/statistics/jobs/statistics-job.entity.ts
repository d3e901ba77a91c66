import { Column, Entity, Index } from 'typeorm';
import { FileJob } from '../../accounts/file-jobs/file-job.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';
import { VOCABULARIES } from '../../config/config.js';
import type { Vocabulary } from '../../names/vocabulary.js';
import {
  METRIC_GROUPS,
  STATISTICS_ENTITIES_OF,
  type MetricGroup,
  type StatisticsEntity,
} from '../account-statistics/metrics.js';
import { SEGMENTATION_TYPES, type SegmentationType } from '../account-statistics/segmentation.js';
import {
  STATISTICS_GRANULARITIES,
  STATISTICS_PLACEMENTS,
  type StatisticsGranularity,
  type StatisticsPlacement,
} from '../account-statistics/statistics-words.js';

export const STATISTICS_JOB_STATUSES = closedSet('StatisticsJobStatus', [
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
]);
export type StatisticsJobStatus = (typeof STATISTICS_JOB_STATUSES)[number];

/**
 * A request for statistics that a background job answers with a file. Its times are those of the service, also in accounts
 * with a test clock. The id is decimal.
 */
@Entity('statistics_jobs')
@NotInSnapshots('jobs and their files stay until they expire; those of removed entities fail')
@Index('statistics_jobs_due', ['dueAt'])
@Index('statistics_jobs_of_organic_posts', ['accountId', 'id'], { where: `entity = 'ORGANIC_POST'` })
export class StatisticsJob extends FileJob {
  @WordColumn(STATISTICS_JOB_STATUSES) status: StatisticsJobStatus;
  @WordColumn(STATISTICS_ENTITIES_OF) entity: StatisticsEntity;
  @IdColumn({ array: true }) entityIds: string[];
  @TimestampColumn() startTime: Date;
  @TimestampColumn() endTime: Date;
  @WordColumn(STATISTICS_GRANULARITIES) granularity: StatisticsGranularity;
  @WordColumn(STATISTICS_PLACEMENTS) placement: StatisticsPlacement;
  @WordColumn(METRIC_GROUPS, { array: true }) metricGroups: MetricGroup[];
  @WordColumn(SEGMENTATION_TYPES, { nullable: true }) segmentationType: SegmentationType | null;
  @Column({ type: 'varchar', nullable: true }) country: string | null;
  @Column({ type: 'varchar', nullable: true }) platform: string | null;
  /** The time zone and the time of the account at the request, on which the days of the range depend. */
  @Column({ type: 'varchar' }) timezone: string;
  @TimestampColumn() askedAt: Date;
  /** The vocabulary of the request, which the file has, too. */
  @WordColumn(VOCABULARIES) names: Vocabulary;
}
