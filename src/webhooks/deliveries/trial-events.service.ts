import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import { DeliveryWorker } from './delivery-worker.js';
import { takesEvents } from '../endpoints/webhooks.statements.js';
import { Webhook } from '../entities/webhook.entity.js';
import { webhookNotFound, webhookNotValid } from '../webhooks.errors.js';
import { eventFor } from '../events/event-for.js';

/** Stores test events with which an integrator tries a webhook. */
@Injectable()
export class TrialEventsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly deliveries: DeliveryWorker,
  ) {}

  /** Stores a test event for one webhook, marked `test` and delivered like any other. Returns its id. */
  async send(webhookId: string, body: object): Promise<string> {
    const webhook = await rows(this.db.manager, Webhook).where('id', webhookId).getOne();
    if (!webhook) throw webhookNotFound(webhookId);
    const eventId = await retrying(async () => {
      const event = eventFor(webhook, { ...body, test: true }, this.clock.now());
      await write(this.db.manager, event.writes, [takesEvents(webhookId, () => webhookNotValid(webhookId))]);
      return event.eventId;
    });
    this.deliveries.wakeUp();
    return eventId;
  }
}
