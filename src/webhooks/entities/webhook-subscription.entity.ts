import { Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';

/** The counter of a webhook's subscriptions. */
export const COUNTED_SUBSCRIPTIONS = 'webhook_subscriptions';

/** The indexes that prevent duplicate subscriptions of a webhook. */
export const SUBSCRIBED_ONCE = ['webhook_subscriptions_account_once', 'webhook_subscriptions_all_once'] as const;

/**
 * A webhook's subscription to the events of an account, or of all accounts that its application may read. Each event
 * checks the access again: the application must have a live token of a user who may read the account.
 */
@Entity('webhook_subscriptions')
@NotInSnapshots('subscriptions belong to webhooks')
@Index(SUBSCRIBED_ONCE[0], ['webhookId', 'accountId'], {
  unique: true,
  where: `"accountId" IS NOT NULL`,
})
@Index(SUBSCRIBED_ONCE[1], ['webhookId'], { unique: true, where: `"accountId" IS NULL` })
@Index('webhook_subscriptions_of_webhook', ['webhookId', 'id'])
@Index(['accountId'])
export class WebhookSubscription {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() webhookId: string;
  /** Null: every account that the application may read. */
  @IdColumn({ nullable: true }) accountId: string | null;
  @TimestampColumn() createdAt: Date;
}
