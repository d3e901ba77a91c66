import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Admission, type CountedRequest } from '../../auth/guards/admission.js';
import { rateLimited } from '../../auth/oauth-errors.js';
import { formFieldsOf, queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Clock } from '../../common/time/clock.js';
import { minuteOf } from '../../common/time/days.js';
import type { QuotaName } from '../../config/quotas.js';
import type { DeliveryCount } from '../../webhooks/deliveries/delivery.statements.js';
import { DeliveriesService, type DeliveryFilter } from '../../webhooks/deliveries/deliveries.service.js';
import { TrialEventsService } from '../../webhooks/deliveries/trial-events.service.js';
import { WebhooksService } from '../../webhooks/endpoints/webhooks.service.js';
import { ReplaysService } from '../../webhooks/replay/replays.service.js';
import { SubscriptionsService } from '../../webhooks/subscriptions/subscriptions.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Webhook } from '../../webhooks/entities/webhook.entity.js';
import { DELIVERY_STATES, type WebhookDeliveryState } from '../../webhooks/entities/webhook-delivery.entity.js';
import {
  beginOf,
  healthOf,
  presentEvent,
  presentLine,
  presentReplay,
  SPANS,
  stripOf,
  type Span,
} from './webhooks-page.presenter.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';

/** Number of deliveries that a webhook is shown with, and of a page of the list of events. */
const LISTED = 20;
const EVENTS_LISTED = 50;
/** Number of subscriptions that a webhook is shown with. */
const MAX_SUBSCRIPTIONS_SHOWN = 20;
/** Maximum number of deliveries of a webhook that a strip counts. */
const MAX_COUNTED = 5_000;
/** The time windows of a replay. */
const WINDOWS = [
  { minutes: 15, title: 'last 15 minutes' },
  { minutes: 60, title: 'last hour' },
  { minutes: 1_440, title: 'last 24 hours' },
];

/** What happened, by the name of the query parameter that the redirect after a form has. */
const NOTICES = {
  registered: 'The webhook passed its challenge and is registered',
  validated: 'The webhook passed a challenge and is valid',
  deleted: 'The webhook is deleted',
  subscribed: 'The webhook is subscribed',
  unsubscribed: 'The subscription is deleted',
} as const;

type Texts = Record<string, string | undefined>;

/** The webhooks of an application in a browser: their health, their events, and what can be done with them. */
@SectionController('webhooks')
export class WebhooksPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly subscriptions: SubscriptionsService,
    private readonly deliveries: DeliveriesService,
    private readonly replays: ReplaysService,
    private readonly trials: TrialEventsService,
    private readonly admission: Admission,
    private readonly clock: Clock,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit, queryParametersOf(reply.request));
  }

  /** Registers a webhook, and subscribes it to an account or to all. */
  @Post()
  async register(@Res() reply: FastifyReply) {
    await this.change(reply, async ({ application }) => {
      const { url = '', subscribe = '', account_id: accountId } = formFieldsOf(reply.request);
      await this.count(reply, 'WRITES', application.id);
      const { id } = await this.webhooks.create(application.id, { url: url.trim() });
      if (subscribe !== 'none') await this.subscriptions.create(application.id, id, scopeOf(accountId));
      return '?done=registered';
    });
  }

  /** Sends a webhook a challenge. */
  @Post(':webhook_id/validate')
  async validate(@Param('webhook_id') webhookId: string, @Res() reply: FastifyReply) {
    await this.change(reply, async ({ application }) => {
      await this.count(reply, 'WRITES', application.id);
      await this.webhooks.validate(application.id, webhookId);
      return '?done=validated';
    });
  }

  /** Deletes a webhook. */
  @Post(':webhook_id/delete')
  async delete(@Param('webhook_id') webhookId: string, @Res() reply: FastifyReply) {
    await this.change(reply, async ({ application }) => {
      await this.webhooks.delete(application.id, webhookId);
      return '?done=deleted';
    });
  }

  /** Subscribes a webhook to an account, or to all. */
  @Post(':webhook_id/subscriptions')
  async subscribe(@Param('webhook_id') webhookId: string, @Res() reply: FastifyReply) {
    await this.change(reply, async ({ application }) => {
      await this.subscriptions.create(application.id, webhookId, scopeOf(formFieldsOf(reply.request).account_id));
      return '?done=subscribed';
    });
  }

  /** Deletes a subscription. */
  @Post(':webhook_id/subscriptions/delete')
  async unsubscribe(@Param('webhook_id') webhookId: string, @Res() reply: FastifyReply) {
    await this.change(reply, async ({ application }) => {
      await this.subscriptions.delete(application.id, webhookId, scopeOf(formFieldsOf(reply.request).account_id));
      return '?done=unsubscribed';
    });
  }

  /** Sends a webhook a test event. */
  @Post(':webhook_id/test-event')
  async sendTestEvent(@Param('webhook_id') webhookId: string, @Res() reply: FastifyReply) {
    await this.change(reply, async ({ application }) => {
      await this.count(reply, 'WRITES', application.id);
      const { id } = await this.webhooks.own(application.id, webhookId);
      const eventId = await this.trials.sendExample(id, formFieldsOf(reply.request).kind ?? '');
      return `/events/${eventId}`;
    });
  }

  /** Sends the events of a time window again. */
  @Post(':webhook_id/replay')
  async replay(@Param('webhook_id') webhookId: string, @Res() reply: FastifyReply) {
    await this.change(reply, async ({ application }) => {
      const { minutes, from, to } = formFieldsOf(reply.request);
      const start = minutes === undefined ? this.replayOf(webhookId, from, to) : this.replayOfLast(webhookId, minutes);
      const counted = await this.count(reply, 'WEBHOOK_REPLAYS', application.id);
      try {
        const replay = await start(application.id);
        return `?job_id=${replay.id}`;
      } catch (error) {
        if (error instanceof ApiError && error.status === 400 && counted) await this.admission.refund(reply, counted);
        throw error;
      }
    });
  }

  /** Sends one event again. The form of the page of an event leads back to it. */
  @Post(':webhook_id/deliveries/:delivery_id/resend')
  async resend(
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
    @Res() reply: FastifyReply,
  ) {
    await this.change(reply, async ({ application }) => {
      const { delivery } = await this.deliveries.resend(application.id, webhookId, deliveryId);
      const page = formFieldsOf(reply.request).to === 'event' ? `/events/${delivery.eventId}` : '';
      return `${page}?resent=${encodeURIComponent(delivery.id)}`;
    });
  }

  /** The events of the application by webhook, state and kind. */
  @Get('events')
  async events(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
    const query = queryParametersOf(reply.request);
    const given: Texts = Object.fromEntries(Object.entries(query).filter(([, value]) => value?.trim() !== ''));
    const applicationId = visit.application.id;
    const [webhooks, kinds] = await Promise.all([this.webhooks.list(applicationId), this.trials.kinds()]);
    const problem = problemOf(given, webhooks);
    const filter = { webhookId: given.webhook_id, state: given.state, kind: given.kind, before: given.before };
    const found = problem
      ? undefined
      : await this.deliveries.find(applicationId, filter as DeliveryFilter, EVENTS_LISTED);
    const older = found?.before && `?${new URLSearchParams({ ...(given as object), before: found.before }).toString()}`;
    await this.pages.show(reply, visit, {
      section: 'webhooks',
      template: 'webhooks/events',
      title: 'Events',
      status: problem?.status,
      isLive: !problem && given.before === undefined,
      data: {
        given,
        problem: problem?.message,
        hasFilter: Boolean(given.webhook_id ?? given.state ?? given.kind),
        webhooks: webhooks.map(({ id, url }) => ({ id, url })),
        states: DELIVERY_STATES,
        kinds,
        lines: found?.items.map(presentLine) ?? [],
        urls: Object.fromEntries(webhooks.map(({ id, url }) => [id, url])),
        older,
      },
    });
  }

  /** An event: its text, and every attempt to deliver it. */
  @Get('events/:event_id')
  async event(@Param('event_id') eventId: string, @Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
    const event = presentEvent(await this.deliveries.event(visit.application.id, eventId));
    const { resent } = queryParametersOf(reply.request);
    await this.pages.show(reply, visit, {
      section: 'webhooks',
      template: 'webhooks/event',
      title: event.kind,
      isLive: true,
      data: { event, resent: event.deliveries.some(({ id }) => id === resent) ? resent : undefined },
    });
  }

  /** Carries out a form and redirects to what `work` returns. An error is shown above the list. */
  private async change(reply: FastifyReply, work: (visit: Visit) => Promise<string>): Promise<void> {
    // webhooks belong to the application, which has them whatever it may do with accounts
    await this.pages.carryOut(reply, 'webhooks', work, (visit, error) => this.show(reply, visit, {}, error), null);
  }

  /** Forms of an application count the same as its requests. */
  private count(reply: FastifyReply, quota: QuotaName, applicationId: string): Promise<CountedRequest | undefined> {
    return this.admission.admit(reply, {
      quota,
      owner: applicationId,
      limited: (_usage, retryAfter) => rateLimited(retryAfter),
    });
  }

  private replayOfLast(webhookId: string, given: string) {
    const { minutes } = windowOf(given);
    return (applicationId: string) => this.replays.startForLast(applicationId, webhookId, minutes);
  }

  private replayOf(webhookId: string, from: string | undefined, to: string | undefined) {
    const params = { webhook_id: webhookId, from_date: readMinute('from', from), to_date: readMinute('to', to) };
    return (applicationId: string) => this.replays.start({ applicationId }, params);
  }

  private async show(
    reply: FastifyReply,
    visit: Visit,
    { job_id: jobId, resent, done = '', span: spanName }: Texts,
    error?: ApiError,
  ): Promise<void> {
    const applicationId = visit.application.id;
    const span = SPANS.find(({ name }) => name === spanName) ?? SPANS[0];
    const since = new Date(beginOf(span, this.clock.ms()));
    const [webhooks, replay, counts, kinds] = await Promise.all([
      this.webhooks.list(applicationId),
      jobId === undefined ? undefined : this.replays.find({ applicationId }, jobId),
      this.deliveries.count(applicationId, { unit: span.unit, since, max: MAX_COUNTED }),
      this.trials.kinds(),
    ]);
    const shown = await Promise.all(webhooks.map((webhook) => this.presented(applicationId, webhook, counts, span)));
    const isListed = shown.some(({ deliveries }) => deliveries.some(({ id }) => id === resent));
    const minutesAgo = (count: number) => minuteOf(this.clock.ms() - count * 60_000);
    await this.pages.show(reply, visit, {
      section: 'webhooks',
      template: 'webhooks/webhooks',
      title: 'Webhooks',
      status: error?.status,
      isLive: webhooks.length > 0,
      data: {
        webhooks: shown,
        replay: replay && presentReplay(replay.replay, replay.tally),
        resent: isListed ? resent : undefined,
        told: Object.hasOwn(NOTICES, done) ? NOTICES[done as keyof typeof NOTICES] : undefined,
        error: error && messageOf(error),
        windows: WINDOWS,
        spans: SPANS,
        span,
        kinds,
        listed: LISTED,
        maxCounted: MAX_COUNTED,
        minutes: { first: minutesAgo(1_440), last: minutesAgo(0), hourAgo: minutesAgo(60) },
      },
    });
  }

  private async presented(applicationId: string, webhook: Row<Webhook>, all: readonly DeliveryCount[], span: Span) {
    const [{ items }, { items: subscriptions, nextCursor }] = await Promise.all([
      this.deliveries.list(applicationId, webhook.id, { max_results: LISTED }),
      this.subscriptions.list(applicationId, webhook.id, { max_results: MAX_SUBSCRIPTIONS_SHOWN }),
    ]);
    const own = all.filter(({ webhookId }) => webhookId === webhook.id);
    const strip = stripOf(own, span, this.clock.ms());
    const latencies = items.flatMap(({ attempts }) => attempts.slice(-1).map(({ latencyMs }) => latencyMs));
    return {
      id: webhook.id,
      url: webhook.url,
      valid: webhook.valid,
      invalidReason: webhook.invalidReason,
      validatedAt: wireTime(webhook.validatedAt),
      strip,
      health: healthOf(webhook, strip, latencies),
      subscriptions: subscriptions.map(({ subscription: { accountId }, active }) => ({ accountId, active })),
      hasMoreSubscriptions: nextCursor !== null,
      deliveries: items.map(presentLine),
    };
  }
}

/** A subscription to an account, or to all. */
const scopeOf = (accountId: string | undefined) => (accountId?.trim() ? { account_id: accountId.trim() } : {});

/** A minute as the API takes it, of a field with a date and a time. */
function readMinute(name: string, given = ''): string {
  const isMinute = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(given) && !Number.isNaN(Date.parse(`${given}Z`));
  if (!isMinute || minuteOf(Date.parse(`${given}Z`)) !== given)
    throw invalid(name, `Expected a date and a time in UTC for ${name}, such as 2026-09-01T10:30`, { value: given });
  return given.replace(/\D/g, '');
}

function windowOf(given: string | undefined): (typeof WINDOWS)[number] {
  const window = WINDOWS.find(({ minutes }) => String(minutes) === given);
  const allowed = WINDOWS.map(({ minutes }) => minutes).join(', ');
  if (!window) throw invalid('minutes', `minutes must be one of ${allowed}`, { value: given });
  return window;
}

/** The problem of the filters of the list of events. A kind that does not exist matches nothing. */
function problemOf({ state, webhook_id: id }: Texts, webhooks: readonly Row<Webhook>[]): ApiError | undefined {
  if (state !== undefined && !DELIVERY_STATES.includes(state as WebhookDeliveryState))
    return invalid('state', `Expected one of ${DELIVERY_STATES.join(', ')} for state`, { value: state });
  if (id !== undefined && !webhooks.some((webhook) => webhook.id === id))
    return invalid('webhook_id', 'Expected one of the webhooks of this application for webhook_id', { value: id });
  return undefined;
}

const messageOf = ({ message, headers }: ApiError): string =>
  headers['retry-after'] ? `${message}. Please try again in ${headers['retry-after']} seconds.` : message;
