import { Column, Entity, Index } from 'typeorm';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** That a user asked to be shown a draft: a line of the page that shows them their notifications. */
@Entity('preview_notifications')
@Index('preview_notifications_made', ['createdAt'])
@Index('preview_notifications_live', ['userId', 'id'], { where: '"deletedAt" IS NULL' })
export class PreviewNotification extends Resource {
  /** Who asked, and alone sees it. */
  @IdColumn() userId: string;
  @IdColumn() accountId: string;
  @IdColumn() draftPostId: string;
  @Column({ type: 'boolean' }) seen: boolean;
}
