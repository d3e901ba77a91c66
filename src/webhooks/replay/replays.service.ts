import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Bearer } from '../../auth/bearers/bearers.service.js';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { insert, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { throwErrors } from '../../common/errors/api-error.js';
import { enqueueWrite, notifyWorkers } from '../../common/jobs/enqueue.js';
import { Webhook } from '../entities/webhook.entity.js';
import { WebhookChecksService } from '../endpoints/webhook-checks.service.js';
import { WebhooksService } from '../endpoints/webhooks.service.js';
import { takesEvents } from '../endpoints/webhooks.statements.js';
import { challengeFailed, needsCheck, replayNotFound, replayRunning } from '../webhooks.errors.js';
import type { ReplayProgress } from './replay.presenter.js';
import { MINUTE_MS } from '../../common/time/days.js';
import { problemsOfWindow, replayWindowOf, type ReplayWindow } from './replay.rules.js';
import type { StartReplay } from './replays.dto.js';
import { REPLAY_EVENTS } from './replays.job.js';
import { tallyOf } from './replays.statements.js';
import { ONE_RUNNING, WebhookReplay } from './webhook-replay.entity.js';

/** Starts and finds replay jobs. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly webhooks: WebhooksService,
    private readonly checks: WebhookChecksService,
  ) {}

  /** Starts a replay for a webhook that passes a challenge now. A webhook has one replay at a time. */
  async start({ applicationId }: Pick<Bearer, 'applicationId'>, params: StartReplay): Promise<Row<WebhookReplay>> {
    throwErrors(problemsOfWindow(params.from_date, params.to_date, this.clock.now()));
    return this.begin(applicationId, params.webhook_id, replayWindowOf(params.from_date, params.to_date));
  }

  /** Starts a replay of the events of the last minutes, at most a day. */
  async startForLast(applicationId: string, webhookId: string, minutes: number): Promise<Row<WebhookReplay>> {
    const to = this.clock.now();
    return this.begin(applicationId, webhookId, { from: new Date(to.getTime() - minutes * MINUTE_MS), to });
  }

  private async begin(applicationId: string, webhookId: string, { from, to }: ReplayWindow) {
    const webhook = await this.webhooks.own(applicationId, webhookId);
    const { passed, reason, isDisabled } = await this.checks.check(webhook);
    if (!passed) throw isDisabled ? needsCheck(webhook.id, reason) : challengeFailed(webhook.id, reason);
    const replay = await retrying(async () => {
      const now = this.clock.now();
      const created: Row<WebhookReplay> = {
        id: newNumber(now),
        webhookId,
        fromTime: from.toISOString(),
        toTime: to.toISOString(),
        state: 'RUNNING',
        lastEventTime: from.toISOString(),
        lastEventId: '',
        events: 0,
        createdAt: now.toISOString(),
        endedAt: null,
      };
      await write(
        this.db.manager,
        [insert(WebhookReplay, [created]), enqueueWrite(REPLAY_EVENTS, [{}])],
        [takesEvents(webhook.id, () => needsCheck(webhook.id))],
      );
      return created;
    }).catch((error: unknown) => {
      throw sqlStateOf(error).constraint === ONE_RUNNING ? replayRunning(webhookId) : error;
    });
    notifyWorkers(this.db.manager, REPLAY_EVENTS);
    return replay;
  }

  /** A replay of a webhook of this application, with the results of its deliveries so far. */
  async find({ applicationId }: Pick<Bearer, 'applicationId'>, id: string): Promise<ReplayProgress> {
    const own = rows(this.db.manager, Webhook).withDeleted().where('applicationId', applicationId);
    const replay = await rows(this.db.manager, WebhookReplay)
      .where('id', id)
      .whereInSubquery('webhookId', own, 'id')
      .getOne();
    if (!replay) throw replayNotFound(id);
    return { replay, tally: await tallyOf(this.db.manager, id) };
  }
}
