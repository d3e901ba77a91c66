import type { FileJobKind } from '../../accounts/file-jobs/file-job.js';
import { defineJob } from '../../common/jobs/job.js';
import { MAX_WINDOW_DAYS } from '../account-statistics/statistics-window.rules.js';
import { StatisticsJob } from './statistics-job.entity.js';

/** The timeout is far below the hour after which a job fails, so that another worker can take over from a killed one. */
export const WRITE_STATISTICS_RESULT = defineJob<{ accountId: string; jobId: string }>('write-statistics-result', {
  timeoutSeconds: 600,
  retries: 8,
  concurrency: 2,
  turnsBy: 'accountId',
});

/** The counter of the jobs of an account that are processing, and the limit of an account without one. */
export const PROCESSING_JOBS = { kind: 'processing statistics jobs', limit: 100 };

export const STATISTICS_FILES: FileJobKind<StatisticsJob> = {
  entity: StatisticsJob,
  unfinished: ['PROCESSING'],
  counter: PROCESSING_JOBS,
  queue: WRITE_STATISTICS_RESULT,
  folder: 'statistics',
  extensionOf: () => 'json.gz',
};

/** The maximum time range of a job, in days. */
export const maxDaysOf = (isSegmented: boolean): number =>
  isSegmented ? MAX_WINDOW_DAYS.segmentedJob : MAX_WINDOW_DAYS.job;
