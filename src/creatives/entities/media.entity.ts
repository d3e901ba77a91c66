import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** Purpose of a media item. The prefix of the media key identifies it. */
export const MEDIA_CATEGORIES = closedSet('MediaCategory', ['AMPLIFY_VIDEO', 'POST_GIF', 'POST_IMAGE', 'POST_VIDEO']);
export type MediaCategory = (typeof MEDIA_CATEGORIES)[number];

/** Purpose of an upload. Subtitles have no media key: they belong to a video, and no library takes them. */
export type UploadPurpose = MediaCategory | 'SUBTITLES';

export const MEDIA_TYPES = closedSet('MediaType', ['GIF', 'IMAGE', 'VIDEO']);
export type MediaType = (typeof MEDIA_TYPES)[number];
/** What an uploaded file is. */
export type UploadedType = MediaType | 'SUBTITLES';

/** ARRIVING: parts are being uploaded. PENDING: all parts are stored. IN_PROGRESS: the file is being inspected. */
export type MediaState = 'ARRIVING' | 'PENDING' | 'IN_PROGRESS' | 'SUCCEEDED' | 'FAILED';

/** An uploaded file and its detected properties. Libraries and posts reference it. Ids are decimal. */
@Entity('media')
@Index('media_file', ['file'], { unique: true, where: '"file" IS NOT NULL' })
@Index('media_poster_file', ['posterFile'], { unique: true, where: '"posterFile" IS NOT NULL' })
@Index('media_expiring', ['expiresAt', 'id'], { where: '"expiresAt" IS NOT NULL AND "deletedAt" IS NULL' })
@Index('media_of_owner', ['ownerId', 'id'])
@Index('media_underway', ['ownerId'], { where: `"state" IN ('PENDING', 'IN_PROGRESS')` })
@Index('media_gone', ['id'], { where: '"deletedAt" IS NOT NULL' })
export class Media extends Resource {
  /** The uploader. */
  @IdColumn() ownerId: string;
  /** Other users who may use it. */
  @Column({ type: 'varchar', array: true }) additionalOwners: string[];
  /** Null if the upload has no category: it then has no key and cannot join a library. */
  @Column({ type: 'varchar', nullable: true }) category: UploadPurpose | null;
  @Column({ type: 'varchar' }) state: MediaState;
  /** Reason of FAILED, for the client. */
  @Column({ type: 'varchar', nullable: true }) failure: string | null;
  /** Size in bytes: the announced size of a chunked upload, then the actual one; 0 if it failed. */
  @Column({ type: 'bigint' }) size: number;
  @Column({ type: 'varchar', nullable: true }) sha256: string | null;
  /** Random name with an extension in the blob store and in URLs; null while ARRIVING. */
  @Column({ type: 'varchar', collation: 'C', nullable: true }) file: string | null;
  /** Read from the bytes, as are the fields below. */
  @Column({ type: 'varchar', nullable: true }) mediaType: UploadedType | null;
  @Column({ type: 'varchar', nullable: true }) contentType: string | null;
  @Column({ type: 'integer', nullable: true }) width: number | null;
  @Column({ type: 'integer', nullable: true }) height: number | null;
  /** Duration of a video in milliseconds; of subtitles, when the last one ends. */
  @Column({ type: 'integer', nullable: true }) duration: number | null;
  /** JPEG of the first frame of a video or GIF, in the same size; stored like `file`. */
  @Column({ type: 'varchar', collation: 'C', nullable: true }) posterFile: string | null;
  @Column({ type: 'integer', nullable: true }) posterSize: number | null;
  @Column({ type: 'varchar', nullable: true }) posterSha256: string | null;
  /** What it shows, in words of the uploader. */
  @Column({ type: 'varchar', nullable: true }) altText: string | null;
  /** Whether people may download it; null until the uploader says so. */
  @Column({ type: 'boolean', nullable: true }) allowsDownload: boolean | null;
  /** Expiry of an unused upload; null once a library or a post uses it. */
  @TimestampColumn({ nullable: true }) expiresAt: Date | null;
  /** Number of unfinished attempts to read it: each attempt crashed its process or is still running. */
  @Column({ type: 'smallint', default: 0 }) attempts: number;
  /** Start of the last attempt. */
  @TimestampColumn({ nullable: true }) attemptedAt: Date | null;
}

/** One segment of a chunked upload, kept until the segments are joined. */
@Entity('media_parts')
export class MediaPart {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) mediaId: string;
  /** Index of the segment, from 0. */
  @PrimaryColumn({ type: 'integer' }) index: number;
  /** Size in bytes. */
  @Column({ type: 'integer' }) size: number;
  @Column({ type: 'varchar' }) sha256: string;
}

/** The subtitles of a video in one language: an uploaded file, which lives as long as a video has it. */
@Entity('media_subtitles')
@Index('media_subtitles_file', ['fileId'])
export class MediaSubtitles {
  /** The video. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) mediaId: string;
  /** Two capitals. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) languageCode: string;
  /** The upload with the text. */
  @IdColumn() fileId: string;
  /** The language as viewers read it. */
  @Column({ type: 'varchar' }) displayName: string;
}
