import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { rows, type Rows } from '../../common/db/query/rows.js';
import { firstIdOf } from '../../common/entity/ids.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { Partitions } from '../../common/partitions/partitions.js';
import { cancelAbandoned } from './delivery.statements.js';
import { WebhookAttempt, WebhookDelivery } from '../entities/webhook-delivery.entity.js';

const BATCH = 1_000;
const ATTEMPTS_KEPT_MS = 7 * DAY_MS;

interface ExpiredRows {
  keptMs: number;
  /** The rows whose id, which begins with its creation time, precedes this id. */
  before: (db: EntityManager, id: string) => Pick<Rows<never>, 'deleteSome'>;
}

/**
 * Deliveries are deleted before their events. Their ids begin with the ids of the events. Both tables are queues, whose
 * statements are planned each time, so they have no partitions.
 */
const OUTLIVED: ExpiredRows[] = [
  {
    keptMs: 30 * DAY_MS,
    before: (db, id) => rows(db, WebhookDelivery).whereLessThan('id', id).whereDistinctFrom('settledAt', null),
  },
  {
    keptMs: 30 * DAY_MS,
    before: (db, id) => rows(db, OutgoingEvent).whereLessThan('id', id).whereDistinctFrom('dispatchedAt', null),
  },
];

/** No retries: the next job starts within a minute. */
const WEBHOOK_RETENTION = defineJob('webhook-retention', { timeoutSeconds: 50, retries: 0 });

/**
 * Removes attempts after 7 days, by partition, and deliveries and events after 30, in small batches, so that nothing waits
 * for it. Cancels pending deliveries to webhooks that no longer receive events.
 */
@Injectable()
export class WebhookRetentionJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly partitions: Partitions,
  ) {}

  onModuleInit(): void {
    this.partitions.register(WebhookAttempt, { width: 'day', ahead: 4, keptMs: ATTEMPTS_KEPT_MS });
    this.jobs.work(WEBHOOK_RETENTION, async (_, { signal }) => void (await this.clear(signal)));
    this.jobs.schedule(WEBHOOK_RETENTION, { everySeconds: 60 });
  }

  /** Returns the number of rows that were deleted without their partition; ends early when the signal aborts. */
  async clear(signal?: AbortSignal): Promise<number> {
    await this.cancelAbandoned(signal);
    let deleted = (await this.partitions.removeOld(WebhookAttempt, signal)).rows;
    for (const { keptMs, before } of OUTLIVED) {
      const expired = before(this.db.manager, firstIdOf(new Date(this.clock.ms() - keptMs)));
      deleted += await deleteInBatches(expired, { batch: BATCH, signal });
    }
    return deleted;
  }

  /** Cancels pending deliveries to webhooks that are invalid or deleted. A replay can resend them. */
  async cancelAbandoned(signal?: AbortSignal): Promise<void> {
    for (let cancelled = BATCH; cancelled === BATCH && !signal?.aborted;)
      cancelled = await cancelAbandoned(this.db.manager, this.clock.now().toISOString(), BATCH);
  }
}
