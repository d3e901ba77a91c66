import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import { DeliveryWorker } from './delivery-worker.js';
import { takesEvents } from '../endpoints/webhooks.statements.js';
import { Webhook } from '../entities/webhook.entity.js';
import { unknownEventKind, webhookNotFound, webhookNotValid } from '../webhooks.errors.js';
import { eventFor } from '../events/event-for.js';

/** The body of an example event of each kind. */
type EventExamples = ReadonlyMap<string, Record<string, unknown>>;

/** Stores test events with which an integrator tries a webhook. */
@Injectable()
export class TrialEventsService {
  private read?: Promise<EventExamples>;
  private readExamples: () => Promise<EventExamples> = () => Promise.resolve(new Map());

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly deliveries: DeliveryWorker,
  ) {}

  /** Has this service use the examples of the API reference; to be called while the application starts. */
  register(readExamples: () => Promise<EventExamples>): void {
    this.readExamples = readExamples;
  }

  /** The kinds of events that have an example. */
  async kinds(): Promise<string[]> {
    return [...(await this.examples()).keys()].sort();
  }

  /** Stores the example of this kind as a test event for one webhook. Returns its id; 400 for an unknown kind. */
  async sendExample(webhookId: string, kind: string): Promise<string> {
    const examples = await this.examples();
    const example = examples.get(kind);
    if (!example) throw unknownEventKind(kind, [...examples.keys()].sort());
    const { event_id: _, created_timestamp: __, ...body } = example;
    return this.send(webhookId, body);
  }

  /** They are read once, when they are first needed. */
  private examples(): Promise<EventExamples> {
    this.read ??= this.readExamples().catch((error: unknown) => {
      this.read = undefined;
      throw error;
    });
    return this.read;
  }

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
