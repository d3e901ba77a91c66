import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn, NameIndex, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, MediaKeys, SpecialReference, TextColumn } from '../../common/entity/snapshots.js';
import { MEDIA_CATEGORIES, MEDIA_TYPES, type MediaCategory, type MediaType } from './media.entity.js';

/** Unique index: an account has each media item once. Adding a deleted media item again restores it. */
const ONE_OF_EACH = 'library_media_one_of_each';

/**
 * A media item in an account's library. Properties read from its bytes never change, so this table has a copy: lists,
 * cards and posts read one table.
 */
@Entity('library_media')
@InSnapshots()
@Index('library_media_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index('library_media_by_type', ['accountId', 'mediaType', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(ONE_OF_EACH, ['accountId', 'mediaKey'], { unique: true })
@NameIndex('library_media_name', ['accountId', 'name?', 'id'])
@Index('library_media_terms', { synchronize: false })
export class LibraryMedia extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @SpecialReference('an import requires the upload') mediaId: string;
  /** Unique in the account, including deleted rows. */
  @IdColumn() @SpecialReference('an import compares it with the upload') mediaKey: string;
  @WordColumn(MEDIA_CATEGORIES) mediaCategory: MediaCategory;
  @WordColumn(MEDIA_TYPES) mediaType: MediaType;
  @TextColumn({ nullable: true }) name: string | null;
  @TextColumn({ nullable: true }) fileName: string | null;
  @TextColumn({ nullable: true }) title: string | null;
  @TextColumn({ nullable: true }) description: string | null;
  /** Words of these four fields, prefixed with the account id, so that one index finds words of one account. */
  @TextColumn({ type: 'text', array: true }) terms: string[];
  /** Poster: a library image shown before the video plays; null for the first frame. */
  @IdColumn({ nullable: true }) @MediaKeys() posterMediaKey: string | null;
  /** File of the poster or first frame; null for images. */
  @Column({ type: 'varchar', nullable: true })
  @SpecialReference('an import compares it with the uploads of the library')
  posterFile: string | null;
  /** Whether a published post uses the media. */
  @Column({ type: 'boolean' }) posted: boolean;
  @Column({ type: 'varchar' }) @SpecialReference('an import compares it with the upload') file: string;
  @Column({ type: 'varchar' }) @SpecialReference('an import compares it with the upload') contentType: string;
  /** Size in bytes. */
  @Column({ type: 'bigint' }) size: number;
  @Column({ type: 'integer' }) width: number;
  @Column({ type: 'integer' }) height: number;
  /** Duration of a video in milliseconds. */
  @Column({ type: 'integer', nullable: true }) duration: number | null;
}

/** Deleting one does not change the posts and cards that use it. */
export const LIBRARY_MEDIA = defineResource<LibraryMedia>({
  entity: LibraryMedia,
  name: 'LIBRARY_MEDIA',
  label: 'Media',
  parameter: 'media_key',
  // Another request may add the same media concurrently.
  uniques: [{ index: ONE_OF_EACH, columns: ['mediaKey'] }],
});
