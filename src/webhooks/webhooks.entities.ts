import type { Type } from '@nestjs/common';
import { WebhookAttempt } from './deliveries/webhook-attempt.entity.js';
import { WebhookDelivery } from './deliveries/webhook-delivery.entity.js';
import { Webhook } from './endpoints/webhook.entity.js';
import { WebhookReplay } from './replay/webhook-replay.entity.js';
import { WebhookSubscription } from './subscriptions/webhook-subscription.entity.js';

/** The tables of what is told to others. */
export const WEBHOOKS_ENTITIES: Type[] = [Webhook, WebhookSubscription, WebhookDelivery, WebhookAttempt, WebhookReplay];
