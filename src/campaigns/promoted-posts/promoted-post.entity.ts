import { Column, Entity, Index } from 'typeorm';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import type { ApprovalStatus } from '../shown-things.js';

/** The indexes that have a line item promote each post once, by the post itself and by that which was asked for. */
export const PROMOTED_ONCE = 'promoted_posts_once';
export const ASKED_ONCE = 'promoted_posts_asked_once';

/** A post that a line item promotes. */
@Entity('promoted_posts')
@Index(['accountId', 'id'])
@Index('promoted_posts_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(PROMOTED_ONCE, ['lineItemId', 'postId'], { unique: true, where: '"deletedAt" IS NULL' })
@Index(ASKED_ONCE, ['lineItemId', 'sourcePostId'], { unique: true, where: '"deletedAt" IS NULL' })
export class PromotedPost extends Resource {
  @IdColumn() accountId: string;
  @IdColumn() lineItemId: string;
  /** The post that is promoted: that which was asked for, or the repost of it. */
  @IdColumn() postId: string;
  /** The post that was asked for. */
  @IdColumn() sourcePostId: string;
  @Column({ type: 'boolean', default: false }) paused: boolean;
  @Column({ type: 'varchar' }) approvalStatus: ApprovalStatus;
}
