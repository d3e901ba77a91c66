import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { BlobStore } from '../../common/blobs/blob-store.js';
import { Clock } from '../../common/time/clock.js';
import { changeCounters, isLimitReached } from '../../common/db/counters/counters.js';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, insertOrUpdate, write } from '../../common/db/query/write.js';
import { enqueueWrite, notifyWorkers } from '../../common/jobs/enqueue.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded, releaseStorage, reserveStorage } from '../../common/storage/storage-usage.js';
import { limitBytes } from './arriving-bytes.js';
import {
  CATEGORY_LIMITS,
  LOOKED_AT_ONCE_BYTES,
  MAX_UNFINISHED,
  SEGMENT_BYTES,
  UNFINISHED_UPLOADS,
} from '../media-inspection/media-limits.js';
import { takesSegment } from './media.statements.js';
import { MediaProcessing, PROCESS_MEDIA, UNPROCESSED_STATES } from './media-processing.job.js';
import { categoryOf, isExpired, MediaUploadsService } from './media-uploads.service.js';
import { Media, MediaPart } from '../entities/media.entity.js';
import type { UploadMedia } from './media-uploads.dto.js';
import { badUpload, uploadNotFound, uploadQuotaExceeded, wrongState } from '../media-inspection/upload-errors.js';

/** Maximum number of a user's waiting files that lower the priority. */
const MAX_QUEUED_COUNTED = 100;
/** Delay after which the job checks whether the process that inspects a finished small upload is still alive. */
const RESUME_AFTER_SECONDS = 120;

/** Uploads in segments, in any order and through any replica. */
@Injectable()
export class ChunkedUploadsService {
  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
    private readonly clock: Clock,
    private readonly uploads: MediaUploadsService,
    private readonly processing: MediaProcessing,
    private readonly quotas: StorageQuotas,
  ) {}

  /** Starts an upload of the announced size. */
  begin(caller: Caller, params: UploadMedia): Promise<Row<Media>> {
    const category = categoryOf(params);
    const limit = category && CATEGORY_LIMITS[category].bytes;
    const size = params.total_bytes!;
    if (limit !== null && size > limit)
      throw badUpload(
        `Expected a value between 1 and ${limit}, got "${size}" for total_bytes with media_category ${params.media_category}`,
      );
    return retrying(async () => {
      const media = this.uploads.newMedia(caller, params, { state: 'ARRIVING', size });
      const bytes = this.quotas.amount('UNFINISHED_UPLOAD_BYTES', caller.userId, size);
      const writes = [insert(Media, [media]), ...changeCounters([unfinished(caller.userId, 1)]), reserveStorage(bytes)];
      try {
        await write(this.db.manager, writes, this.uploads.ownersExist(params), { lockKey: caller.userId });
      } catch (error) {
        if (isLimitReached(error)) throw tooMany();
        if (!isQuotaExceeded(error)) throw error;
        throw uploadQuotaExceeded(await this.quotas.explain('UNFINISHED_UPLOAD_BYTES', caller.userId, size));
      }
      return media;
    });
  }

  /** Stores one segment of an upload, which it returns. Sending it again replaces it. */
  async append(
    caller: Caller,
    { media_id: id, segment_index: index }: Pick<UploadMedia, 'media_id' | 'segment_index'>,
    bytes: Readable | Buffer,
  ): Promise<Row<Media>> {
    const media = await this.of(caller, id!);
    if (media.state !== 'ARRIVING') throw wrongState(`media_id ${media.id} accepts no more segments: it is finished`);
    const content = Buffer.isBuffer(bytes) ? Readable.from([bytes], { objectMode: false }) : bytes;
    const part = await this.store.putPart(media.id, index!, limitBytes(content, SEGMENT_BYTES, 'media'));
    const row = { mediaId: media.id, index: index!, size: part.size, sha256: part.sha256 };
    const beyond = () =>
      badUpload(`The segments of media_id ${media.id} must have at most total_bytes in total, which is ${media.size}`);
    try {
      if (part.size === 0) throw badUpload('media is empty');
      const takes = takesSegment({ id: media.id, index: index!, size: part.size }, beyond);
      await this.db.transaction(async (tx) => {
        // segments that arrive at the same time see each other's bytes
        await rows(tx, Media).where('id', media.id).setLock('for_no_key_update').getOne();
        await write(tx, [insertOrUpdate(MediaPart, [row], ['size', 'sha256'])], [takes]);
      });
    } catch (error) {
      await this.unlessFinished(media.id, index!);
      throw error;
    }
    return media;
  }

  /** Completes an upload after all segments are stored. Inspects small uploads before returning. */
  async finish(caller: Caller, { media_id: id }: Pick<UploadMedia, 'media_id'>): Promise<Row<Media>> {
    const media = await this.of(caller, id!);
    if (media.state === 'ARRIVING') await this.closeWithinQuota(media);
    const isSmall = media.size <= LOOKED_AT_ONCE_BYTES;
    const seen = isSmall ? await this.processing.process(media.id) : await this.of(caller, media.id);
    if (!seen) throw uploadNotFound(media.id);
    if (seen.state === 'FAILED' && isSmall) throw badUpload(seen.failure!);
    return seen;
  }

  /** Returns the status of an upload. */
  async status(caller: Caller, id: string): Promise<Row<Media>> {
    const media = await this.of(caller, id);
    if (media.state === 'ARRIVING') throw wrongState(`media_id ${id} is not finished: finish it with command=FINALIZE`);
    return media;
  }

  /** Returns an upload of the caller that has not expired. */
  private async of(caller: Caller, id: string): Promise<Row<Media>> {
    const media = await rows(this.db.manager, Media).where('id', id).where('ownerId', caller.userId).getOne();
    if (!media || isExpired(media, this.clock.now())) throw uploadNotFound(id);
    return media;
  }

  private async closeWithinQuota(media: Row<Media>): Promise<void> {
    try {
      await this.close(media);
    } catch (error) {
      if (!isQuotaExceeded(error)) throw error;
      throw uploadQuotaExceeded(await this.quotas.explain('USER_MEDIA_BYTES', media.ownerId, media.size));
    }
  }

  /** Closes the upload to segments and enqueues a job that takes over if this process dies. */
  private async close({ id, size, ownerId }: Row<Media>): Promise<void> {
    await this.db.transaction(async (tx) => {
      // concurrent appends hold a lock on this row, and later ones find the upload closed
      const closed = await rows(tx, Media)
        .where('id', id)
        .where('state', 'ARRIVING')
        .update({ state: 'PENDING', updatedAt: nextAfterStored(this.clock.now().toISOString()) });
      if (closed.length === 0) return;
      const parts = await rows(tx, MediaPart).where('mediaId', id).orderBy('index').getMany();
      const gap = parts.findIndex((part, i) => part.index !== i);
      if (parts.length === 0 || gap >= 0)
        throw badUpload(
          `segment_index ${Math.max(gap, 0)} of media_id ${id} is missing: segments must be numbered from 0 without a gap`,
        );
      const sum = parts.reduce((bytes, part) => bytes + part.size, 0);
      if (sum !== size)
        throw badUpload(`The segments of media_id ${id} have ${sum} bytes in total, but total_bytes is ${size}`);
      const delaySeconds = size <= LOOKED_AT_ONCE_BYTES ? RESUME_AFTER_SECONDS : 0;
      // each waiting file of a user delays that user's next one, so that other users' files come first
      const waiting = await rows(tx, Media)
        .where('ownerId', ownerId)
        .whereIn('state', UNPROCESSED_STATES)
        .limit(MAX_QUEUED_COUNTED)
        .getMany();
      await write(tx, [
        enqueueWrite(PROCESS_MEDIA, [{ mediaId: id }], { delaySeconds, priority: -waiting.length }),
        ...changeCounters([unfinished(ownerId, -1)]),
        releaseStorage(this.quotas.amount('UNFINISHED_UPLOAD_BYTES', ownerId, size)),
        reserveStorage(this.quotas.amount('USER_MEDIA_BYTES', ownerId, size)),
      ]);
      notifyWorkers(tx, PROCESS_MEDIA);
    });
  }

  /**
   * Removes a rejected segment and the one that it would have replaced, unless the upload is finished. Of an upload that expired
   * while the segment arrived, nothing else removes it.
   */
  private async unlessFinished(id: string, index: number): Promise<void> {
    const media = await rows(this.db.manager, Media).where('id', id).getOne();
    if (!media) await this.store.abort(id);
    else if (media.state === 'ARRIVING')
      await rows(this.db.manager, MediaPart).where('mediaId', id).where('index', index).delete();
  }
}

/** Counts a user's unfinished uploads. Completion and expiry lower the counter. */
const unfinished = (ownerId: string, by: number) => ({ ownerId, kind: UNFINISHED_UPLOADS, by, limit: MAX_UNFINISHED });

const tooMany = () =>
  badUpload(`A user can have at most ${MAX_UNFINISHED} unfinished uploads; they expire after a day`);
