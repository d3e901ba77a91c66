import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { groupedBy } from '../../common/values/grouped.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Page } from '../../common/http/answers/page.js';
import { tokenPage } from '../../common/list/token-page.js';
import { WebhooksService } from '../endpoints/webhooks.service.js';
import { eventKindOf } from '../events/event-body.js';
import { deliveryNotFound, webhookNotValid } from '../webhooks.errors.js';
import type { ListDeliveries } from './deliveries.dto.js';
import type { LoggedDelivery } from './delivery.presenter.js';
import { lastAttempts, resend } from './delivery.statements.js';
import { DeliveryWorker } from './delivery-worker.js';
import { eventTextsOf } from './event-texts.js';
import { deliveryIdOf, WebhookDelivery } from '../entities/webhook-delivery.entity.js';

/** The log of webhook deliveries. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly webhooks: WebhooksService,
    private readonly worker: DeliveryWorker,
  ) {}

  /** Lists the deliveries to a webhook of this application. */
  async list(applicationId: string, webhookId: string, query: ListDeliveries): Promise<Page<LoggedDelivery>> {
    await this.webhooks.own(applicationId, webhookId);
    const deliveries = rows(this.db.manager, WebhookDelivery).where('webhookId', webhookId);
    // A literal, so that the planner can use the partial index of undelivered rows.
    if (query.state) deliveries.whereLiteral('state', query.state);
    const found = await tokenPage(deliveries, query);
    const logged = new Map((await this.logged(this.db.manager, found.items)).map((each) => [each.delivery.id, each]));
    return found.map(({ id }) => logged.get(id)!);
  }

  /**
   * Resends an event to a webhook of this application, whatever the state of its delivery. It may start a second later.
   */
  async resend(
    applicationId: string,
    webhookId: string,
    deliveryId: string,
    db = this.db.manager,
  ): Promise<LoggedDelivery> {
    const webhook = await this.webhooks.own(applicationId, webhookId, db);
    if (!webhook.valid) throw webhookNotValid(webhookId);
    const delivery = await resend(db, webhookId, deliveryId, this.clock.now());
    if (!delivery) throw deliveryNotFound(deliveryId);
    this.worker.wakeUp();
    const [logged] = await this.logged(db, [delivery]);
    return logged;
  }

  /** The kinds of events by id, and their first deliveries to webhooks of this application. Omits unknown events. */
  async ofEvents(
    applicationId: string,
    eventIds: readonly string[],
  ): Promise<{ kinds: Map<string, string>; deliveries: Row<WebhookDelivery>[] }> {
    if (eventIds.length === 0) return { kinds: new Map(), deliveries: [] };
    const [events, webhooks] = await Promise.all([
      eventTextsOf(this.db.manager, eventIds),
      this.webhooks.list(applicationId),
    ]);
    const ids = webhooks.flatMap((webhook) => events.map(({ event }) => deliveryIdOf(event.id, webhook.id)));
    const deliveries =
      ids.length === 0 ? [] : await rows(this.db.manager, WebhookDelivery).whereIn('id', ids).getMany();
    return { kinds: new Map(events.map((each) => [each.event.id, eventKindOf(each)])), deliveries };
  }

  private async logged(db: EntityManager, deliveries: readonly Row<WebhookDelivery>[]): Promise<LoggedDelivery[]> {
    const [events, attempts] = await Promise.all([
      eventTextsOf(db, [...new Set(deliveries.map(({ eventId }) => eventId))]),
      lastAttempts(
        db,
        deliveries.map(({ id }) => id),
      ),
    ]);
    const own = groupedBy(attempts, ({ deliveryId }) => deliveryId);
    const kinds = new Map(events.map((each) => [each.event.id, eventKindOf(each)]));
    return deliveries.map((delivery) => ({
      delivery,
      kind: kinds.get(delivery.eventId),
      attempts: own.get(delivery.id) ?? [],
    }));
  }
}
