import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Application } from '../../auth/credentials/application.entity.js';
import { Clock } from '../../common/time/clock.js';
import { Counter } from '../../common/db/counters/counter.entity.js';
import { changeCounters, isLimitReached } from '../../common/db/counters/counters.js';
import { deletedRow, newRow } from '../../common/db/query/new-row.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { deletePermanently, insert, replace, write } from '../../common/db/query/write.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { newNumber } from '../../common/entity/ids.js';
import { invalidToken } from '../../common/errors/catalogue.js';
import { Config } from '../../config/config.js';
import { COUNTED_SUBSCRIPTIONS, WebhookSubscription } from '../entities/webhook-subscription.entity.js';
import { URL_ONCE, Webhook } from '../entities/webhook.entity.js';
import {
  MAX_WEBHOOKS,
  crcValidationFailed,
  duplicateUrlFailed,
  webhookLimitExceeded,
  webhookNotFound,
} from '../webhooks.errors.js';
import { Challenges, type GetClient } from './challenge.js';
import { WebhookChecksService } from './webhook-checks.service.js';
import { nextCheckAfter, problemOfNewUrl, problemOfUrl } from './webhook.rules.js';

/** Lists, registers, validates and deletes the webhooks of applications. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly db: DataSource,
    private readonly config: Config,
    private readonly challenges: Challenges,
    private readonly checks: WebhookChecksService,
    private readonly clock: Clock,
  ) {}

  /** The webhooks of an application; they are few. */
  list(applicationId: string, db = this.db.manager): Promise<Row<Webhook>[]> {
    return rows(db, Webhook).where('applicationId', applicationId).orderBy('id').getMany();
  }

  /** A webhook of this application; 404 for any other. */
  async own(applicationId: string, id: string, db = this.db.manager): Promise<Row<Webhook>> {
    const webhook = await rows(db, Webhook).where('id', id).where('applicationId', applicationId).getOne();
    if (!webhook) throw webhookNotFound(id);
    return webhook;
  }

  /** Registers a URL that passes a challenge. The challenge precedes all writes. */
  async create(applicationId: string, { url }: { url: string }, by?: GetClient): Promise<Row<Webhook>> {
    const invalid = problemOfUrl(url, this.config.production);
    if (invalid) throw invalid;
    const refused = problemOfNewUrl(url, await this.list(applicationId));
    if (refused) throw refused;

    const { passed, reason } = await this.challenges.ask({ applicationId, url }, by);
    if (!passed) throw crcValidationFailed(url, reason);
    return retrying(() => this.store(applicationId, url)).catch((error: unknown) => {
      if (sqlStateOf(error).constraint === URL_ONCE) throw duplicateUrlFailed(url);
      throw isLimitReached(error) ? webhookLimitExceeded(url) : error;
    });
  }

  /** Challenges a webhook of this application again. If it passes, it is valid; otherwise this throws. */
  async validate(applicationId: string, id: string): Promise<Row<Webhook>> {
    const webhook = await this.own(applicationId, id);
    const { passed, reason } = await this.checks.check(webhook);
    if (!passed) throw crcValidationFailed(webhook.url, reason);
    return this.own(applicationId, id);
  }

  /** Deletes a webhook of this application with its subscriptions. Pending deliveries are not sent. */
  delete(applicationId: string, id: string, db = this.db.manager): Promise<Row<Webhook>> {
    return retrying(() =>
      db.transaction(async (tx) => {
        const webhook = await rows(tx, Webhook)
          .where('id', id)
          .where('applicationId', applicationId)
          .setLock('pessimistic_write')
          .getOne();
        if (!webhook) throw webhookNotFound(id);
        const deleted = deletedRow(webhook, this.clock.now());
        await rows(tx, WebhookSubscription).where('webhookId', id).delete();
        await write(tx, [
          replace(Webhook, [deleted]),
          deletePermanently(Counter, [{ ownerId: id, kind: COUNTED_SUBSCRIPTIONS }]),
          ...changeCounters([counted(applicationId, -1)]),
        ]);
        return deleted;
      }),
    );
  }

  /** Stores a webhook that has passed a challenge. */
  private async store(applicationId: string, url: string): Promise<Row<Webhook>> {
    const now = this.clock.now();
    const webhook: Row<Webhook> = {
      ...newRow(now, newNumber),
      applicationId,
      url,
      valid: true,
      invalidReason: null,
      validatedAt: now.toISOString(),
      nextCheckAt: nextCheckAfter(now, now),
      failingSince: null,
    };
    await write(
      this.db.manager,
      [insert(Webhook, [webhook]), ...changeCounters([counted(applicationId, 1)])],
      [exists(Application, { id: applicationId }, invalidToken)],
    );
    return webhook;
  }
}

const counted = (ownerId: string, by: number) => ({ ownerId, kind: 'webhooks', by, limit: MAX_WEBHOOKS });
