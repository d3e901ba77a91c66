import { Column, Entity, Index } from 'typeorm';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { type MediaCategory, type MediaType } from './media.entity.js';

/** The index that gives an account each medium once; adding it again brings it back. */
export const ONE_OF_EACH = 'library_media_one_of_each';

/**
 * A medium in the library of an account. What was found in its bytes never changes, so it is kept here too:
 * lists, cards and posts read one table.
 */
@Entity('library_media')
@Index(['accountId', 'id'])
@Index('library_media_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index('library_media_by_type', ['accountId', 'mediaType', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(ONE_OF_EACH, ['accountId', 'mediaKey'], { unique: true })
@Index('library_media_name', { synchronize: false })
@Index('library_media_terms', { synchronize: false })
export class LibraryMedia extends Resource {
  @IdColumn() accountId: string;
  @IdColumn() mediaId: string;
  /** Unique in the account, deleted ones included. */
  @IdColumn() mediaKey: string;
  @Column({ type: 'varchar' }) mediaCategory: MediaCategory;
  @Column({ type: 'varchar' }) mediaType: MediaType;
  @Column({ type: 'varchar', nullable: true }) name: string | null;
  @Column({ type: 'varchar', nullable: true }) fileName: string | null;
  @Column({ type: 'varchar', nullable: true }) title: string | null;
  @Column({ type: 'varchar', nullable: true }) description: string | null;
  /** The words of these four, each behind the account's id, so that one index finds words of one account. */
  @Column({ type: 'text', array: true }) terms: string[];
  /** An image of the library that stands for the video until it plays; null for its first frame. */
  @IdColumn({ nullable: true }) posterMediaKey: string | null;
  /** The file of the poster, whichever it is; null for images. */
  @Column({ type: 'varchar', nullable: true }) posterFile: string | null;
  /** Whether a published post has it. */
  @Column({ type: 'boolean' }) posted: boolean;
  @Column({ type: 'varchar' }) file: string;
  @Column({ type: 'varchar' }) contentType: string;
  /** In bytes. */
  @Column({ type: 'bigint' }) size: number;
  @Column({ type: 'integer' }) width: number;
  @Column({ type: 'integer' }) height: number;
  /** Of a video, in milliseconds. */
  @Column({ type: 'integer', nullable: true }) duration: number | null;
}
