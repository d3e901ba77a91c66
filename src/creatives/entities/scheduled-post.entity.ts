import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, NameIndex, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { newNumber } from '../../common/entity/ids.js';
import { Resource } from '../../common/entity/resource.entity.js';
import {
  ActorId,
  InSnapshots,
  MediaKeys,
  PostId,
  PromotedUserId,
  RefersTo,
  TextColumn,
} from '../../common/entity/snapshots.js';

export const SCHEDULED_STATUSES = closedSet('ScheduledStatus', ['SCHEDULED', 'SUCCESS', 'FAILED', 'DELETED']);
export type ScheduledStatus = (typeof SCHEDULED_STATUSES)[number];

/** A post that is published at a scheduled minute. Ids are decimal. */
@Entity('scheduled_posts')
@InSnapshots()
@Index('scheduled_posts_id', ['id'])
@Index(['accountId', 'userId', 'id'])
@Index('scheduled_posts_live', ['accountId', 'userId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index('scheduled_posts_due', ['scheduledAt', 'id'], {
  where: `"scheduledStatus" = 'SCHEDULED' AND "deletedAt" IS NULL`,
})
@Index('scheduled_posts_of_user', ['userId', 'scheduledAt'], {
  where: `"scheduledStatus" = 'SCHEDULED' AND "deletedAt" IS NULL`,
})
@NameIndex('scheduled_posts_name', ['accountId', 'name', 'id'])
export class ScheduledPost extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  /** Author: `as_user_id`. */
  @IdColumn() @PromotedUserId() userId: string;
  /** The user who scheduled it. */
  @IdColumn() @ActorId() callerId: string;
  /** Empty if the post has media only. */
  @TextColumn() text: string;
  @IdColumn({ nullable: true }) @RefersTo('cards') cardId: string | null;
  @Column({ type: 'varchar', array: true }) @MediaKeys() mediaKeys: string[];
  /** Whether the published post will be promoted only. */
  @Column({ type: 'boolean' }) nullcast: boolean;
  @TextColumn({ nullable: true }) name: string | null;
  /** A whole minute. */
  @TimestampColumn() scheduledAt: Date;
  @WordColumn(SCHEDULED_STATUSES) scheduledStatus: ScheduledStatus;
  /** Time of publication or failure. */
  @TimestampColumn({ nullable: true }) completedAt: Date | null;
  /** The published post. */
  @IdColumn({ nullable: true }) @PostId() postId: string | null;
  /** Reason of FAILED: an error code and a message. */
  @TextColumn({ nullable: true }) failure: string | null;
}

/** Deleting one before its minute prevents publication; the published post of one is independent of it. */
export const SCHEDULED_POSTS = defineResource<ScheduledPost>({
  entity: ScheduledPost,
  name: 'SCHEDULED_POST',
  label: 'Scheduled Post',
  parameter: 'scheduled_post_id',
  newId: newNumber,
  events: {
    updates: {
      published: { about: 'published', reports: ({ scheduled_status: status }) => status?.new === 'SUCCESS' },
      failed: { about: 'publication failed', reports: ({ scheduled_status: status }) => status?.new === 'FAILED' },
    },
  },
});
