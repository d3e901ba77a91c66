import { Column, Entity, Index } from 'typeorm';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';

/** A user's request to preview a draft: one line on the user's notifications page. */
@Entity('preview_notifications')
@NotInSnapshots('notifications belong to users; a reset deletes those about the account')
@Index('preview_notifications_made', ['createdAt'])
@Index('preview_notifications_live', ['userId', 'id'], { where: '"deletedAt" IS NULL' })
export class PreviewNotification extends Resource {
  /** The user who requested it. Nobody else sees it. */
  @IdColumn() userId: string;
  @IdColumn() accountId: string;
  @IdColumn() draftPostId: string;
  @Column({ type: 'boolean' }) seen: boolean;
}
