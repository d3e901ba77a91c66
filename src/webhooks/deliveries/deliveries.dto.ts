import { OneOf } from '../../common/http/params/fields.js';
import { TokenQuery } from '../../common/list/token-page.js';
import { DELIVERY_STATES, type DeliveryState } from '../entities/webhook-delivery.entity.js';

export class ListDeliveries extends TokenQuery {
  /** Which deliveries are answered; all unless given. */
  @OneOf(DELIVERY_STATES, { optional: true, example: 'FAILED' }) state?: DeliveryState;
}
