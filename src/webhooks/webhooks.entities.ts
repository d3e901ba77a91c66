import type { Type } from '@nestjs/common';
import { ChangePosition } from './entities/change-position.entity.js';
import { WebhookAttempt } from './entities/webhook-attempt.entity.js';
import { WebhookDelivery } from './entities/webhook-delivery.entity.js';
import { Webhook } from './entities/webhook.entity.js';
import { WebhookReplay } from './replay/webhook-replay.entity.js';
import { WebhookSubscription } from './entities/webhook-subscription.entity.js';

/** The database tables of webhooks. */
export const WEBHOOKS_ENTITIES: Type[] = [
  ChangePosition,
  Webhook,
  WebhookSubscription,
  WebhookDelivery,
  WebhookAttempt,
  WebhookReplay,
];
