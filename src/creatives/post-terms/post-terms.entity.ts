import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/**
 * What a published post says, as it is looked for: one narrow row beside each post. Its index begins with the time, because
 * every term does (see post-terms.rules.ts). Stored and removed by the statement that stores or removes the post.
 */
@Entity('post_terms')
@Index('post_terms_at', ['at'])
@Index('post_terms_terms', { synchronize: false })
export class PostTerms {
  /** When the post was made. */
  @TimestampColumn() at: Date;
  /** Where its author was then: ISO 3166-1 alpha-2; null where nobody knows. */
  @Column({ type: 'varchar', collation: 'C', nullable: true }) country: string | null;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) postId: string;
  /** Its words in their order, each a number of 64 bits, written as a text: it does not fit a JavaScript number. */
  @Column({ type: 'bigint', array: true }) terms: string[];
}
