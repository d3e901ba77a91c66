import { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { BlobStore } from '../../common/blobs/blob-store.js';
import { Clock } from '../../common/time/clock.js';
import { changeCounters, isLimitReached } from '../../common/db/counters/counters.js';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, insertOrUpdate, write } from '../../common/db/query/write.js';
import { Unavailable } from '../../common/errors/unavailable.js';
import { enqueueWrite, notifyWorkers } from '../../common/jobs/enqueue.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded, releaseStorage, reserveStorage } from '../../common/storage/storage-usage.js';
import { acceptBytes, limitBytes } from './arriving-bytes.js';
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
  private readonly logger = new Logger('Media');

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
    const beyond = () =>
      badUpload(`The segments of media_id ${media.id} must have at most total_bytes in total, which is ${media.size}`);
    const takes = (size: number) => takesSegment({ id: media.id, index: index!, size }, beyond);
    // a segment that is rejected before it is stored does not replace an accepted one
    const accepted = acceptBytes(limitBytes(content, SEGMENT_BYTES, 'media'), media.size, async (size) => {
      if (size === 0) throw badUpload('media is empty');
      await write(this.db.manager, [], [takes(size)]);
    });
    const part = await this.store.putPart(media.id, index!, accepted);
    const row = { mediaId: media.id, index: index!, size: part.size, sha256: part.sha256 };
    try {
      await this.db.transaction(async (tx) => {
        // segments that arrive at the same time see each other's bytes
        await rows(tx, Media).where('id', media.id).setLock('for_no_key_update').getOne();
        await write(tx, [insertOrUpdate(MediaPart, [row], ['size', 'sha256'])], [takes(part.size)]);
      });
      if (!(await this.store.hasPart(media.id, index!))) throw new SegmentRemoved();
    } catch (error) {
      // what cannot be removed now goes when the upload ends or expires
      await this.removeRejected(media.id, index!).catch((failure: unknown) =>
        this.logger.warn(`A rejected segment of ${media.id} could not be removed: ${failureReasonOf(failure)}`),
      );
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
   * Removes what a rejected segment left in the store. Under the lock of the upload no other request accepts or removes a segment. One
   * that is stored but not accepted yet may lose its bytes: its request finds that they are gone.
   */
  private async removeRejected(id: string, index: number): Promise<void> {
    const isOver = await this.db.transaction(async (tx) => {
      const media = await rows(tx, Media).where('id', id).setLock('for_no_key_update').getOne();
      const isArriving = media?.state === 'ARRIVING';
      if (!media || !(isArriving || UNPROCESSED_STATES.includes(media.state))) return true;
      const accepted = rows(tx, MediaPart).where('mediaId', id).where('index', index);
      const part = await accepted.getOne();
      // an accepted segment stays, unless the rejected one has replaced its bytes and the client can send it again
      if (part && (!isArriving || (await this.store.isPart(id, part)))) return false;
      if (part) await accepted.delete();
      await this.store.deletePart(id, index);
      return false;
    });
    // nothing else removes the segments of an upload that is inspected or has expired
    if (isOver) await this.store.abort(id);
  }
}

/** Another request with the same segment was rejected and removed the bytes of both. */
class SegmentRemoved extends Unavailable {
  constructor() {
    super('another request with the same segment removed this one: send it again');
  }
}

/** Counts a user's unfinished uploads. Completion and expiry lower the counter. */
const unfinished = (ownerId: string, by: number) => ({ ownerId, kind: UNFINISHED_UPLOADS, by, limit: MAX_UNFINISHED });

const tooMany = () =>
  badUpload(`A user can have at most ${MAX_UNFINISHED} unfinished uploads; they expire after a day`);
