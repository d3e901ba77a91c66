import { Id } from '../../common/http/params/fields.js';
import { TokenQuery } from '../../common/list/token-page.js';

/** To what a webhook subscribes, or does not any more. */
export class SubscriptionScope {
  /** The ad account whose events are sent; all that the application may read unless given. */
  @Id({ optional: true, example: '03yefys6tae4h' }) account_id?: string;
}

export class ListSubscriptions extends TokenQuery {}
