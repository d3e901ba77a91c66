import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, PostId, RefersTo } from '../../common/entity/snapshots.js';
import { UNIQUE_POST_INDEX } from '../../creatives/entities/post.entity.js';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../shown-things.js';

/** The indexes that let a line item promote each post only once, by the shown post and by the requested one. */
export const PROMOTED_ONCE = 'promoted_posts_once';
export const ASKED_ONCE = 'promoted_posts_asked_once';

/** A post that a line item promotes. */
@Entity('promoted_posts')
@InSnapshots()
@Index('promoted_posts_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index('promoted_posts_of_post', ['postId', 'accountId', 'id'])
@Index(PROMOTED_ONCE, ['accountId', 'lineItemId', 'postId'], { unique: true, where: '"deletedAt" IS NULL' })
@Index(ASKED_ONCE, ['accountId', 'lineItemId', 'sourcePostId'], { unique: true, where: '"deletedAt" IS NULL' })
export class PromotedPost extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('line_items') lineItemId: string;
  /** The shown post: the requested one or its repost. */
  @IdColumn() @PostId() postId: string;
  /** The requested post. */
  @IdColumn() @PostId() sourcePostId: string;
  @Column({ type: 'boolean', default: false }) paused: boolean;
  @WordColumn(APPROVAL_STATUSES) approvalStatus: ApprovalStatus;
}

/** A concurrent second request finds the promoted post of the first, or the repost that it created. */
export const PROMOTED_POSTS = defineResource<PromotedPost>({
  entity: PromotedPost,
  name: 'PROMOTED_POST',
  label: 'Promoted Post',
  parameter: 'promoted_post_id',
  uniques: [
    { index: PROMOTED_ONCE, columns: ['lineItemId', 'postId'] },
    { index: ASKED_ONCE, columns: ['lineItemId', 'sourcePostId'] },
    { index: UNIQUE_POST_INDEX, columns: ['lineItemId', 'sourcePostId'] },
  ],
});
