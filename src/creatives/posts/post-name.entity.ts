import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What an account calls a post: two accounts may call the same post differently. */
@Entity('post_names')
@Index('post_names_name', { synchronize: false })
export class PostName {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) accountId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) postId: string;
  @Column({ type: 'varchar' }) name: string;
}
