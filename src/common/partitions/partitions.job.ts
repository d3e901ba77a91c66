import { Injectable, type OnModuleInit } from '@nestjs/common';
import { defineJob } from '../jobs/job.js';
import { Jobs } from '../jobs/jobs.js';
import { Partitions } from './partitions.js';

/** A partition that could not be created because of locks is tried again within the hour. */
const PARTITIONS = defineJob('partitions', { timeoutSeconds: 300, retries: 5, retryDelaySeconds: 60 });

/** Creates partitions ahead, and removes the old rows of partitioned tables, once an hour. */
@Injectable()
export class PartitionsJob implements OnModuleInit {
  constructor(
    private readonly partitions: Partitions,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(PARTITIONS, async (_, { signal }) => {
      await this.partitions.createAhead(signal);
      await this.partitions.removeAllOld(signal);
    });
    this.jobs.schedule(PARTITIONS, { everySeconds: 3_600 });
  }
}
