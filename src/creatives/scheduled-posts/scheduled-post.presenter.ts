import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { cardUriOrNull } from '../composition/composition.rules.js';
import {
  SCHEDULED_POSTS,
  SCHEDULED_STATUSES,
  ScheduledPost,
  type ScheduledStatus,
} from '../entities/scheduled-post.entity.js';
import { statusOf } from './scheduled-post.rules.js';

/** A scheduled post and its status. */
export class ScheduledPostView extends ResourceView {
  /** Name of the scheduled post and of the published post. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** Time of publication or failure. */
  @ApiProperty({ ...TIME, nullable: true }) completed_at: string | null;
  /** Text; empty if the post has media only. */
  @ApiProperty() text: string;
  /** User id of the author. */
  @ApiProperty(DECIMAL_ID) @Unescaped() user_id: string;
  /** Status of the scheduled post. */
  @ApiProperty(enumSchema(SCHEDULED_STATUSES)) @Unescaped() scheduled_status: ScheduledStatus;
  /** Whether the published post will be promoted only. */
  @ApiProperty() nullcast: boolean;
  /** Scheduled time of publication, a whole minute. */
  @ApiProperty(TIME) @Unescaped() scheduled_at: string;
  /** URI of the card shown below the text. */
  @ApiProperty({ type: String, nullable: true, example: 'card://1234567890123456' })
  @Unescaped()
  card_uri: string | null;
  /** Id of the published post. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) @Unescaped() post_id: string | null;
  /** Media keys of its images, its GIF or its video. */
  @ApiProperty({ type: String, isArray: true }) @Unescaped() media_keys: string[];
  /** Reason of a failure: an error code and a message; null otherwise. */
  @ApiProperty({ type: String, nullable: true }) failure_reason: string | null;
}

export const presentScheduledPost = (scheduled: Row<ScheduledPost>): ScheduledPostView =>
  present(ScheduledPostView, scheduled, {
    scheduled_status: statusOf(scheduled),
    card_uri: cardUriOrNull(scheduled.cardId),
    failure_reason: scheduled.failure,
  });

recordAs(SCHEDULED_POSTS, ScheduledPostView, presentScheduledPost);
