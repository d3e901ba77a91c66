import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import { recordAs } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { cardUriOrNull } from '../composition/composition.rules.js';
import { DRAFT_POSTS, DraftPost } from '../entities/draft-post.entity.js';

const DRAFT_STATUSES = closedSet('DraftPostStatus', ['DELETED']);

/** A draft post as the account sees it. */
export class DraftPostView extends ResourceView {
  /** The draft's name. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** Text; empty if the draft has media only. */
  @ApiProperty() text: string;
  /** User id of the author. */
  @ApiProperty(DECIMAL_ID) @Unescaped() user_id: string;
  /** Whether the published post will be promoted only. */
  @ApiProperty() nullcast: boolean;
  /** URI of the card shown below the text. */
  @ApiProperty({ type: String, nullable: true, example: 'card://1234567890123456' })
  @Unescaped()
  card_uri: string | null;
  /** Media keys of its images, its GIF or its video. */
  @ApiProperty({ type: String, isArray: true }) @Unescaped() media_keys: string[];
  /** DELETED for a deleted draft; absent otherwise. */
  @ApiProperty({ ...enumSchema(DRAFT_STATUSES), required: false })
  @Unescaped()
  status?: (typeof DRAFT_STATUSES)[number];
}

export function presentDraftPost(draft: Row<DraftPost>): DraftPostView {
  const view: DraftPostView = present(DraftPostView, draft, {
    card_uri: cardUriOrNull(draft.cardId),
  });
  if (draft.deletedAt !== null) view.status = 'DELETED';
  return view;
}

recordAs(DRAFT_POSTS, DraftPostView, presentDraftPost);
