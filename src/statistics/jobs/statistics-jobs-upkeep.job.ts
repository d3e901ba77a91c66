import { Injectable, type OnModuleInit } from '@nestjs/common';
import { FileJobs } from '../../accounts/file-jobs/file-jobs.service.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { STATISTICS_FILES } from './statistics-job.rules.js';

/** No retries: the next run starts in a minute. */
const STATISTICS_JOBS_UPKEEP = defineJob('statistics-jobs-upkeep', { timeoutSeconds: 120, retries: 0 });

/** Fails jobs that take too long, deletes expired files, and removes jobs that are no longer listed. */
@Injectable()
export class StatisticsJobsUpkeepJob implements OnModuleInit {
  constructor(
    private readonly files: FileJobs,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(STATISTICS_JOBS_UPKEEP, (_, { signal }) => this.carryOut(signal));
    this.jobs.schedule(STATISTICS_JOBS_UPKEEP, { everySeconds: 60 });
  }

  /** Does what is due. */
  carryOut(signal?: AbortSignal): Promise<void> {
    return this.files.keepUp(STATISTICS_FILES, signal);
  }
}
