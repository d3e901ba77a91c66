import { defineResource } from '../../accounts/resources/resource-definition.js';
import { UNIQUE_POST_INDEX } from '../../creatives/entities/post.entity.js';
import { ASKED_ONCE, PROMOTED_ONCE } from '../promoted-posts/promoted-post.entity.js';
import { lineItemIsAlive } from '../line-items/line-item-parents.statements.js';
import { SCHEDULED_ONCE, ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';
import { presentScheduledPromotedPost } from './scheduled-promoted-post.presenter.js';

/**
 * A concurrent second request finds the first row. When a post goes live, the promotion of posts stores it and finds
 * existing rows too.
 */
export const SCHEDULED_PROMOTED_POSTS = defineResource<ScheduledPromotedPost>({
  entity: ScheduledPromotedPost,
  name: 'SCHEDULED_PROMOTED_POST',
  label: 'Scheduled Promoted Post',
  parameter: 'scheduled_promoted_post_id',
  snapshot: presentScheduledPromotedPost,
  parents: (row) => [lineItemIsAlive(row)],
  uniques: [SCHEDULED_ONCE, PROMOTED_ONCE, ASKED_ONCE, UNIQUE_POST_INDEX].map((index) => ({
    index,
    columns: ['lineItemId', 'scheduledPostId'],
  })),
});
