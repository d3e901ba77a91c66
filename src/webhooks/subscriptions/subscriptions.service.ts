import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows } from '../../common/db/query/rows.js';
import type { Made } from '../../common/http/answers/made.js';
import type { Page } from '../../common/http/answers/page.js';
import { tokenPage } from '../../common/list/token-page.js';
import { WebhooksService } from '../endpoints/webhooks.service.js';
import { WebhookSubscription } from '../entities/webhook-subscription.entity.js';
import type { Subscription } from './subscription.presenter.js';
import { SubscriptionWrites } from './subscription.writes.js';
import type { ListSubscriptions, SubscriptionScope } from './subscriptions.dto.js';
import { readableOf, readsAny } from './subscriptions.statements.js';

/** Manages the ad accounts that webhooks subscribe to. Each event checks the access again. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly db: DataSource,
    private readonly webhooks: WebhooksService,
    private readonly writes: SubscriptionWrites,
  ) {}

  /** The subscriptions of a webhook of this application. */
  async list(applicationId: string, webhookId: string, query: ListSubscriptions): Promise<Page<Subscription>> {
    await this.webhooks.own(applicationId, webhookId);
    const found = await tokenPage(rows(this.db.manager, WebhookSubscription).where('webhookId', webhookId), query);
    const accountIds = found.items.flatMap(({ accountId }) => accountId ?? []);
    const [readable, any] = await Promise.all([
      readableOf(this.db.manager, applicationId, accountIds),
      accountIds.length < found.items.length && readsAny(this.db.manager, applicationId),
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
  async create(applicationId: string, webhookId: string, scope: SubscriptionScope): Promise<Made<Subscription>> {
    const { account_id: accountId } = scope;
    await this.webhooks.own(applicationId, webhookId);
    const made = await this.writes.findOrCreate(applicationId, webhookId, accountId);
    const active = await this.isActive(applicationId, accountId);
    return made.map((subscription) => ({ subscription, active }));
  }

  /** Deletes the subscription to an account, or the one to all accounts. */
  async delete(applicationId: string, webhookId: string, { account_id: accountId }: SubscriptionScope): Promise<void> {
    await this.webhooks.own(applicationId, webhookId);
    await this.writes.delete(webhookId, accountId);
  }

  private async isActive(applicationId: string, accountId: string | undefined): Promise<boolean> {
    if (accountId === undefined) return readsAny(this.db.manager, applicationId);
    return (await readableOf(this.db.manager, applicationId, [accountId])).has(accountId);
  }
}
