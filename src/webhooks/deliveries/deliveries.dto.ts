import { OneOf } from '../../common/http/params/fields.js';
import { TokenQuery } from '../../common/list/token-page.js';
import { DELIVERY_STATES, type WebhookDeliveryState } from '../entities/webhook-delivery.entity.js';

export class ListDeliveries extends TokenQuery {
  /** Only deliveries in this state; by default all. */
  @OneOf(DELIVERY_STATES, { optional: true, example: 'FAILED' }) state?: WebhookDeliveryState;
}
