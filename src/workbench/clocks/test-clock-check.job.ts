import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountTimes } from '../../accounts/times/account-times.service.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { countClocks, deleteOrphanedClocks, failAbandoned } from './test-clocks.statements.js';

/** Longer than a job without progress takes, with its retries. */
const ABANDONED_SECONDS = 600;

/** No retries: the next job starts within an hour. */
const TEST_CLOCK_CHECK = defineJob('test-clock-check', { timeoutSeconds: 60, retries: 0 });

/**
 * Once an hour, logs how many accounts have a frozen time, so that none is forgotten. It ends clocks whose workers ended,
 * and removes those of deleted applications.
 */
@Injectable()
export class TestClockCheckJob implements OnModuleInit {
  private readonly logger = new Logger('TestClocks');

  constructor(
    private readonly db: DataSource,
    private readonly jobs: Jobs,
    private readonly times: AccountTimes,
  ) {}

  onModuleInit(): void {
    this.jobs.work(TEST_CLOCK_CHECK, () => this.check());
    this.jobs.schedule(TEST_CLOCK_CHECK, { everySeconds: 3_600 });
  }

  async check(): Promise<void> {
    const { manager } = this.db;
    await this.db.transaction(async (tx) => {
      const failed = await failAbandoned(tx, ABANDONED_SECONDS);
      if (failed.length > 0) await this.times.stop(tx, failed);
      const deleted = await deleteOrphanedClocks(tx);
      if (deleted.length > 0) await this.times.detach(tx, deleted);
    });
    const { clocks, accounts } = await countClocks(manager);
    if (accounts > 0)
      this.logger.warn({ clocks, accounts }, 'Test clocks of the workbench freeze the time of sandbox accounts');
  }
}
