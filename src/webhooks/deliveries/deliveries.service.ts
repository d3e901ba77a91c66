import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { groupedBy } from '../../common/values/grouped.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Page } from '../../common/http/answers/page.js';
import { tokenPage } from '../../common/list/token-page.js';
import { WebhooksService } from '../endpoints/webhooks.service.js';
import { eventIn, eventKindOf, renderEvent } from '../events/event-body.js';
import { canReceive } from '../subscriptions/subscriptions.statements.js';
import { accountNotReadable, deliveryNotFound, eventNotFound, webhookNotValid } from '../webhooks.errors.js';
import type { EventLog } from './event-log.js';
import type { ListDeliveries } from './deliveries.dto.js';
import type { LoggedDelivery } from './delivery.presenter.js';
import {
  countDeliveries,
  lastAttempts,
  lastExchanges,
  resend,
  type CountedRange,
  type DeliveryCount,
} from './delivery.statements.js';
import { DeliveryWorker } from './delivery-worker.js';
import { eventTextsOf } from './event-texts.js';
import { Config } from '../../config/config.js';
import { deliveryIdOf, WebhookDelivery, type WebhookDeliveryState } from '../entities/webhook-delivery.entity.js';

/** Maximum number of deliveries that an event is shown with. */
const MAX_OF_EVENT = 10;

/** Number of deliveries that a search for a kind of event reads at once, and at most. */
const READ_AT_ONCE = 100;
const MAX_READ = 500;

/** Which deliveries of an application to find. */
export interface DeliveryFilter {
  webhookId?: string;
  state?: WebhookDeliveryState;
  kind?: string;
  /** Only deliveries before this one. */
  before?: string;
}

/** Deliveries of an application, the newest first. */
export interface FoundDeliveries {
  items: { delivery: Row<WebhookDelivery>; kind: string | undefined }[];
  /** The delivery before which further ones may be; undefined at the end. */
  before: string | undefined;
}

/** The log of webhook deliveries. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
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
    await this.requireReadable(db, applicationId, { webhookId, deliveryId });
    const delivery = await resend(db, webhookId, deliveryId, this.clock.now());
    if (!delivery) throw deliveryNotFound(deliveryId);
    this.worker.wakeUp();
    const [logged] = await this.logged(db, [delivery]);
    return logged;
  }

  /** Requires that the application may still receive the event that a delivery brings. */
  private async requireReadable(
    db: EntityManager,
    applicationId: string,
    { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
  ): Promise<void> {
    const delivery = await rows(db, WebhookDelivery).where('webhookId', webhookId).where('id', deliveryId).getOne();
    if (!delivery) throw deliveryNotFound(deliveryId);
    const [stored] = await eventTextsOf(db, [delivery.eventId]);
    const accountId = stored?.event.accountId ?? null;
    // events of no account are the application's own
    if (accountId !== null && !(await this.mayReceive(db, applicationId, accountId, delivery)))
      throw accountNotReadable(accountId);
  }

  private mayReceive(
    db: EntityManager,
    applicationId: string,
    accountId: string,
    { eventId, eventTime: time }: Pick<Row<WebhookDelivery>, 'eventId' | 'eventTime'>,
  ): Promise<boolean> {
    return canReceive(db, applicationId, { accountId, eventId, time, now: this.clock.now().toISOString() });
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

  /**
   * The newest deliveries to the webhooks of this application that match, at most `limit`. The kind of an event is in its
   * text, so a search for a kind reads at most 500 deliveries; `before` continues it.
   */
  async find(applicationId: string, filter: DeliveryFilter, limit: number): Promise<FoundDeliveries> {
    const { webhookId, kind } = filter;
    const ids = (await this.webhooks.list(applicationId)).map(({ id }) => id);
    const searched = ids.filter((id) => webhookId === undefined || id === webhookId);
    const items: FoundDeliveries['items'] = [];
    let { before } = filter;
    for (let read = 0; read < MAX_READ; read += READ_AT_ONCE) {
      const deliveries = await this.before(searched, { ...filter, before }, READ_AT_ONCE);
      const kinds = await this.kindsOf(deliveries);
      for (const delivery of deliveries) {
        if (items.length === limit) return { items, before };
        before = delivery.id;
        const own = kinds.get(delivery.eventId);
        if (kind === undefined || own === kind) items.push({ delivery, kind: own });
      }
      if (deliveries.length < READ_AT_ONCE) return { items, before: undefined };
    }
    return { items, before };
  }

  /** Counts deliveries to these webhooks of this application by state and time. */
  async count(applicationId: string, range: CountedRange): Promise<DeliveryCount[]> {
    const webhooks = await this.webhooks.list(applicationId);
    const ids = webhooks.map(({ id }) => id);
    return ids.length === 0 ? [] : countDeliveries(this.db.manager, ids, range);
  }

  /** An event with its deliveries to the webhooks of this application; 404 without any. */
  async event(applicationId: string, eventId: string): Promise<EventLog> {
    const { manager } = this.db;
    const webhooks = new Map((await this.webhooks.list(applicationId)).map((each) => [each.id, each]));
    const deliveries =
      webhooks.size === 0
        ? []
        : await rows(manager, WebhookDelivery)
            .whereIn('webhookId', [...webhooks.keys()])
            .where('eventId', eventId)
            .orderBy('createdAt', 'DESC')
            .limit(MAX_OF_EVENT)
            .getMany();
    if (deliveries.length === 0) throw eventNotFound(eventId);
    const ids = deliveries.map(({ id }) => id);
    const [[stored], exchanges] = await Promise.all([eventTextsOf(manager, [eventId]), lastExchanges(manager, ids)]);
    const attempts = groupedBy(exchanges, ({ deliveryId }) => deliveryId);
    const accountId = stored?.event.accountId ?? null;
    const time = deliveries[0].eventTime;
    const mayRead = accountId === null || (await this.mayReceive(manager, applicationId, accountId, deliveries[0]));
    return {
      id: eventId,
      kind: stored && eventKindOf(stored),
      time,
      accountId,
      text: stored && mayRead ? eventIn(this.config.names, renderEvent(stored)) : undefined,
      deliveries: deliveries.map((delivery) => ({
        delivery,
        webhook: webhooks.get(delivery.webhookId)!,
        attempts: attempts.get(delivery.id) ?? [],
      })),
    };
  }

  /** The next deliveries of these webhooks, merged: an index has those of one webhook in their order. */
  private async before(
    webhookIds: readonly string[],
    { state, before }: DeliveryFilter,
    limit: number,
  ): Promise<Row<WebhookDelivery>[]> {
    const lists = await Promise.all(
      webhookIds.map((id) => {
        const deliveries = rows(this.db.manager, WebhookDelivery).where('webhookId', id);
        // A literal, so that the planner can use the partial index of undelivered rows.
        if (state) deliveries.whereLiteral('state', state);
        if (before !== undefined) deliveries.whereLessThan('id', before);
        return deliveries.orderBy('id', 'DESC').limit(limit).getMany();
      }),
    );
    return lists
      .flat()
      .sort((one, other) => (one.id < other.id ? 1 : -1))
      .slice(0, limit);
  }

  private async kindsOf(
    deliveries: readonly Row<WebhookDelivery>[],
    db = this.db.manager,
  ): Promise<Map<string, string>> {
    const events = await eventTextsOf(db, [...new Set(deliveries.map(({ eventId }) => eventId))]);
    return new Map(events.map((each) => [each.event.id, eventKindOf(each)]));
  }

  private async logged(db: EntityManager, deliveries: readonly Row<WebhookDelivery>[]): Promise<LoggedDelivery[]> {
    const [kinds, attempts] = await Promise.all([
      this.kindsOf(deliveries, db),
      lastAttempts(
        db,
        deliveries.map(({ id }) => id),
      ),
    ]);
    const own = groupedBy(attempts, ({ deliveryId }) => deliveryId);
    return deliveries.map((delivery) => ({
      delivery,
      kind: kinds.get(delivery.eventId),
      attempts: own.get(delivery.id) ?? [],
    }));
  }
}
