import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import type { Row } from '../../common/db/query/rows.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { Webhook } from '../entities/webhook.entity.js';
import { claimChecks } from './webhooks.statements.js';
import { WebhookChecksService } from './webhook-checks.service.js';

/** No retries: the next job starts within a minute. */
const CHECK_WEBHOOKS = defineJob('check-webhooks', { timeoutSeconds: 600, retries: 0 });

const EVERY_SECONDS = 60;
/** Maximum number of concurrent challenges; each takes at most ten seconds. */
const AT_ONCE = 50;
/** When a challenge is repeated after its worker died. */
const LEASE_MS = 5 * 60_000;

/** Challenges webhooks again when they are due. */
@Injectable()
export class WebhookChecksJob implements OnModuleInit {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly checks: WebhookChecksService,
  ) {}

  onModuleInit(): void {
    this.jobs.work(CHECK_WEBHOOKS, (_, { signal }) => this.checkDue(signal));
    this.jobs.schedule(CHECK_WEBHOOKS, { everySeconds: EVERY_SECONDS });
  }

  /** Challenges all due webhooks; ends early when the signal aborts. */
  async checkDue(signal?: AbortSignal): Promise<void> {
    for (;;) {
      if (signal?.aborted) return;
      const now = this.clock.now();
      const leased = new Date(now.getTime() + LEASE_MS);
      const due = await claimChecks(this.db.manager, now.toISOString(), leased.toISOString(), AT_ONCE);
      await Promise.all(due.map((each) => this.check(each)));
      if (due.length < AT_ONCE) return;
    }
  }

  /** A challenge whose result could not be recorded is repeated when its lease expires. */
  private async check(webhook: Row<Webhook>): Promise<void> {
    try {
      await this.checks.check(webhook, { isScheduled: true });
    } catch (error) {
      this.logger.error(`The webhook ${webhook.id} could not be challenged: ${failureReasonOf(error)}`);
    }
  }
}
