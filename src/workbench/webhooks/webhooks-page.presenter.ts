import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Webhook } from '../../webhooks/entities/webhook.entity.js';
import type { DeliveryState, WebhookDelivery } from '../../webhooks/entities/webhook-delivery.entity.js';
import type { WebhookReplay } from '../../webhooks/replay/webhook-replay.entity.js';

/** A delivery and the kind of its event; undefined if the event is no longer stored. */
export interface ShownDelivery {
  delivery: Row<WebhookDelivery>;
  kind: string | undefined;
}

/** A webhook with its last deliveries. */
export interface ShownWebhook {
  webhook: Row<Webhook>;
  deliveries: readonly ShownDelivery[];
}

const TONES: Record<DeliveryState, string> = { PENDING: '', DELIVERED: 'good', FAILED: 'bad', CANCELLED: 'bad' };

export const presentWebhook = ({ webhook, deliveries }: ShownWebhook) => ({
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

export const presentReplay = (replay: Row<WebhookReplay>, tally: { delivered: number; failed: number }) => ({
  id: replay.id,
  webhookId: replay.webhookId,
  state: replay.state,
  events: replay.events,
  delivered: tally.delivered,
  failed: tally.failed,
});
