import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Admission, type CountedRequest } from '../../auth/guards/admission.js';
import { rateLimited } from '../../auth/oauth-errors.js';
import { formFieldsOf, queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { DeliveriesService } from '../../webhooks/deliveries/deliveries.service.js';
import { WebhooksService } from '../../webhooks/endpoints/webhooks.service.js';
import { ReplaysService } from '../../webhooks/replay/replays.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Webhook } from '../../webhooks/entities/webhook.entity.js';
import type { WebhookDeliveryState, WebhookDelivery } from '../../webhooks/entities/webhook-delivery.entity.js';
import type { WebhookReplay } from '../../webhooks/replay/webhook-replay.entity.js';

/** Number of deliveries that a webhook is shown with. */
const LISTED = 20;
/** The time windows of a replay. */
const WINDOWS = [
  { minutes: 15, title: 'last 15 minutes' },
  { minutes: 60, title: 'last hour' },
  { minutes: 1_440, title: 'last 24 hours' },
];

/** The webhooks of an application in a browser, their last deliveries, and their replay. */
@SectionController('webhooks')
export class WebhooksPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
    private readonly replays: ReplaysService,
    private readonly admission: Admission,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit, queryParametersOf(reply.request));
  }

  /** Sends the events of a time window again. */
  @Post(':webhook_id/replay')
  async replay(@Param('webhook_id') webhookId: string, @Res() reply: FastifyReply) {
    await this.change(reply, async ({ application }) => {
      const { minutes } = windowOf(formFieldsOf(reply.request).minutes);
      const counted = await this.count(reply, application.id);
      try {
        const replay = await this.replays.startForLast(application.id, webhookId, minutes);
        return `?job_id=${replay.id}`;
      } catch (error) {
        if (error instanceof ApiError && error.status === 400 && counted) await this.admission.refund(reply, counted);
        throw error;
      }
    });
  }

  /** Sends one event again. */
  @Post(':webhook_id/deliveries/:delivery_id/resend')
  async resend(
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
    @Res() reply: FastifyReply,
  ) {
    await this.change(reply, async ({ application }) => {
      const { delivery } = await this.deliveries.resend(application.id, webhookId, deliveryId);
      return `?resent=${encodeURIComponent(delivery.id)}`;
    });
  }

  /** Carries out a form and redirects to the list with the query that `work` returns. An error is shown above the list. */
  private async change(reply: FastifyReply, work: (visit: Visit) => Promise<string>): Promise<void> {
    await this.pages.carryOut(reply, 'webhooks', work, (visit, error) => this.show(reply, visit, {}, error));
  }

  /** The replays of an application count the same here and at `POST /2/webhooks/replay`. */
  private count(reply: FastifyReply, applicationId: string): Promise<CountedRequest | undefined> {
    return this.admission.admit(reply, {
      quota: 'WEBHOOK_REPLAYS',
      owner: applicationId,
      limited: (_usage, retryAfter) => rateLimited(retryAfter),
    });
  }

  private async show(
    reply: FastifyReply,
    visit: Visit,
    { job_id: jobId, resent }: Record<string, string | undefined>,
    error?: ApiError,
  ): Promise<void> {
    const applicationId = visit.application.id;
    const [webhooks, replay] = await Promise.all([
      this.webhooks.list(applicationId),
      jobId === undefined ? undefined : this.replays.find({ applicationId }, jobId),
    ]);
    const shown = await Promise.all(
      webhooks.map(async (webhook) => {
        const { items } = await this.deliveries.list(applicationId, webhook.id, { max_results: LISTED });
        return { webhook, deliveries: items };
      }),
    );
    const isListed = shown.some(({ deliveries }) => deliveries.some(({ delivery }) => delivery.id === resent));
    await this.pages.show(reply, visit, {
      section: 'webhooks',
      template: 'webhooks/webhooks',
      title: 'Webhooks',
      status: error?.status,
      isLive: webhooks.length > 0,
      data: {
        webhooks: shown.map(presentWebhook),
        replay: replay && presentReplay(replay.replay, replay.tally),
        resent: isListed ? resent : undefined,
        error: error && messageOf(error),
        windows: WINDOWS,
        listed: LISTED,
      },
    });
  }
}

function windowOf(given: string | undefined): (typeof WINDOWS)[number] {
  const window = WINDOWS.find(({ minutes }) => String(minutes) === given);
  const allowed = WINDOWS.map(({ minutes }) => minutes).join(', ');
  if (!window) throw invalid('minutes', `minutes must be one of ${allowed}`, { value: given });
  return window;
}

const messageOf = ({ message, headers }: ApiError): string =>
  headers['retry-after'] ? `${message}. Please try again in ${headers['retry-after']} seconds.` : message;

/** A delivery and the kind of its event; undefined if the event is no longer stored. */
interface ShownDelivery {
  delivery: Row<WebhookDelivery>;
  kind: string | undefined;
}

/** A webhook with its last deliveries. */
interface ShownWebhook {
  webhook: Row<Webhook>;
  deliveries: readonly ShownDelivery[];
}

const TONES: Record<WebhookDeliveryState, string> = { PENDING: '', DELIVERED: 'good', FAILED: 'bad', CANCELLED: 'bad' };

const presentWebhook = ({ webhook, deliveries }: ShownWebhook) => ({
  id: webhook.id,
  url: webhook.url,
  valid: webhook.valid,
  invalidReason: webhook.invalidReason,
  validatedAt: wireTime(webhook.validatedAt),
  deliveries: deliveries.map(presentDelivery),
});

/** Only a fault delivers without a response. */
const isDropped = ({ state, lastStatus }: Row<WebhookDelivery>) => state === 'DELIVERED' && lastStatus === null;

const presentDelivery = ({ delivery, kind }: ShownDelivery) => ({
  id: delivery.id,
  eventId: delivery.eventId,
  kind,
  state: delivery.state,
  tone: TONES[delivery.state],
  attempts: delivery.attempts,
  lastStatus: delivery.lastStatus ?? (isDropped(delivery) ? 'dropped by a fault' : null),
  fault: delivery.fault,
  lastError: delivery.lastError,
  isReplay: delivery.replayId !== '',
  createdAt: wireTime(delivery.createdAt),
});

const presentReplay = (replay: Row<WebhookReplay>, tally: { delivered: number; failed: number }) => ({
  id: replay.id,
  webhookId: replay.webhookId,
  state: replay.state,
  events: replay.events,
  delivered: tally.delivered,
  failed: tally.failed,
});
