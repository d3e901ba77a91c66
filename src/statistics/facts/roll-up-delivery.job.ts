import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { DeliveryRollups } from './delivery-rollups.service.js';
import { accountsToRollUp } from './delivery-rollups.statements.js';

/** No retries: the next run starts within an hour. */
const ROLL_UP_DELIVERY = defineJob('roll-up-delivery', { timeoutSeconds: 600, retries: 0 });

const EVERY_SECONDS = 3_600;
/** Number of accounts per read. */
const STEP = 1_000;

/**
 * Sums the days that nobody has summed: those of accounts that were restored or filled with history, and those whose process
 * ended too early. A test clock has the days of its accounts summed while it advances.
 */
@Injectable()
export class RollUpDeliveryJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly rollups: DeliveryRollups,
  ) {}

  onModuleInit(): void {
    this.jobs.work(ROLL_UP_DELIVERY, (_, { signal }) => this.rollUpAll(signal));
    this.jobs.schedule(ROLL_UP_DELIVERY, { everySeconds: EVERY_SECONDS });
  }

  /** Sums the ended days of all accounts that follow the time of the service. A failed account does not delay others. */
  async rollUpAll(signal?: AbortSignal): Promise<void> {
    const now = this.clock.now();
    // days have up to 25 hours: a roll-up that is one day late may still be complete
    const before = new Date(now.getTime() - DAY_MS).toISOString();
    for (let last = ''; ;) {
      const accounts = await accountsToRollUp(this.db.manager, before, last, STEP);
      for (const { accountId, timezone, isLagging } of accounts) {
        if (signal?.aborted) return;
        if (isLagging) await this.rollups.tryRollUp(accountId, timezone, now, signal);
      }
      if (accounts.length < STEP) return;
      last = accounts.at(-1)!.accountId;
    }
  }
}
