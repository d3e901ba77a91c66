import { Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/** What counts the subscriptions of a webhook. */
export const COUNTED_SUBSCRIPTIONS = 'webhook_subscriptions';

/** The indexes that keep a webhook from subscribing to the same twice. */
export const SUBSCRIBED_ONCE = ['webhook_subscriptions_account_once', 'webhook_subscriptions_all_once'] as const;

/**
 * That a webhook wants the events of an account, or of all that its application may read. Whether it may have them is
 * asked with every event: there has to be a live access token of the application for a user who may read the account.
 */
@Entity('webhook_subscriptions')
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
