import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import type { Engagement } from '../../measurement/entities/engagement.entity.js';
import { ENGAGEMENT_TYPES, type EngagementType } from './engagements.dto.js';

/** A click of a user on what a line item shows, or a view of it. */
export class EngagementView {
  /** The account of the line item. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() account_id: string;
  /** The id of the engagement. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() id: string;
  /** The line item. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() line_item_id: string;
  /** Where the user saw it. */
  @ApiProperty({ example: 'ALL_ON_PLATFORM' }) placement: string;
  /** The promoted post, the promoted account or the media creative. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() promoted_id: string;
  /** When it happened. */
  @ApiProperty({ ...TIME, example: '2026-11-26T08:00:00Z' }) @Unescaped() time: string;
  /** The click id that a landing page receives and passes on with a conversion; null for a view. */
  @ApiProperty({ type: String, nullable: true, example: '2-4q1m8yb6o4zv9h3k0x2c7d5ta' }) twclid: string | null;
  /** A click or a view. */
  @ApiProperty(enumSchema(ENGAGEMENT_TYPES)) @Unescaped() type: EngagementType;
  /** Who did it. */
  @ApiProperty({ ...ID, example: '1000000000000042' }) @Unescaped() user_id: string;
}

export const presentEngagement = (engagement: Row<Engagement>): EngagementView => ({
  account_id: engagement.accountId,
  id: engagement.id,
  line_item_id: engagement.lineItemId,
  placement: engagement.placement,
  promoted_id: engagement.promotedId,
  time: wireTime(engagement.at),
  twclid: engagement.twclid,
  type: engagement.isClick ? 'CLICK' : 'VIEW',
  user_id: engagement.userId,
});
