import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { DECIMAL_ID, presentResource, ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { cardUriOf } from '../composition/composition.rules.js';
import { SCHEDULED_STATUSES, type ScheduledPost, type ScheduledStatus } from '../entities/scheduled-post.entity.js';
import { statusOf } from './scheduled-post.rules.js';

/** A scheduled post, and what became of it. */
export class ScheduledPostView extends ResourceView {
  /** What the account calls it, and the post that it becomes. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** When it went live, or failed to. */
  @ApiProperty({ ...TIME, nullable: true }) completed_at: string | null;
  /** Its text; empty where there are media alone. */
  @ApiProperty() text: string;
  /** On whose behalf it is made. */
  @ApiProperty(DECIMAL_ID) @Unescaped() user_id: string;
  /** How it stands with it. */
  @ApiProperty(enumSchema(SCHEDULED_STATUSES)) @Unescaped() scheduled_status: ScheduledStatus;
  /** Whether it is promoted only, once it is published. */
  @ApiProperty() nullcast: boolean;
  /** When it goes live: a whole minute. */
  @ApiProperty(TIME) @Unescaped() scheduled_at: string;
  /** The card that is shown below the text. */
  @ApiProperty({ type: String, nullable: true, example: 'card://1234567890123456' })
  @Unescaped()
  card_uri: string | null;
  /** The post that it became. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) @Unescaped() post_id: string | null;
  /** Its images, or its GIF, or its video. */
  @ApiProperty({ type: String, isArray: true }) @Unescaped() media_keys: string[];
  /** Why it failed: a code of errors, and a sentence; null unless it did. */
  @ApiProperty({ type: String, nullable: true }) failure_reason: string | null;
}

export const presentScheduledPost = (scheduled: Row<ScheduledPost>): ScheduledPostView =>
  presentResource(scheduled, {
    name: scheduled.name,
    completed_at: wireTime(scheduled.completedAt),
    text: scheduled.text,
    user_id: scheduled.userId,
    scheduled_status: statusOf(scheduled),
    nullcast: scheduled.nullcast,
    scheduled_at: wireTime(scheduled.scheduledAt),
    card_uri: cardUriOf(scheduled.cardId),
    post_id: scheduled.postId,
    media_keys: scheduled.mediaKeys,
    failure_reason: scheduled.failure,
  });
