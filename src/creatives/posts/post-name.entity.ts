import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An account's name for a post. Each account has its own. */
@Entity('post_names')
@Index('post_names_name', { synchronize: false })
export class PostName {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) accountId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) postId: string;
  @Column({ type: 'varchar' }) name: string;
}
