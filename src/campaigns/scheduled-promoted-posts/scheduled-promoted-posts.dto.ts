import { Example } from '../../common/http/params/example.js';
import { DecimalId, Id, Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';

export class ListScheduledPromotedPosts extends ListQuery(ScheduledPromotedPost, {
  sortable: ['created_at', 'updated_at', 'deleted'],
}) {
  /** Only what these line items are to promote. */
  @Ids() line_item_ids?: string[];
  /** Only the scheduled promoted posts with these ids. */
  @Ids() scheduled_promoted_post_ids?: string[];
}

@Example({ line_item_id: '{line_item_id}', scheduled_post_id: '{scheduled_post_id}' })
export class CreateScheduledPromotedPost {
  /** The line item that is to promote it. */
  @Id() line_item_id: string;
  /** A scheduled post that waits to go live: of the account, or for a promotable user of it. */
  @DecimalId() scheduled_post_id: string;
}
