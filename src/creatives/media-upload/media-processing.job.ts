import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BlobDamaged, BlobStore, type StoredBlob } from '../../common/blobs/blob-store.js';
import { Clock } from '../../common/time/clock.js';
import { increasedBy, nextAfterStored, unlessSet } from '../../common/db/query/computed.js';
import { rows, type ColumnChanges, type Row } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import { ApiError } from '../../common/errors/api-error.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { releaseStorage } from '../../common/storage/storage-usage.js';
import { HEAD_BYTES, mediaKindOf, type MediaKind } from '../media-inspection/media-kind.js';
import { ATTEMPT_MS, MAX_ATTEMPTS, assertFits } from '../media-inspection/media-limits.js';
import { type InspectionResult, MediaLook, type StoredFile } from '../media-inspection/media-look.service.js';
import { blobKeyOf, deleteFiles } from '../media-files/media-key.js';
import { Media, MediaPart, type MediaState } from '../entities/media.entity.js';
import { newFiles } from './media-uploads.service.js';
import { invalidFile } from '../media-inspection/upload-errors.js';

/**
 * The timeout covers copying, reading and inspecting half a gigabyte. Several run concurrently, because one may be a
 * long copy. The last retry is about as late as the upload lives: the store may be away for hours.
 */
export const PROCESS_MEDIA = defineJob<{ mediaId: string }>('process-media', {
  timeoutSeconds: 900,
  retries: 13,
  concurrency: 4,
});

interface Reading {
  signal?: AbortSignal;
  /** Whether no client waits, so that the work may stay in the queue. */
  isJob?: boolean;
}

const MAX_OWED = 10_000;

export const UNPROCESSED_STATES: MediaState[] = ['PENDING', 'IN_PROGRESS'];

/** Another process is reading the file; the job checks again later. */
class ReadElsewhere extends Error {}

/** Joins the segments of a finished upload and inspects the file. Idempotent and restartable. */
@Injectable()
export class MediaProcessing implements OnModuleInit {
  /** Ended attempts that are not subtracted in the database yet, by upload. */
  private readonly owed = new Map<string, number>();

  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly look: MediaLook,
    private readonly quotas: StorageQuotas,
  ) {}

  onModuleInit(): void {
    this.jobs.work(PROCESS_MEDIA, async ({ mediaId }, { signal }) => {
      const media = await this.process(mediaId, { signal, isJob: true });
      // the process that reads it may crash
      if (media && UNPROCESSED_STATES.includes(media.state)) throw new ReadElsewhere('another process reads the file');
    });
  }

  /**
   * Returns the upload after processing; still in progress if another process reads it. An unavailable store or a full
   * queue leaves it unchanged for the next attempt.
   */
  async process(id: string, reading: Reading = {}, attempt = 1): Promise<Row<Media> | undefined> {
    const media = await this.of(id).getOne();
    if (!media || !UNPROCESSED_STATES.includes(media.state)) return media;
    const parts = await rows(this.db.manager, MediaPart).where('mediaId', id).orderBy('index').getMany();
    try {
      const kind = await mediaKindOf(
        media.file ? await this.headOf(media, parts) : await this.headOfParts(id, parts),
        media.category,
      );
      assertFits(kind, media.category);
      const named = await this.named(id, kind);
      // another process has finished it
      if (!named) return await this.of(id).getOne();
      return await this.inspect(named, parts, kind, reading);
    } catch (error) {
      // another process joined the segments meanwhile, so the next attempt finds the file
      if (error instanceof SegmentGone && attempt < 3) return this.process(id, reading, attempt + 1);
      if (error instanceof SegmentGone) return this.refuse(media, error.message);
      if (error instanceof BlobDamaged) {
        // another process has rejected it meanwhile and removed the file
        const settled = await this.of(id).getOne();
        if (settled && !UNPROCESSED_STATES.includes(settled.state)) return settled;
      }
      if (!(error instanceof ApiError) || error.status === 429) throw error;
      return this.refuse(media, error.message);
    }
  }

  /** Joins and inspects an upload. If it expired meanwhile, what this stored of it goes, too. */
  private async inspect(
    named: Row<Media>,
    parts: Row<MediaPart>[],
    kind: MediaKind,
    reading: Reading,
  ): Promise<Row<Media> | undefined> {
    const { id, file, category, posterFile, ownerId } = named;
    try {
      const blob = await this.joined(named, parts, kind);
      const stored = { file: file!, size: blob.size, kind, category, posterFile };
      const seen = await this.look.inTurn(ownerId, () => this.read(id, stored, reading), reading);
      if (!seen) return await this.of(id).getOne();
      const { poster, ...found } = seen;
      const settled = await this.settle(id, {
        ...found,
        state: 'SUCCEEDED',
        ...blob,
        posterSize: poster?.size ?? null,
        posterSha256: poster?.sha256 ?? null,
      });
      // a segment that came too late may have been stored since the segments were joined
      await this.store.abort(id);
      return settled;
    } finally {
      if (!(await this.of(id).getExists())) await this.removeFiles(named);
    }
  }

  /**
   * Inspects the file; undefined if another process is reading it. The attempt is stored before it starts and
   * subtracted when it ends, with or without an error. Remaining attempts crashed with their process. After two of
   * them, the file is rejected.
   */
  private async read(id: string, file: StoredFile, { signal }: Reading): Promise<InspectionResult | undefined> {
    const now = this.clock.now();
    const [begun] = await this.underway(id)
      .whereLessThan('attempts', MAX_ATTEMPTS + (this.owed.get(id) ?? 0))
      .update({ attempts: increasedBy(1 - (this.owed.get(id) ?? 0)), attemptedAt: now.toISOString() });
    if (!begun) {
      const media = await this.of(id).getOne();
      const last = media?.attemptedAt ? new Date(media.attemptedAt).getTime() : 0;
      if (!media || !UNPROCESSED_STATES.includes(media.state) || now.getTime() - last < ATTEMPT_MS) return undefined;
      throw invalidFile(`cannot be read: the process that read it crashed in ${MAX_ATTEMPTS} attempts`);
    }
    this.owed.delete(id);
    try {
      return await this.look.at(file, { userId: begun.ownerId, signal });
    } finally {
      await this.takeBack(id);
    }
  }

  /** Subtracts an ended attempt. If the database is unavailable, the next call subtracts both. */
  private async takeBack(id: string): Promise<void> {
    try {
      await this.of(id).update({ attempts: increasedBy(-1) });
    } catch {
      if (this.owed.size < MAX_OWED) this.owed.set(id, (this.owed.get(id) ?? 0) + 1);
    }
  }

  /** Assigns the names of the file and its poster, or returns those assigned by another process. */
  private async named(id: string, kind: MediaKind): Promise<Row<Media> | undefined> {
    const { file, posterFile } = newFiles(kind);
    const [named] = await this.underway(id).update({
      state: 'IN_PROGRESS',
      file: unlessSet<string | null>(file),
      posterFile: unlessSet(posterFile),
      mediaType: kind.mediaType,
      contentType: kind.contentType,
    });
    return named;
  }

  /** After a crash, the segments may already be joined in the file. */
  private async headOf({ id, file }: Row<Media>, parts: Row<MediaPart>[]): Promise<Buffer> {
    const whole = await this.store.stat(blobKeyOf(file!));
    return whole ? this.look.head(file!, Math.min(HEAD_BYTES, whole.size)) : this.headOfParts(id, parts);
  }

  private async headOfParts(id: string, parts: Row<MediaPart>[]): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for (const { index } of parts) {
      const part = await this.store.openPart(id, index);
      if (!part) throw new SegmentGone('media has a segment that no longer exists');
      for await (const piece of part.content as AsyncIterable<Buffer>) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes >= HEAD_BYTES) break;
      }
      if (bytes >= HEAD_BYTES) break;
    }
    return Buffer.concat(pieces).subarray(0, HEAD_BYTES);
  }

  private async joined({ id, file, size }: Row<Media>, parts: Row<MediaPart>[], kind: MediaKind): Promise<StoredBlob> {
    const key = blobKeyOf(file!);
    try {
      if (!(await this.store.stat(key)))
        return await this.store.complete(id, parts, key, { contentType: kind.contentType });
    } catch (error) {
      if (!(error instanceof BlobDamaged)) throw error;
      if (!(await this.store.stat(key))) throw changedMeanwhile();
    }
    const whole = await this.digestOf(key);
    if (whole.size !== size) throw changedMeanwhile();
    await this.store.abort(id);
    return whole;
  }

  private async digestOf(key: string): Promise<StoredBlob> {
    const opened = await this.store.open(key);
    if (!opened) throw new BlobDamaged(`${key} is not in the store`);
    const hash = createHash('sha256');
    for await (const piece of opened.content as AsyncIterable<Buffer>) hash.update(piece);
    return { size: opened.size, sha256: hash.digest('hex') };
  }

  /** Rejects the file unless another process has settled it. A rejected file has no bytes, and its owner's usage falls. */
  private async refuse({ id }: Row<Media>, failure: string): Promise<Row<Media> | undefined> {
    const failed = await this.db.transaction(async (tx) => {
      const media = await this.underway(id, tx).setLock('for_no_key_update').getOne();
      const settled = await this.settle(id, { state: 'FAILED', failure, size: 0 }, tx);
      if (media) await write(tx, [releaseStorage(this.quotas.amount('USER_MEDIA_BYTES', media.ownerId, media.size))]);
      return settled;
    });
    if (failed?.state === 'FAILED') await this.removeFiles(failed);
    return failed;
  }

  private async removeFiles(media: Row<Media>): Promise<void> {
    await deleteFiles(this.store, media);
    await this.store.abort(media.id);
  }

  /** Stores the result unless another process has. */
  private async settle(
    id: string,
    changes: ColumnChanges<Media>,
    db = this.db.manager,
  ): Promise<Row<Media> | undefined> {
    const [settled] = await this.underway(id, db).update({
      ...changes,
      updatedAt: nextAfterStored(this.clock.now().toISOString()),
    });
    if (!settled) return this.of(id, db).getOne();
    await rows(db, MediaPart).where('mediaId', id).delete();
    return settled;
  }

  private of(id: string, db = this.db.manager) {
    return rows(db, Media).where('id', id);
  }

  private underway(id: string, db = this.db.manager) {
    return this.of(id, db).whereIn('state', UNPROCESSED_STATES);
  }
}

/** A recorded segment is missing in the blob store. */
class SegmentGone extends Error {}

const changedMeanwhile = () => invalidFile('has a segment that was sent twice at the same time with different content');
