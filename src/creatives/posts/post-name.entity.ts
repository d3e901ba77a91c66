import { Entity, Index, PrimaryColumn } from 'typeorm';
import { InSnapshots, PostId, TextColumn } from '../../common/entity/snapshots.js';

/** An account's name for a post. Each account has its own. */
@Entity('post_names')
@InSnapshots()
@Index('post_names_name', { synchronize: false })
export class PostName {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) accountId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) @PostId() postId: string;
  @TextColumn() name: string;
}
