import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { EntityManager } from 'typeorm';
import { BearerController } from '../../auth/guards/bearer-controller.js';
import { CurrentBearer } from '../../auth/guards/bearer.guard.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { OutsideTransaction } from '../../auth/idempotency/idempotency.interceptor.js';
import type { Bearer } from '../../auth/bearers/bearers.service.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { Returns, ReturnsList } from '../../common/http/answers/returns.js';
import { JsonBody, Params } from '../../common/http/params/params.js';
import { DeletedView, presentWebhook, WebhookValidityView, WebhookView } from './webhook.presenter.js';
import { CreateWebhook, ListWebhooks } from './webhooks.dto.js';
import { WebhooksService } from './webhooks.service.js';

/** The webhooks of an application. */
@BearerController('webhooks', { tag: 'Webhooks' })
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  /** Lists the webhooks of the application, at most five. */
  @Get()
  @ReturnsList(WebhookView)
  async list(@CurrentBearer() { applicationId }: Bearer, @Params() query: ListWebhooks) {
    const webhooks = await this.webhooks.list(applicationId);
    return webhooks.map((each) => presentWebhook(each, query['webhook_config.fields']));
  }

  /**
   * Registers a webhook. The service sends the URL a challenge, which must be answered within 10 seconds. The webhook
   * is then valid.
   */
  @Post()
  @OutsideTransaction()
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(WebhookView, { status: 201 })
  async create(@CurrentBearer() { applicationId }: Bearer, @JsonBody() params: CreateWebhook) {
    return presentWebhook(await this.webhooks.create(applicationId, params));
  }

  /** Challenges a webhook again. If it passes, it is valid and receives events again. */
  @Put(':webhook_id')
  @Returns(WebhookValidityView)
  async validate(@CurrentBearer() { applicationId }: Bearer, @Param('webhook_id') id: string) {
    const { valid } = await this.webhooks.validate(applicationId, id);
    return { valid };
  }

  /** Deletes a webhook with its subscriptions. Pending deliveries are not sent. */
  @Delete(':webhook_id')
  @Returns(DeletedView)
  async delete(@CurrentBearer() { applicationId }: Bearer, @Param('webhook_id') id: string, @Db() db: EntityManager) {
    await this.webhooks.delete(applicationId, id, db);
    return { deleted: true };
  }
}
