import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insertOrUpdate, write } from '../../common/db/query/write.js';
import { Media, MediaSubtitles } from '../entities/media.entity.js';
import { CATEGORY_OF_TYPE, EXPIRES_AFTER_SECONDS, MAX_LANGUAGES } from '../media-inspection/media-limits.js';
import { badUpload, uploadNotFound, wrongState } from '../media-inspection/upload-errors.js';
import type { SubtitledCategory } from './media-subtitles.dto.js';
import { isExpired } from './media-uploads.service.js';
import { releaseSubtitles, removeExpiry } from './media.statements.js';

type User = Pick<Caller, 'userId'>;

/** A video as a request names it. */
export interface NamedVideo {
  id: string;
  /** Absent where it is not compared. */
  category?: SubtitledCategory;
  /** The parameter with the id. */
  parameter: string;
}

/** Subtitles as a request names them. */
export interface NamedSubtitles {
  /** The parameter with the id of the file. */
  parameter: string;
  fileId: string;
  languageCode: string;
  displayName: string;
}

/** The subtitles of videos. Both the video and the files with the text are uploads of the same user. */
@Injectable()
export class MediaSubtitlesService {
  constructor(private readonly clock: Clock) {}

  /** The subtitles of a video by language. */
  of(db: EntityManager, mediaId: string): Promise<Row<MediaSubtitles>[]> {
    return rows(db, MediaSubtitles).where('mediaId', mediaId).orderBy('languageCode').getMany();
  }

  /** Adds subtitles to a video, or replaces those of the same language. Returns all of them. */
  add(db: EntityManager, user: User, video: NamedVideo, added: NamedSubtitles[]): Promise<Row<MediaSubtitles>[]> {
    return this.changing(db, user, video, async (tx, before) => {
      const files = await lockFiles(
        tx,
        user,
        added.map(({ fileId }) => fileId),
      );
      for (const each of added) this.assertUsable(files.get(each.fileId), each);
      const twice = added.find(({ languageCode }, i) => added.findIndex((e) => e.languageCode === languageCode) < i);
      if (twice) throw badUpload(`language_code "${twice.languageCode}" is repeated; a video has each language once`);
      const codes = new Set([...before, ...added].map(({ languageCode }) => languageCode));
      if (codes.size > MAX_LANGUAGES)
        throw badUpload(
          `A video can have subtitles in at most ${MAX_LANGUAGES} languages; ${codes.size} would be there`,
        );
      const made = added.map(({ fileId, languageCode, displayName }) => ({
        mediaId: video.id,
        languageCode,
        fileId,
        displayName,
      }));
      await write(tx, [
        insertOrUpdate(MediaSubtitles, made, ['fileId', 'displayName']),
        ...made.map(({ fileId }) => removeExpiry(fileId)),
      ]);
    });
  }

  /** Removes the subtitles of a video in these languages. Returns the others. */
  remove(db: EntityManager, user: User, video: NamedVideo, codes: string[]): Promise<Row<MediaSubtitles>[]> {
    return this.changing(db, user, video, async (tx, before) => {
      const known = before.map(({ languageCode }) => languageCode);
      const unknown = codes.find((code) => !known.includes(code));
      if (unknown !== undefined)
        throw badUpload(
          `${video.parameter} ${video.id} has no subtitles for language_code "${unknown}"; it has ${known.join(', ') || 'none'}`,
        );
      await rows(tx, MediaSubtitles).where('mediaId', video.id).whereIn('languageCode', codes).delete();
    });
  }

  /**
   * Changes the subtitles of a locked video. Files that no video has afterwards are unused uploads again, and expire
   * after a day. Every change locks the video first and the files after it, so that changes cannot block each other.
   */
  private changing(
    db: EntityManager,
    { userId }: User,
    video: NamedVideo,
    change: (tx: EntityManager, before: Row<MediaSubtitles>[]) => Promise<void>,
  ): Promise<Row<MediaSubtitles>[]> {
    return retrying(() =>
      db.transaction(async (tx) => {
        const [media] = await rows(tx, Media)
          .where('id', video.id)
          .where('ownerId', userId)
          .whereDistinctFrom('category', 'SUBTITLES')
          .setLock('for_no_key_update')
          .getMany();
        this.assertVideo(media, video);
        const before = await this.of(tx, video.id);
        await change(tx, before);
        const after = await this.of(tx, video.id);
        const kept = new Set(after.map(({ fileId }) => fileId));
        const gone = before.map(({ fileId }) => fileId).filter((fileId) => !kept.has(fileId));
        const inADay = new Date(this.clock.now().getTime() + EXPIRES_AFTER_SECONDS * 1_000);
        await releaseSubtitles(tx, gone, inADay.toISOString());
        return after;
      }),
    );
  }

  private assertVideo(media: Row<Media> | undefined, { id, category, parameter }: NamedVideo): void {
    if (!media || isExpired(media, this.clock.now())) throw uploadNotFound(id, parameter);
    if (media.state !== 'SUCCEEDED') throw wrongState(`${parameter} ${id} is not ready: wait until it has succeeded`);
    if (media.mediaType !== 'VIDEO')
      throw badUpload(`${parameter} ${id} is a ${media.contentType} file; only videos have subtitles`);
    const own = media.category ?? CATEGORY_OF_TYPE.VIDEO;
    if (category !== undefined && STORED[category] !== own)
      throw badUpload(
        `Expected "${own === 'AMPLIFY_VIDEO' ? 'AmplifyVideo' : 'PostVideo'}" for media_category of ${parameter} ${id}, got "${category}"`,
      );
  }

  private assertUsable(file: Row<Media> | undefined, { fileId, parameter }: NamedSubtitles): void {
    if (!file || isExpired(file, this.clock.now())) throw uploadNotFound(fileId, parameter);
    if (file.category !== 'SUBTITLES')
      throw badUpload(`${parameter} ${fileId} is not a file that was uploaded with media_category subtitles`);
    if (file.state !== 'SUCCEEDED') throw wrongState(`${parameter} ${fileId} is not ready: finish its upload first`);
  }
}

/** The categories of videos as the table has them. */
const STORED = { AmplifyVideo: 'AMPLIFY_VIDEO', PostVideo: 'POST_VIDEO' } as const;

/** Locks uploads of a user, in a fixed order. Not videos: their lock comes first. */
async function lockFiles(tx: EntityManager, { userId }: User, ids: string[]): Promise<Map<string, Row<Media>>> {
  const found = await rows(tx, Media)
    .whereIn('id', [...new Set(ids)])
    .where('ownerId', userId)
    .whereDistinctFrom('mediaType', 'VIDEO')
    .orderBy('id')
    .setLock('for_no_key_update')
    .getMany();
  return new Map(found.map((file) => [file.id, file]));
}
