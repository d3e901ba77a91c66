import { defineResource } from '../../accounts/resources/resource-definition.js';
import { UNIQUE_POST_INDEX } from '../../creatives/entities/post.entity.js';
import { ASKED_ONCE, PROMOTED_ONCE, PromotedPost } from './promoted-post.entity.js';
import { presentPromotedPost } from './promoted-post.presenter.js';

/** A concurrent second request finds the promoted post of the first, or the repost that it created. */
export const PROMOTED_POSTS = defineResource<PromotedPost>({
  entity: PromotedPost,
  name: 'PROMOTED_POST',
  label: 'Promoted Post',
  parameter: 'promoted_post_id',
  snapshot: presentPromotedPost,
  uniques: [
    { index: PROMOTED_ONCE, columns: ['lineItemId', 'postId'] },
    { index: ASKED_ONCE, columns: ['lineItemId', 'sourcePostId'] },
    { index: UNIQUE_POST_INDEX, columns: ['lineItemId', 'sourcePostId'] },
  ],
});
