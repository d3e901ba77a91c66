import { Example } from '../../common/http/params/example.js';
import { Id, Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { PromotedPost } from './promoted-post.entity.js';

export class ListPromotedPosts extends ListQuery(PromotedPost, {
  sortable: ['created_at', 'updated_at', 'deleted', 'paused'],
}) {
  /** Only what these line items promote. */
  @Ids() line_item_ids?: string[];
  /** Only the promoted posts with these ids. */
  @Ids() promoted_post_ids?: string[];
}

export const MAX_POSTS = 50;

@Example({ line_item_id: '{line_item_id}', post_ids: ['{other_post_id}'] })
export class CreatePromotedPosts {
  /** The line item that is to promote them. */
  @Id() line_item_id: string;
  /** The posts to promote, up to 50: published ones of promotable users of the account. All are promoted, or none. */
  @Ids({ decimal: true, max: MAX_POSTS }) post_ids: string[];
}
