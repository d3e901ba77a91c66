import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { SCHEDULED_PROMOTED_POSTS, ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';

export class ScheduledPromotedPostView extends ResourceView {
  /** The line item that will promote the post. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** The scheduled post. */
  @ApiProperty(DECIMAL_ID) @Unescaped() scheduled_post_id: string;
  /** The promoted post. Null until the scheduled post is live. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) @Unescaped() post_id: string | null;
  /**
   * Why the post could not be promoted when it went live: an error code and a sentence. Null unless the promotion
   * failed.
   */
  @ApiProperty({ type: String, nullable: true }) failure_reason: string | null;
}

export const presentScheduledPromotedPost = (scheduled: Row<ScheduledPromotedPost>): ScheduledPromotedPostView =>
  present(ScheduledPromotedPostView, scheduled, {
    failure_reason: scheduled.failure,
  });

recordAs(SCHEDULED_PROMOTED_POSTS, ScheduledPromotedPostView, presentScheduledPromotedPost);
