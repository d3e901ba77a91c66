import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn, NameIndex } from '../../common/entity/columns.js';
import { newNumber } from '../../common/entity/ids.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, MediaKeys, PromotedUserId, RefersTo, TextColumn } from '../../common/entity/snapshots.js';

/** A post that is not published. Ids are decimal. */
@Entity('draft_posts')
@InSnapshots()
@Index('draft_posts_id', ['id'])
@Index(['accountId', 'userId', 'id'])
@Index('draft_posts_live', ['accountId', 'userId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@NameIndex('draft_posts_name', ['accountId', 'name', 'id'])
export class DraftPost extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  /** Author: `as_user_id`. */
  @IdColumn() @PromotedUserId() userId: string;
  /** Empty if the draft has media only. */
  @TextColumn() text: string;
  @IdColumn({ nullable: true }) @RefersTo('cards') cardId: string | null;
  @Column({ type: 'varchar', array: true }) @MediaKeys() mediaKeys: string[];
  /** Whether the published post will be promoted only. */
  @Column({ type: 'boolean' }) nullcast: boolean;
  @TextColumn({ nullable: true }) name: string | null;
}

/** A draft is never published automatically. Deleting it is final. */
export const DRAFT_POSTS = defineResource<DraftPost>({
  entity: DraftPost,
  name: 'DRAFT_POST',
  label: 'Draft Post',
  parameter: 'draft_post_id',
  newId: newNumber,
});
