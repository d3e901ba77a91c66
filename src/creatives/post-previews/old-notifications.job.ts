import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { rows } from '../../common/db/query/rows.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { PreviewNotification } from '../entities/preview-notification.entity.js';

const KEPT_MS = 30 * DAY_MS;
const BATCH = 1_000;

/** No retries: the next run starts in an hour. */
export const OLD_NOTIFICATIONS = defineJob('old-preview-notifications', { timeoutSeconds: 60, retries: 0 });

/** Permanently removes notifications older than 30 days, in batches, once an hour. */
@Injectable()
export class OldNotificationsJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(OLD_NOTIFICATIONS, async (_, { signal }) => void (await this.removeOld(signal)));
    this.jobs.schedule(OLD_NOTIFICATIONS, { everySeconds: 3_600 });
  }

  /** Returns the number of removed notifications. The signal ends it early. */
  removeOld(signal?: AbortSignal): Promise<number> {
    const before = new Date(this.clock.ms() - KEPT_MS).toISOString();
    const old = rows(this.db.manager, PreviewNotification).withDeleted().whereLessThan('createdAt', before);
    return deleteInBatches(old, { batch: BATCH, signal });
  }
}
