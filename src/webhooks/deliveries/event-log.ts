import type { Row } from '../../common/db/query/rows.js';
import type { WebhookAttempt, WebhookDelivery } from '../entities/webhook-delivery.entity.js';
import type { Webhook } from '../entities/webhook.entity.js';

/** An event of an application with its last deliveries. */
export interface EventLog {
  id: string;
  /** Undefined if the event is no longer stored. */
  kind: string | undefined;
  /** When it happened. */
  time: string;
  accountId: string | null;
  /**
   * The text that receivers get; undefined if the event is no longer stored, and if the application may no longer read its
   * account.
   */
  text: string | undefined;
  /** The newest first. */
  deliveries: EventDelivery[];
}

/** A delivery with its webhook, and its attempts with what was sent and received. */
export interface EventDelivery {
  delivery: Row<WebhookDelivery>;
  webhook: Row<Webhook>;
  attempts: Row<WebhookAttempt>[];
}
