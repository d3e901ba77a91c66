import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { User } from '../../auth/credentials/user.entity.js';
import { ApiErrors } from '../../common/errors/api-error.js';
import { BlobStore } from '../../common/blobs/blob-store.js';
import { Clock } from '../../common/time/clock.js';
import { allExist, exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, replace, write, type Precondition } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { newRow } from '../../common/db/query/new-row.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded, reserveStorage } from '../../common/storage/storage-usage.js';
import { limitBytes, peek } from './arriving-bytes.js';
import { HEAD_BYTES, mediaKindOf, type MediaKind } from '../media-inspection/media-kind.js';
import { EXPIRES_AFTER_SECONDS, assertFits, limitsOf } from '../media-inspection/media-limits.js';
import { MediaLook } from '../media-inspection/media-look.service.js';
import { blobKeyOf, deleteFiles, mediaIdOf, uploadKeyOf } from '../media-files/media-key.js';
import { Media, type UploadPurpose } from '../entities/media.entity.js';
import type { DescribeMedia, UploadMedia } from './media-uploads.dto.js';
import { badUpload, mediaKeyNotFound, uploadNotFound, uploadQuotaExceeded } from '../media-inspection/upload-errors.js';
import { expireMedia, forgetUpload } from './media.statements.js';

/** Parameters that describe an upload. */
type About = Pick<UploadMedia, 'media_category' | 'additional_owners'>;

/** Columns of a file that is not inspected yet. */
const UNSEEN = {
  failure: null,
  attempts: 0,
  attemptedAt: null,
  sha256: null,
  file: null,
  mediaType: null,
  contentType: null,
  width: null,
  height: null,
  duration: null,
  posterFile: null,
  posterSize: null,
  posterSha256: null,
  altText: null,
  allowsDownload: null,
};

/** Unguessable names for a file and its poster. The client's file name is ignored. */
export const newFiles = ({ mediaType, ending }: MediaKind): { file: string; posterFile: string | null } => ({
  file: `${randomBytes(16).toString('hex')}.${ending}`,
  posterFile: mediaType === 'IMAGE' || mediaType === 'SUBTITLES' ? null : `${randomBytes(16).toString('hex')}.jpg`,
});

/** True if an upload was not used in its time; a job removes it. */
export const isExpired = ({ expiresAt }: Pick<Row<Media>, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== null && new Date(expiresAt) <= now;

/** Uploads in a single request. */
@Injectable()
export class MediaUploadsService {
  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
    private readonly clock: Clock,
    private readonly look: MediaLook,
    private readonly quotas: StorageQuotas,
  ) {}

  /** Stores a file while it arrives, inspects it, and keeps it for a day. A rejected file leaves no data behind. */
  async take(caller: Pick<Caller, 'userId'>, about: About, bytes: Readable | Buffer): Promise<Row<Media>> {
    const arriving = Buffer.isBuffer(bytes) ? Readable.from([bytes], { objectMode: false }) : bytes;
    const { head, content } = await peek(arriving, HEAD_BYTES);
    try {
      this.look.assertRoom(caller.userId);
      const category = categoryOf(about);
      const kind = await mediaKindOf(head, category);
      assertFits(kind, category);
      const media = await this.begin(caller, about, {
        ...newFiles(kind),
        mediaType: kind.mediaType,
        contentType: kind.contentType,
      });
      return await this.keep(media, kind, content);
    } finally {
      arriving.destroy();
    }
  }

  /** Stores what the uploader says of an upload. What is absent stays; returns the upload. */
  async describe(
    db: EntityManager,
    { userId }: Pick<Caller, 'userId'>,
    { id, metadata }: DescribeMedia,
  ): Promise<Row<Media>> {
    const now = this.clock.now();
    const [media] = await rows(db, Media)
      .where('id', id)
      .where('ownerId', userId)
      .update({
        altText: metadata.alt_text?.text,
        allowsDownload: metadata.allow_download_status?.allow_download,
        updatedAt: nextAfterStored(now.toISOString()),
      });
    if (!media || isExpired(media, now)) throw uploadNotFound(id);
    return media;
  }

  /** Processed uploads that the caller may use, by their media keys and in that order; 404 for keys without one. */
  async byKeys(
    db: EntityManager,
    { userId }: Pick<Caller, 'userId'>,
    keys: readonly string[],
    parameter: string,
  ): Promise<Row<Media>[]> {
    const now = this.clock.now();
    const found = await rows(db, Media).whereIn('id', keys.map(mediaIdOf)).whereLiteral('state', 'SUCCEEDED').getMany();
    const usable = found.filter(
      (media) => (media.ownerId === userId || media.additionalOwners.includes(userId)) && !isExpired(media, now),
    );
    const byKey = new Map(usable.map((media) => [uploadKeyOf(media), media]));
    const unknown = keys.filter((key) => !byKey.has(key));
    if (unknown.length > 0) throw new ApiErrors(unknown.map((key) => mediaKeyNotFound(key, parameter)));
    return keys.map((key) => byKey.get(key)!);
  }

  /**
   * Lets the media of a deleted user expire, with those in the libraries of these accounts, which are deleted too. The
   * next job removes them.
   */
  expireAll(userId: string, accountIds: readonly string[], db: EntityManager): Promise<void> {
    return expireMedia(db, userId, accountIds, this.clock.now().toISOString());
  }

  /** Builds a new upload. Its additional owners must exist (see `ownersExist`). */
  newMedia(caller: Pick<Caller, 'userId'>, about: About, more: Partial<Row<Media>>): Row<Media> {
    const now = this.clock.now();
    return {
      ...newRow(now, newNumber),
      ...UNSEEN,
      ownerId: caller.userId,
      additionalOwners: about.additional_owners ?? [],
      category: categoryOf(about),
      state: 'PENDING',
      size: 0,
      expiresAt: new Date(now.getTime() + EXPIRES_AFTER_SECONDS * 1_000).toISOString(),
      ...more,
    };
  }

  /** Preconditions that the additional owners exist. */
  ownersExist({ additional_owners: owners = [] }: About): Precondition[] {
    if (owners.length === 0) return [];
    const unknown = () => badUpload('additional_owners has the id of a user who does not exist');
    return [
      allExist(
        User,
        owners.map((id) => ({ id })),
        unknown,
      ),
    ];
  }

  private begin(caller: Pick<Caller, 'userId'>, about: About, more: Partial<Row<Media>>): Promise<Row<Media>> {
    return retrying(async () => {
      const media = this.newMedia(caller, about, more);
      await write(this.db.manager, [insert(Media, [media])], this.ownersExist(about));
      return media;
    });
  }

  private async keep(media: Row<Media>, kind: MediaKind, content: AsyncIterable<Buffer>): Promise<Row<Media>> {
    const { category, posterFile } = media;
    const file = media.file!;
    try {
      const limit = limitsOf(category, kind).bytes;
      const about = { contentType: kind.contentType };
      const { size, sha256 } = await this.store.put(blobKeyOf(file), limitBytes(content, limit, 'media'), about);
      const { poster, ...found } = await this.look.inTurn(media.ownerId, () =>
        this.look.at({ file, size, kind, category, posterFile }, { userId: media.ownerId }),
      );
      const taken: Row<Media> = {
        ...media,
        ...found,
        state: 'SUCCEEDED',
        size,
        sha256,
        posterSize: poster?.size ?? null,
        posterSha256: poster?.sha256 ?? null,
        updatedAt: nextUpdatedAt(media.updatedAt, this.clock.now()),
      };
      const writes = [
        replace(Media, [taken]),
        reserveStorage(this.quotas.amount('USER_MEDIA_BYTES', media.ownerId, size)),
      ];
      await write(this.db.manager, writes, [exists(Media, media, () => uploadNotFound(media.id))], {
        lockKey: media.ownerId,
      });
      return taken;
    } catch (error) {
      await this.forget(media).catch(() => undefined);
      if (!isQuotaExceeded(error)) throw error;
      throw uploadQuotaExceeded(await this.quotas.explain('USER_MEDIA_BYTES', media.ownerId));
    }
  }

  /** Removes a rejected file. What cannot be removed now is removed on expiry. */
  private async forget(media: Row<Media>): Promise<void> {
    await deleteFiles(this.store, media);
    await forgetUpload(this.db.manager, media.id);
  }
}

export const categoryOf = ({ media_category: category }: About): UploadPurpose | null =>
  category ? (category.toUpperCase() as UploadPurpose) : null;
