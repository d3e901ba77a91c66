import { Column, Entity, Index } from 'typeorm';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../shown-things.js';

/** The indexes that let a line item promote each post only once, by the shown post and by the requested one. */
export const PROMOTED_ONCE = 'promoted_posts_once';
export const ASKED_ONCE = 'promoted_posts_asked_once';

/** A post that a line item promotes. */
@Entity('promoted_posts')
@Index('promoted_posts_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(PROMOTED_ONCE, ['accountId', 'lineItemId', 'postId'], { unique: true, where: '"deletedAt" IS NULL' })
@Index(ASKED_ONCE, ['accountId', 'lineItemId', 'sourcePostId'], { unique: true, where: '"deletedAt" IS NULL' })
export class PromotedPost extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() lineItemId: string;
  /** The shown post: the requested one or its repost. */
  @IdColumn() postId: string;
  /** The requested post. */
  @IdColumn() sourcePostId: string;
  @Column({ type: 'boolean', default: false }) paused: boolean;
  @WordColumn(APPROVAL_STATUSES) approvalStatus: ApprovalStatus;
}
