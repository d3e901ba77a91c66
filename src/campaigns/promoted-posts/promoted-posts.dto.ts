import { Example } from '../../common/http/params/dto-metadata.js';
import { Id, Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { PromotedPost } from './promoted-post.entity.js';

export class ListPromotedPosts extends ListQuery(PromotedPost, {
  sortable: ['created_at', 'updated_at', 'deleted', 'paused'],
}) {
  /** Filters by line item ids. */
  @Ids() line_item_ids?: string[];
  /** Filters by promoted post ids. */
  @Ids() promoted_post_ids?: string[];
}

const MAX_POSTS = 50;

@Example({ line_item_id: '{line_item_id}', post_ids: ['{other_post_id}'] })
export class CreatePromotedPosts {
  /** The line item that promotes the posts. */
  @Id() line_item_id: string;
  /**
   * The posts to promote, up to 50. They must be published posts of promotable users of the account. The request
   * promotes all of them or none.
   */
  @Ids({ decimal: true, max: MAX_POSTS }) post_ids: string[];
}
