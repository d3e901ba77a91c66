import { Delete, Get, Param, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { EntityManager } from 'typeorm';
import { BearerController } from '../../auth/guards/bearer-controller.js';
import { CurrentBearer } from '../../auth/guards/bearer.guard.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import type { Bearer } from '../../auth/bearers/bearers.service.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { JsonBody, Params } from '../../common/http/params/params.js';
import { DeletedView } from '../endpoints/webhook.presenter.js';
import { presentSubscription, WebhookSubscriptionView } from './subscription.presenter.js';
import { ListSubscriptions, SubscriptionScope } from './subscriptions.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** The ad accounts that a webhook subscribes to. Not part of the specification: docs/gaps.md. */
@BearerController('webhooks/:webhook_id/subscriptions', { tag: 'Webhooks' })
export class WebhookSubscriptionsController {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  /** Lists the subscriptions of a webhook, newest first. */
  @Get()
  @ReturnsPage(WebhookSubscriptionView)
  async list(
    @CurrentBearer() { applicationId }: Bearer,
    @Param('webhook_id') id: string,
    @Params() query: ListSubscriptions,
  ) {
    return (await this.subscriptions.list(applicationId, id, query)).map(presentSubscription);
  }

  /**
   * Subscribes a webhook to an ad account, or to all that the application may read. A webhook has at most 5,000
   * subscriptions.
   */
  @Post()
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(WebhookSubscriptionView, { status: [200, 201] })
  async create(
    @CurrentBearer() { applicationId }: Bearer,
    @Param('webhook_id') id: string,
    @JsonBody() params: SubscriptionScope,
    @Db() db: EntityManager,
  ) {
    return (await this.subscriptions.create(applicationId, id, params, db)).map(presentSubscription);
  }

  /** Deletes the subscription to an ad account or, without one, the subscription to all accounts. */
  @Delete()
  @Returns(DeletedView)
  async delete(
    @CurrentBearer() { applicationId }: Bearer,
    @Param('webhook_id') id: string,
    @Params() params: SubscriptionScope,
    @Db() db: EntityManager,
  ) {
    await this.subscriptions.delete(applicationId, id, params, db);
    return { deleted: true };
  }
}
