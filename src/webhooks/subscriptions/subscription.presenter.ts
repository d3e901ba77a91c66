import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import type { WebhookSubscription } from '../entities/webhook-subscription.entity.js';

/** A subscription, and whether it is active. */
export interface Subscription {
  subscription: Row<WebhookSubscription>;
  active: boolean;
}

/** A webhook's subscription to the events of an ad account, or of all accounts that its application may read. */
export class WebhookSubscriptionView {
  /** The id of the account; null for a subscription to all accounts. */
  @ApiProperty({ ...ID, nullable: true, example: '03yefys6tae4h' }) @Unescaped() account_id: string | null;
  /**
   * Whether the application may currently read the account: it has a valid access token of a user whose role may read its campaigns, by OAuth 2.0 with `ads.read`.
   * Otherwise no events are sent.
   */
  @ApiProperty({ example: true }) active: boolean;
  /** When the subscription was created. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at: string;
  /** The id of the subscription. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() id: string;
  /** The id of the webhook. */
  @ApiProperty({ ...DECIMAL_ID, example: '1827099541164159' }) @Unescaped() webhook_id: string;
}

export const presentSubscription = ({ subscription, active }: Subscription): WebhookSubscriptionView => ({
  account_id: subscription.accountId,
  active,
  created_at: wireTime(subscription.createdAt),
  id: subscription.id,
  webhook_id: subscription.webhookId,
});
