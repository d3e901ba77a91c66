import { Column, Entity, Index } from 'typeorm';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** The index that has a line item wait for each scheduled post once. */
export const SCHEDULED_ONCE = 'scheduled_promoted_posts_once';

/** A scheduled post that a line item is to promote once it is live. */
@Entity('scheduled_promoted_posts')
@Index(['accountId', 'id'])
@Index('scheduled_promoted_posts_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(SCHEDULED_ONCE, ['lineItemId', 'scheduledPostId'], { unique: true, where: '"deletedAt" IS NULL' })
@Index('scheduled_promoted_posts_waiting', ['scheduledPostId', 'id'], {
  where: '"postId" IS NULL AND "failure" IS NULL AND "deletedAt" IS NULL',
})
export class ScheduledPromotedPost extends Resource {
  @IdColumn() accountId: string;
  @IdColumn() lineItemId: string;
  @IdColumn() scheduledPostId: string;
  /** Who asked for it. */
  @IdColumn() callerId: string;
  /** The post that is promoted, once it is. */
  @IdColumn({ nullable: true }) postId: string | null;
  /** Why it could not be promoted: a code of errors, and a sentence. */
  @Column({ type: 'varchar', nullable: true }) failure: string | null;
}
