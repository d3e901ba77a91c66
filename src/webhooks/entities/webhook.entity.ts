import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** Why a webhook receives no events until it is validated again. */
export const INVALID_REASONS = closedSet('WebhookInvalidReason', ['CRC_FAILED', 'GONE', 'KEPT_FAILING']);
export type InvalidReason = (typeof INVALID_REASONS)[number];

/** The index that makes a URL unique within an application. */
export const URL_ONCE = 'webhooks_url_once';

/** A URL of an application that receives events; its id is decimal. */
@Entity('webhooks')
@Index(URL_ONCE, ['applicationId', 'url'], { unique: true, where: `"deletedAt" IS NULL` })
@Index('webhooks_next_check', ['nextCheckAt'], { where: `"deletedAt" IS NULL AND valid` })
export class Webhook extends Resource {
  @IdColumn() applicationId: string;
  @Column({ type: 'varchar' }) url: string;
  /** True if the webhook passed its last challenge and accepts deliveries. Only valid webhooks receive events. */
  @Column({ type: 'boolean' }) valid: boolean;
  @Column({ type: 'varchar', nullable: true }) invalidReason: InvalidReason | null;
  /** When the webhook last passed a challenge. */
  @TimestampColumn() validatedAt: Date;
  /** When the next challenge is due. */
  @TimestampColumn() nextCheckAt: Date;
  /** Since when all deliveries to it have failed; null after a success. */
  @TimestampColumn({ nullable: true }) failingSince: Date | null;
}
