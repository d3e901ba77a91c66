import { Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { ActorId, InSnapshots, PostId, RefersTo, TextColumn } from '../../common/entity/snapshots.js';
import { UNIQUE_POST_INDEX } from '../../creatives/entities/post.entity.js';
import { lineItemIsAlive } from '../line-items/line-item-parents.statements.js';
import { ASKED_ONCE, PROMOTED_ONCE } from '../promoted-posts/promoted-post.entity.js';

/** The index that lets a line item wait for each scheduled post only once. */
const SCHEDULED_ONCE = 'scheduled_promoted_posts_once';

/** A scheduled post that a line item will promote as soon as it is live. */
@Entity('scheduled_promoted_posts')
@InSnapshots()
@Index('scheduled_promoted_posts_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(SCHEDULED_ONCE, ['accountId', 'lineItemId', 'scheduledPostId'], { unique: true, where: '"deletedAt" IS NULL' })
@Index('scheduled_promoted_posts_waiting', ['scheduledPostId', 'id'], {
  where: '"postId" IS NULL AND "failure" IS NULL AND "deletedAt" IS NULL',
})
export class ScheduledPromotedPost extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('line_items') lineItemId: string;
  @IdColumn() @RefersTo('scheduled_posts') scheduledPostId: string;
  /** The user who created it. */
  @IdColumn() @ActorId() callerId: string;
  /** The promoted post; null before the promotion. */
  @IdColumn({ nullable: true }) @PostId() postId: string | null;
  /** Why the promotion failed: an error code and a sentence. */
  @TextColumn({ nullable: true }) failure: string | null;
}

/**
 * A concurrent second request finds the first row. When a post goes live, the promotion of posts stores it and finds
 * existing rows too.
 */
export const SCHEDULED_PROMOTED_POSTS = defineResource<ScheduledPromotedPost>({
  entity: ScheduledPromotedPost,
  name: 'SCHEDULED_PROMOTED_POST',
  label: 'Scheduled Promoted Post',
  parameter: 'scheduled_promoted_post_id',
  parents: (row) => [lineItemIsAlive(row)],
  uniques: [SCHEDULED_ONCE, PROMOTED_ONCE, ASKED_ONCE, UNIQUE_POST_INDEX].map((index) => ({
    index,
    columns: ['lineItemId', 'scheduledPostId'],
  })),
});
