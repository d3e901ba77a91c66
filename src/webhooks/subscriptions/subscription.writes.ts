import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { count, isLimitReached } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { erase, insert, write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { Made } from '../../common/http/answers/made.js';
import {
  COUNTED_SUBSCRIPTIONS,
  SUBSCRIBED_ONCE,
  WebhookSubscription,
} from '../entities/webhook-subscription.entity.js';
import { Webhook } from '../entities/webhook.entity.js';
import {
  accountNotReadable,
  MAX_SUBSCRIPTIONS,
  subscriptionLimitExceeded,
  subscriptionNotFound,
  webhookNotFound,
} from '../webhooks.errors.js';
import { mayRead } from './subscriptions.statements.js';

/** Stores and deletes the subscriptions of webhooks, and counts those of each webhook. */
@Injectable()
export class SubscriptionWrites {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Returns an existing subscription to an account or to all accounts unchanged; otherwise stores one. */
  async findOrCreate(
    applicationId: string,
    webhookId: string,
    accountId: string | undefined,
  ): Promise<Made<Row<WebhookSubscription>>> {
    for (;;) {
      const found = await this.to(webhookId, accountId).getOne();
      if (found) return new Made(found, false);
      try {
        return new Made(await this.create(applicationId, webhookId, accountId), true);
      } catch (error) {
        if (isLimitReached(error)) throw subscriptionLimitExceeded();
        // A concurrent request created the subscription first, and may already have deleted it.
        if (!SUBSCRIBED_ONCE.some((name) => name === sqlStateOf(error).constraint)) throw error;
      }
    }
  }

  async delete(webhookId: string, accountId: string | undefined): Promise<void> {
    await this.db.transaction(async (tx) => {
      const found = await this.to(webhookId, accountId, tx).setLock('for_no_key_update').getOne();
      if (!found) throw subscriptionNotFound(accountId);
      await write(tx, [erase(WebhookSubscription, [{ id: found.id }]), ...count([counted(webhookId, -1)])]);
    });
  }

  /** The subscription to an account, or the one to all accounts. */
  private to(webhookId: string, accountId: string | undefined, db = this.db.manager) {
    return rows(db, WebhookSubscription)
      .where('webhookId', webhookId)
      .where('accountId', accountId ?? null);
  }

  private create(
    applicationId: string,
    webhookId: string,
    accountId: string | undefined,
  ): Promise<Row<WebhookSubscription>> {
    return retrying(async () => {
      const now = this.clock.now();
      const subscription: Row<WebhookSubscription> = {
        id: newId(now),
        webhookId,
        accountId: accountId ?? null,
        createdAt: now.toISOString(),
      };
      const refusal = () => accountNotReadable(accountId!);
      await write(
        this.db.manager,
        [insert(WebhookSubscription, [subscription]), ...count([counted(webhookId, 1)])],
        [
          exists(Webhook, { id: webhookId }, () => webhookNotFound(webhookId)),
          ...(accountId === undefined ? [] : [mayRead(applicationId, accountId, refusal)]),
        ],
      );
      return subscription;
    });
  }
}

const counted = (webhookId: string, by: number) => ({
  ownerId: webhookId,
  kind: COUNTED_SUBSCRIPTIONS,
  by,
  limit: MAX_SUBSCRIPTIONS,
});
