import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Created } from '../../common/http/answers/results.js';
import { Clock } from '../../common/time/clock.js';
import { changeCounters, isLimitReached } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { deletePermanently, insert, write } from '../../common/db/query/write.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { newId } from '../../common/entity/ids.js';
import type { Page } from '../../common/http/answers/page.js';
import { tokenPage } from '../../common/list/token-page.js';
import { WebhooksService } from '../endpoints/webhooks.service.js';
import {
  COUNTED_SUBSCRIPTIONS,
  SUBSCRIBED_ONCE,
  WebhookSubscription,
} from '../entities/webhook-subscription.entity.js';
import { Webhook } from '../entities/webhook.entity.js';
import {
  MAX_SUBSCRIPTIONS,
  accountNotReadable,
  subscriptionLimitExceeded,
  subscriptionNotFound,
  webhookNotFound,
} from '../webhooks.errors.js';
import type { Subscription } from './subscription.presenter.js';
import type { ListSubscriptions, SubscriptionScope } from './subscriptions.dto.js';
import { canRead, mayRead, readableOf, readsAny } from './subscriptions.statements.js';

/** Manages the ad accounts that webhooks subscribe to. Each event checks the access again. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly db: DataSource,
    private readonly webhooks: WebhooksService,
    private readonly clock: Clock,
  ) {}

  /** The subscriptions of a webhook of this application. */
  async list(applicationId: string, webhookId: string, query: ListSubscriptions): Promise<Page<Subscription>> {
    await this.webhooks.own(applicationId, webhookId);
    const found = await tokenPage(rows(this.db.manager, WebhookSubscription).where('webhookId', webhookId), query);
    const accountIds = found.items.flatMap(({ accountId }) => accountId ?? []);
    const now = this.clock.now().toISOString();
    const [readable, any] = await Promise.all([
      readableOf(this.db.manager, applicationId, accountIds, now),
      accountIds.length < found.items.length && readsAny(this.db.manager, applicationId, now),
    ]);
    return found.map((subscription) => ({
      subscription,
      active: subscription.accountId === null ? any : readable.has(subscription.accountId),
    }));
  }

  /**
   * Subscribes a webhook to an account that its application may read, or to all of them; returns an existing
   * subscription unchanged.
   */
  async create(
    applicationId: string,
    webhookId: string,
    { account_id: accountId }: SubscriptionScope,
    db = this.db.manager,
  ): Promise<Created<Subscription>> {
    await this.webhooks.own(applicationId, webhookId, db);
    const created = await this.findOrCreate(db, applicationId, webhookId, accountId);
    const active = await this.isActive(db, applicationId, accountId);
    return created.map((subscription) => ({ subscription, active }));
  }

  /** Deletes the subscription to an account, or the one to all accounts. */
  async delete(
    applicationId: string,
    webhookId: string,
    { account_id: accountId }: SubscriptionScope,
    db = this.db.manager,
  ): Promise<void> {
    await this.webhooks.own(applicationId, webhookId, db);
    await db.transaction(async (tx) => {
      const found = await subscriptionTo(tx, webhookId, accountId).setLock('for_no_key_update').getOne();
      if (!found) throw subscriptionNotFound(accountId);
      await write(tx, [
        deletePermanently(WebhookSubscription, [{ id: found.id }]),
        ...changeCounters([counted(webhookId, -1)]),
      ]);
    });
  }

  /** Returns an existing subscription to an account or to all accounts unchanged; otherwise stores one. */
  private async findOrCreate(
    db: EntityManager,
    applicationId: string,
    webhookId: string,
    accountId: string | undefined,
  ): Promise<Created<Row<WebhookSubscription>>> {
    for (;;) {
      const found = await subscriptionTo(db, webhookId, accountId).getOne();
      if (found) return new Created(found, false);
      try {
        return new Created(await this.store(db, applicationId, webhookId, accountId), true);
      } catch (error) {
        if (isLimitReached(error)) throw subscriptionLimitExceeded();
        // A concurrent request created the subscription first, and may already have deleted it.
        if (!SUBSCRIBED_ONCE.some((name) => name === sqlStateOf(error).constraint)) throw error;
      }
    }
  }

  private isActive(db: EntityManager, applicationId: string, accountId: string | undefined): Promise<boolean> {
    const now = this.clock.now().toISOString();
    return accountId === undefined ? readsAny(db, applicationId, now) : canRead(db, applicationId, accountId, now);
  }

  private store(
    db: EntityManager,
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
        db,
        [insert(WebhookSubscription, [subscription]), ...changeCounters([counted(webhookId, 1)])],
        [
          exists(Webhook, { id: webhookId }, () => webhookNotFound(webhookId)),
          ...(accountId === undefined ? [] : [mayRead(applicationId, accountId, subscription.createdAt, refusal)]),
        ],
      );
      return subscription;
    });
  }
}

/** The subscription to an account, or the one to all accounts. */
const subscriptionTo = (db: EntityManager, webhookId: string, accountId: string | undefined) =>
  rows(db, WebhookSubscription)
    .where('webhookId', webhookId)
    .where('accountId', accountId ?? null);

const counted = (webhookId: string, by: number) => ({
  ownerId: webhookId,
  kind: COUNTED_SUBSCRIPTIONS,
  by,
  limit: MAX_SUBSCRIPTIONS,
});
