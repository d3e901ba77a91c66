import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Application } from '../../auth/credentials/application.entity.js';
import { Clock } from '../../common/clock.js';
import { Counter } from '../../common/db/counters/counter.entity.js';
import { count, isLimitReached } from '../../common/db/counters/counters.js';
import { deletedRow, newRow } from '../../common/db/query/new-row.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { erase, insert, replace, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { invalidToken } from '../../common/errors/catalogue.js';
import { COUNTED_SUBSCRIPTIONS, WebhookSubscription } from '../entities/webhook-subscription.entity.js';
import { URL_ONCE, Webhook } from '../entities/webhook.entity.js';
import { duplicateUrlFailed, MAX_WEBHOOKS, webhookLimitExceeded, webhookNotFound } from '../webhooks.errors.js';
import { nextCheckAfter } from './checks.rules.js';

/** Stores and deletes webhooks, and counts those of each application. */
@Injectable()
export class WebhookWrites {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Stores a webhook that has passed a challenge. */
  create(applicationId: string, url: string): Promise<Row<Webhook>> {
    return retrying(() => this.store(applicationId, url)).catch((error: unknown) => {
      if (sqlStateOf(error).constraint === URL_ONCE) throw duplicateUrlFailed(url);
      throw isLimitReached(error) ? webhookLimitExceeded(url) : error;
    });
  }

  /** Deletes a webhook of this application with its subscriptions. */
  delete(applicationId: string, id: string): Promise<Row<Webhook>> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
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
          erase(Counter, [{ ownerId: id, kind: COUNTED_SUBSCRIPTIONS }]),
          ...count([counted(applicationId, -1)]),
        ]);
        return deleted;
      }),
    );
  }

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
      [insert(Webhook, [webhook]), ...count([counted(applicationId, 1)])],
      [exists(Application, { id: applicationId }, invalidToken)],
    );
    return webhook;
  }
}

const counted = (ownerId: string, by: number) => ({ ownerId, kind: 'webhooks', by, limit: MAX_WEBHOOKS });
