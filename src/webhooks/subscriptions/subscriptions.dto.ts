import { Id } from '../../common/http/params/fields.js';
import { TokenQuery } from '../../common/list/token-page.js';

/** The scope of a subscription to create or delete. */
export class SubscriptionScope {
  /** The ad account whose events are sent; by default all that the application may read. */
  @Id({ optional: true, example: '03yefys6tae4h' }) account_id?: string;
}

export class ListSubscriptions extends TokenQuery {}
