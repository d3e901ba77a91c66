import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TimedWorks } from '../../accounts/times/timed-work.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS, HOUR_MS } from '../../common/time/days.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { Config } from '../../config/config.js';
import { DeliveryFactsService } from '../facts/delivery-facts.service.js';
import { countDueHours, dueAccounts, dueHours, movePositions, type DueHour } from './delivery.statements.js';
import { SimulatedDelivery } from './simulated-delivery.service.js';

/** No retries: the next run starts within a minute. */
const SIMULATE_DELIVERY = defineJob('simulate-delivery', { timeoutSeconds: 300, retries: 0 });

const EVERY_SECONDS = 60;
/** Number of accounts per read. */
const STEP = 100;
/** Hours of an account in one run. The next run continues. */
const HOURS_PER_RUN = 24;
/** Older hours are left out after a longer downtime. */
const MAX_BEHIND_MS = 7 * DAY_MS;

/**
 * With DELIVERY=simulated, delivers the line items of sandbox accounts for each hour that has ended: a scheduled job for
 * accounts that follow the service, and advancing test clocks for the others.
 */
@Injectable()
export class SimulateDeliveryJob implements OnModuleInit {
  private readonly logger = new Logger('Delivery');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly jobs: Jobs,
    private readonly timed: TimedWorks,
    private readonly delivery: SimulatedDelivery,
    private readonly facts: DeliveryFactsService,
  ) {}

  onModuleInit(): void {
    this.jobs.work(SIMULATE_DELIVERY, (_, { signal }) => this.deliverDue(signal));
    if (this.config.delivery !== 'simulated') return;
    this.logger.log('Delivery in sandbox accounts is simulated: figures and spend are invented (DELIVERY=simulated).');
    this.jobs.schedule(SIMULATE_DELIVERY, { everySeconds: EVERY_SECONDS });
    const { manager } = this.db;
    this.timed.register({
      name: 'delivery',
      count: (accountIds, until) => countDueHours(manager, accountIds, until),
      due: async (accountIds, until, limit) => {
        const due = await dueHours(manager, accountIds, until, limit);
        if (due.length > 0) await this.facts.cover(new Date(due[0].hour), new Date(until));
        return due.map(({ accountId, hour }) => {
          const start = new Date(hour);
          const at = new Date(start.getTime() + HOUR_MS).toISOString();
          return { id: accountId, at, run: (times) => this.delivery.deliverHour(accountId, start, times) };
        });
      },
    });
  }

  /** Delivers what is due in accounts that follow the time of the service; a part of it after a downtime. */
  async deliverDue(signal?: AbortSignal): Promise<void> {
    if (this.config.delivery !== 'simulated') return;
    const now = this.clock.ms();
    const iso = (ms: number) => new Date(ms).toISOString();
    await movePositions(this.db.manager, iso(now), iso(now - MAX_BEHIND_MS));
    for (let last = ''; ;) {
      const due = await dueAccounts(this.db.manager, iso(now), last, STEP);
      for (const each of due) {
        if (signal?.aborted) return;
        await this.deliverAccount(each, now, signal);
      }
      if (due.length < STEP) return;
      last = due.at(-1)!.accountId;
    }
  }

  /** A failed account does not delay others. Its position stays, so the next run continues there. */
  private async deliverAccount({ accountId, hour }: DueHour, now: number, signal?: AbortSignal): Promise<void> {
    const first = new Date(hour).getTime();
    const end = Math.min(now, first + HOURS_PER_RUN * HOUR_MS);
    try {
      for (let at = first; at + HOUR_MS <= end && !signal?.aborted; at += HOUR_MS)
        await this.delivery.deliverHour(accountId, new Date(at));
    } catch (error) {
      this.logger.error(`The delivery of the account ${accountId} could not be simulated: ${failureReasonOf(error)}`);
    }
  }
}
