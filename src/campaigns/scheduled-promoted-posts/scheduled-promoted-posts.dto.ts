import { Example } from '../../common/http/params/dto-metadata.js';
import { DecimalId, Id, Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';

export class ListScheduledPromotedPosts extends ListQuery(ScheduledPromotedPost, {
  sortable: ['created_at', 'updated_at', 'deleted'],
}) {
  /** Filters by line item ids. */
  @Ids() line_item_ids?: string[];
  /** Filters by scheduled promoted post ids. */
  @Ids() scheduled_promoted_post_ids?: string[];
}

@Example({ line_item_id: '{line_item_id}', scheduled_post_id: '{scheduled_post_id}' })
export class CreateScheduledPromotedPost {
  /** The line item that will promote the post. */
  @Id() line_item_id: string;
  /**
   * A scheduled post that is not live yet. It must belong to the account or be created for one of its promotable users.
   */
  @DecimalId() scheduled_post_id: string;
}
