import { closedSet } from '../../common/values/closed-set.js';
import { inclusive } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { DecimalId, Id, Int, OneOf, Text, Timestamp } from '../../common/http/params/fields.js';

export const ENGAGEMENT_TYPES = closedSet('EngagementType', ['CLICK', 'VIEW']);
export type EngagementType = (typeof ENGAGEMENT_TYPES)[number];

type Visitor = Pick<CreateEngagement, 'ip_address' | 'user_agent'>;

/** A click of a user of the directory on what a line item shows, or a view of it. */
@Example({ account_id: '{sandbox_account_id}', line_item_id: '{sandbox_line_item_id}', user_id: '{user_id}' })
@Rule(['ip_address', 'user_agent'], ({ ip_address, user_agent }: Visitor) =>
  (ip_address === undefined) === (user_agent === undefined) ? undefined : inclusive('ip_address', 'user_agent'),
)
export class CreateEngagement {
  /** A sandbox account of which the user who signs is an administrator. */
  @Id() account_id: string;

  /** A line item of the account with a creative that is accepted and not paused. */
  @Id() line_item_id: string;

  /** Who does it: a user of the directory, by whose e-mail addresses and telephone numbers conversions are matched. */
  @DecimalId() user_id: string;

  /** A click, which has a click id, or a view. */
  @OneOf(ENGAGEMENT_TYPES, { optional: true, default: 'CLICK' }) type: EngagementType = 'CLICK';

  /** When it happens: by default now. At most 120 days ago by the clock of the account, and not in the future. */
  @Timestamp({ exact: true, optional: true }) time?: string;

  /** The address of the user, with which conversions are matched together with the agent. Only a hash of both is stored. */
  @Text({ optional: true, max: 45, example: '203.0.113.7' }) ip_address?: string;

  /** The agent of the user. */
  @Text({ optional: true, max: 2_048, example: 'Mozilla/5.0' }) user_agent?: string;
}

/** The engagements of an account that were stored last. */
@Example({ account_id: '{sandbox_account_id}' })
export class ListEngagements {
  /** A sandbox account of which the user who signs is an administrator. */
  @Id({ example: '2k0hx5m1q9zta' }) account_id: string;

  /** Maximum number of engagements. */
  @Int({ optional: true, min: 1, max: 1_000, default: 100 }) max_results = 100;
}
