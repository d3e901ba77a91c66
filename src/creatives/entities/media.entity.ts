import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** What a medium is for; the number in front of its key says it. */
export const MEDIA_CATEGORIES = closedSet('MediaCategory', ['AMPLIFY_VIDEO', 'POST_GIF', 'POST_IMAGE', 'POST_VIDEO']);
export type MediaCategory = (typeof MEDIA_CATEGORIES)[number];

export const MEDIA_TYPES = closedSet('MediaType', ['GIF', 'IMAGE', 'VIDEO']);
export type MediaType = (typeof MEDIA_TYPES)[number];

/** ARRIVING: its parts are being sent. PENDING: all is there. IN_PROGRESS: it is looked at. */
export type MediaState = 'ARRIVING' | 'PENDING' | 'IN_PROGRESS' | 'SUCCEEDED' | 'FAILED';

/** An uploaded file, and what was found in it; libraries and posts name it. Ids are decimal. */
@Entity('media')
@Index('media_file', ['file'], { unique: true, where: '"file" IS NOT NULL' })
@Index('media_poster_file', ['posterFile'], { unique: true, where: '"posterFile" IS NOT NULL' })
@Index('media_expiring', ['expiresAt', 'id'], { where: '"expiresAt" IS NOT NULL AND "deletedAt" IS NULL' })
@Index('media_underway', ['ownerId'], { where: `"state" IN ('PENDING', 'IN_PROGRESS')` })
@Index('media_gone', ['id'], { where: '"deletedAt" IS NOT NULL' })
export class Media extends Resource {
  /** Who uploaded it. */
  @IdColumn() ownerId: string;
  /** Users who may use it besides. */
  @Column({ type: 'varchar', array: true }) additionalOwners: string[];
  /** Null where the upload named none: then it has no key, and no library takes it. */
  @Column({ type: 'varchar', nullable: true }) category: MediaCategory | null;
  @Column({ type: 'varchar' }) state: MediaState;
  /** Why it FAILED, for the client. */
  @Column({ type: 'varchar', nullable: true }) failure: string | null;
  /** In bytes: what a chunked upload announced, then what there is. */
  @Column({ type: 'bigint' }) size: number;
  @Column({ type: 'varchar', nullable: true }) sha256: string | null;
  /** Its name in the blob store and in URLs, random, with an ending; null while it is ARRIVING. */
  @Column({ type: 'varchar', collation: 'C', nullable: true }) file: string | null;
  /** Read from its bytes, as all that follows. */
  @Column({ type: 'varchar', nullable: true }) mediaType: MediaType | null;
  @Column({ type: 'varchar', nullable: true }) contentType: string | null;
  @Column({ type: 'integer', nullable: true }) width: number | null;
  @Column({ type: 'integer', nullable: true }) height: number | null;
  /** Of a video, in milliseconds. */
  @Column({ type: 'integer', nullable: true }) duration: number | null;
  /** A JPEG of the first frame of a video or GIF, as wide and high as that; kept like `file`. */
  @Column({ type: 'varchar', collation: 'C', nullable: true }) posterFile: string | null;
  @Column({ type: 'integer', nullable: true }) posterSize: number | null;
  @Column({ type: 'varchar', nullable: true }) posterSha256: string | null;
  /** When it goes unless it is used until then; null once a library or a post has it. */
  @TimestampColumn({ nullable: true }) expiresAt: Date | null;
  /** How often it was begun to read it without an end: more than one process that died of it, or that reads it now. */
  @Column({ type: 'smallint', default: 0 }) attempts: number;
  /** When it was last begun. */
  @TimestampColumn({ nullable: true }) attemptedAt: Date | null;
}
