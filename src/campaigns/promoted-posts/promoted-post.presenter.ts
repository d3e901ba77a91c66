import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ENTITY_STATUSES, type EntityStatus } from '../entities/campaign.entity.js';
import { APPROVAL_STATUSES, statusOfShown, type ApprovalStatus } from '../shown-things.js';
import { PROMOTED_POSTS, PromotedPost } from './promoted-post.entity.js';

export class PromotedPostView extends ResourceView {
  /** The line item that promotes the post. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** Whether the post is shown while its line item serves. */
  @ApiProperty(enumSchema(ENTITY_STATUSES)) @Unescaped() entity_status: EntityStatus;
  /** The approval status. */
  @ApiProperty(enumSchema(APPROVAL_STATUSES)) @Unescaped() approval_status: ApprovalStatus;
  /** The promoted post. For a post of another user, this is the promoted-only repost, which has an id of its own. */
  @ApiProperty(DECIMAL_ID) @Unescaped() post_id: string;
}

export const presentPromotedPost = (promoted: Row<PromotedPost>): PromotedPostView =>
  present(PromotedPostView, promoted, {
    entity_status: statusOfShown(promoted),
  });

recordAs(PROMOTED_POSTS, PromotedPostView, presentPromotedPost);
