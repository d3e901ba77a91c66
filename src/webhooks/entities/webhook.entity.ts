import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** Why a webhook gets nothing until it is validated anew. */
export const INVALID_REASONS = closedSet('WebhookInvalidReason', ['CRC_FAILED', 'GONE', 'KEPT_FAILING']);
export type InvalidReason = (typeof INVALID_REASONS)[number];

/** The index that keeps an application from having a URL twice. */
export const URL_ONCE = 'webhooks_url_once';

/** A URL of an application that events are sent to; its id is decimal. */
@Entity('webhooks')
@Index(URL_ONCE, ['applicationId', 'url'], { unique: true, where: `"deletedAt" IS NULL` })
@Index('webhooks_next_check', ['nextCheckAt'], { where: `"deletedAt" IS NULL AND valid` })
export class Webhook extends Resource {
  @IdColumn() applicationId: string;
  @Column({ type: 'varchar' }) url: string;
  /** Whether it answered the last challenge, and takes what it is sent. Only such a one is sent anything. */
  @Column({ type: 'boolean' }) valid: boolean;
  @Column({ type: 'varchar', nullable: true }) invalidReason: InvalidReason | null;
  /** When it last answered a challenge as it should. */
  @TimestampColumn() validatedAt: Date;
  /** When it is challenged next. */
  @TimestampColumn() nextCheckAt: Date;
  /** Since when everything that was sent to it has failed; null while something arrives. */
  @TimestampColumn({ nullable: true }) failingSince: Date | null;
}
