import { Get, HttpCode, Param, Post } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BearerController } from '../../auth/guards/bearer-controller.js';
import { CurrentBearer } from '../../auth/guards/bearer.guard.js';
import type { Bearer } from '../../auth/bearers/bearers.service.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { ListDeliveries } from './deliveries.dto.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryView, presentDelivery } from './delivery.presenter.js';

/** Deliveries to a webhook. Not part of the specification: docs/gaps.md. */
@BearerController('webhooks/:webhook_id/deliveries', { tag: 'Webhooks' })
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  /**
   * Lists the deliveries to a webhook with their attempts, newest event first. Deliveries are kept for 30 days,
   * attempts for 7.
   */
  @Get()
  @ReturnsPage(DeliveryView)
  async list(
    @CurrentBearer() { applicationId }: Bearer,
    @Param('webhook_id') id: string,
    @Params() query: ListDeliveries,
  ) {
    return (await this.deliveries.list(applicationId, id, query)).map(presentDelivery);
  }

  /** Resends an event to a webhook, whatever the state of its delivery. A pending delivery is attempted now. */
  @Post(':delivery_id/resend')
  @HttpCode(200)
  @Returns(DeliveryView)
  async resend(
    @CurrentBearer() { applicationId }: Bearer,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
    @Db() db: EntityManager,
  ) {
    return presentDelivery(await this.deliveries.resend(applicationId, webhookId, deliveryId, db));
  }
}
