import { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { BlobDamaged, BlobStore, type StoredBlob } from '../../common/blobs/blob-store.js';
import { Unavailable } from '../../common/errors/unavailable.js';
import { FairQueue, type FairQueueLimits } from './fair-queue.js';
import { Config } from '../../config/config.js';
import {
  assertFits,
  videoFaultOf,
  FILE_PATIENCE_MS,
  limitsOf,
  MAX_QUEUED_FILES,
  MAX_QUEUED_FILES_OF_USER,
  MEDIA_READERS,
  MEDIA_READERS_PER_USER,
  type CategoryLimits,
} from './media-limits.js';
import type { MediaKind } from './media-kind.js';
import { MediaReaders, type OnBehalf } from './media-readers.service.js';
import type { UploadPurpose } from '../entities/media.entity.js';
import { endOfSubtitles } from './subtitles.rules.js';
import { invalidFile, tooManyFiles } from './upload-errors.js';
import { firstFrameOf } from './video-frame.js';
import type { ReadRange, TopLevelBox } from './video-layout.rules.js';
import { blobKeyOf } from '../media-files/media-key.js';

const RETRY_SECONDS = 5;

/** Limits on the time that a client waits for its file to be read, and on the queue. */
const PATIENCE: FairQueueLimits = {
  maxQueued: MAX_QUEUED_FILES,
  maxQueuedOfUser: MAX_QUEUED_FILES_OF_USER,
  timeoutMs: FILE_PATIENCE_MS,
  refusal: () =>
    tooManyFiles(
      `Too many files are waiting for inspection: at most ${MAX_QUEUED_FILES_OF_USER} per user, each for at most ${FILE_PATIENCE_MS / 1_000} seconds`,
      RETRY_SECONDS,
    ),
};

/** A stored file that is not inspected yet. */
export interface StoredFile {
  file: string;
  size: number;
  kind: MediaKind;
  category: UploadPurpose | null;
  /** Name for the poster file; null for an image. */
  posterFile: string | null;
}

/** Properties found in a file. */
export interface InspectionResult {
  /** Null for subtitles, as is the height. */
  width: number | null;
  height: number | null;
  duration: number | null;
  poster: StoredBlob | null;
}

/** Inspects the bytes of files and creates their posters. */
@Injectable()
export class MediaLook {
  private readonly logger = new Logger('Media');
  private readonly queue = new FairQueue(MEDIA_READERS, MEDIA_READERS_PER_USER);

  constructor(
    private readonly store: BlobStore,
    private readonly config: Config,
    private readonly readers: MediaReaders,
  ) {}

  /** Rejects a file before it is stored if the user has too many queued files. */
  assertRoom(userId: string): void {
    if (!this.queue.hasRoom(userId, PATIENCE)) throw PATIENCE.refusal('too many');
  }

  /**
   * Runs work on a file in fair order among users. Rejects with 429 if the queue is full or after the timeout. A job
   * has no waiting client and waits without a limit.
   */
  inTurn<R>(userId: string, work: () => Promise<R>, { isJob = false } = {}): Promise<R> {
    return this.queue.run(userId, work, isJob ? undefined : PATIENCE);
  }

  /** Inspects a stored file with bounded memory; throws an error that describes the fault. */
  async at({ file, size, kind, category, posterFile }: StoredFile, on: OnBehalf): Promise<InspectionResult> {
    const limits = limitsOf(category, kind);
    assertFits(kind, category);
    if (size > limits.bytes) throw invalidFile(`has ${size} bytes; at most ${limits.bytes} are allowed`);
    const read = this.reader(file);
    if (kind.mediaType === 'VIDEO') return this.atVideo({ size, limits, posterFile: posterFile! }, read, on);
    const bytes = await read(0, size);
    if (kind.mediaType === 'SUBTITLES')
      return { width: null, height: null, duration: endOfSubtitles(bytes), poster: null };
    const inMemory: ReadRange = async (start, end) => bytes.subarray(start, end);
    const { width, height, poster } = await this.readers.read('image', { size, kind }, inMemory, on);
    return { width, height, duration: null, poster: poster && (await this.keep(posterFile!, poster)) };
  }

  /** Returns the first bytes of a stored file. */
  head(file: string, bytes: number): Promise<Buffer> {
    return this.reader(file)(0, bytes);
  }

  private async atVideo(
    { size, limits, posterFile }: { size: number; limits: CategoryLimits; posterFile: string },
    read: ReadRange,
    on: OnBehalf,
  ): Promise<InspectionResult> {
    const facts = await this.readers.read('video', { size }, read, on);
    const fault = videoFaultOf(facts, limits);
    if (fault !== undefined) throw invalidFile(`is a video ${fault}`);
    const seen = { width: Math.round(facts.width), height: Math.round(facts.height) };
    const poster = await this.posterOf({ ...seen, size, boxes: facts.boxes }, read, on);
    return { ...seen, duration: Math.round(facts.duration * 1_000), poster: await this.keep(posterFile, poster) };
  }

  private async posterOf(
    { width, height, size, boxes }: { width: number; height: number; size: number; boxes: TopLevelBox[] },
    read: ReadRange,
    on: OnBehalf,
  ): Promise<Uint8Array> {
    const { ffmpeg } = this.config;
    let frame: Buffer | undefined;
    let isLost = false;
    const copied: ReadRange = (start, end) =>
      read(start, end).catch((error: unknown) => {
        isLost = true;
        throw error;
      });
    const inMemory: ReadRange = async (start, end) => frame!.subarray(start, end);
    try {
      frame = ffmpeg === undefined ? undefined : await firstFrameOf(ffmpeg, copied, { size, boxes });
      if (frame) return await this.readers.read('frame', { width, height, bytes: frame.length }, inMemory, on);
    } catch (error) {
      // the file cannot be read, or too many are
      if (isLost || error instanceof Unavailable) throw error;
      this.logger.warn({ err: error }, 'a video has no first frame');
    }
    return this.readers.read('neutral', { width, height }, inMemory, on);
  }

  private keep(posterFile: string, poster: Uint8Array): Promise<StoredBlob> {
    const about = { contentType: 'image/jpeg', length: poster.length };
    return this.store.put(
      blobKeyOf(posterFile),
      Readable.from([Buffer.from(poster.buffer, poster.byteOffset, poster.byteLength)], { objectMode: false }),
      about,
    );
  }

  private reader(file: string): ReadRange {
    return async (start, end) => {
      const opened = await this.store.open(blobKeyOf(file), { first: start, last: end - 1 });
      if (!opened) throw new BlobDamaged(`the file ${file} is not in the store`);
      const bytes = Buffer.alloc(end - start);
      let at = 0;
      for await (const piece of opened.content as AsyncIterable<Buffer>) at += piece.copy(bytes, at);
      return bytes;
    };
  }
}
