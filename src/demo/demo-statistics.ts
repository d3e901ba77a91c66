import type { INestApplicationContext } from '@nestjs/common';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { Clock } from '../common/clock.js';
import { DAY_MS } from '../common/days.js';
import { Parsed } from '../common/http/params/parsed.js';
import { PastDelivery } from '../statistics/delivery/past-delivery.service.js';
import { StatisticsJobsService } from '../statistics/jobs/statistics-jobs.service.js';

/** A job usually ends before somebody can cancel it, so the one of the demo only waits. */
const YEARS_MS = 3_650 * DAY_MS;

/** Days with figures: 14 that have ended, and today. */
const DAYS = 15;

/** Fills the account with what its line items delivered in the last days, and creates a job to cancel. */
export async function makeStatistics(
  app: INestApplicationContext,
  account: ActingAccount,
  lineItemId: string,
): Promise<{ spare_job_id: string }> {
  await app.get(PastDelivery, { strict: false }).fill(account, DAYS, app.get(Clock).now());
  const today = Math.floor(app.get(Clock).ms() / DAY_MS) * DAY_MS;
  const job = await app.get(StatisticsJobsService).createIdle(
    account,
    Parsed.whole({
      entity: 'LINE_ITEM',
      entity_ids: [lineItemId],
      start_time: new Date(today - 7 * DAY_MS).toISOString(),
      end_time: new Date(today).toISOString(),
      granularity: 'TOTAL',
      metric_groups: ['ENGAGEMENT', 'BILLING'],
      placement: 'ALL_ON_PLATFORM',
    }),
    YEARS_MS,
  );
  return { spare_job_id: job.id };
}
