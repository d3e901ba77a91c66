import { alsoDelete } from '../../accounts/resource-definition.js';
import { deletePermanently } from '../../common/db/query/write.js';
import { POSTS } from '../entities/post.entity.js';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/**
 * Search terms of a published post: one narrow row beside each post. The index begins with the time, because every term
 * does (see post-terms.rules.ts). The statement that stores or removes the post also stores or removes this row.
 */
@Entity('post_terms')
@Index('post_terms_at', ['at'])
@Index('post_terms_terms', { synchronize: false })
export class PostTerms {
  /** Creation time of the post. */
  @TimestampColumn() at: Date;
  /** The author's country at that time, ISO 3166-1 alpha-2; null if unknown. */
  @Column({ type: 'varchar', collation: 'C', nullable: true }) country: string | null;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) postId: string;
  /** Terms of the words in order: 64-bit numbers as strings, because they exceed JavaScript numbers. */
  @Column({ type: 'bigint', array: true }) terms: string[];
}

alsoDelete(POSTS, (ids) => [
  deletePermanently(
    PostTerms,
    ids.map((postId) => ({ postId })),
  ),
]);
