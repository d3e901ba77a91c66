import { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { BlobDamaged, BlobStore, type StoredBlob } from '../../common/blobs/blob-store.js';
import { Config } from '../../config.js';
import { lookAtImage, neutralPoster, posterOfFrame } from './image-probe.js';
import { CATEGORY_LIMITS, CATEGORY_OF_TYPE, type CategoryLimits } from './media-limits.js';
import type { MediaKind } from './media-kind.js';
import type { MediaCategory } from './media.entity.js';
import { invalidFile } from './upload-errors.js';
import { firstFrameOf } from './video-frame.js';
import { endsAsArchive } from './media-kind.js';
import { lookAtVideo, type SeenVideo } from './video-probe.js';
import type { ReadRange } from './video-layout.rules.js';

/** A file that is stored, and not looked at yet. */
export interface StoredFile {
  file: string;
  size: number;
  kind: MediaKind;
  category: MediaCategory | null;
  /** Where the poster goes; null for an image. */
  posterFile: string | null;
}

/** What was found in a file. */
export interface Found {
  width: number;
  height: number;
  duration: number | null;
  poster: StoredBlob | null;
}

/** The key under which the store keeps a file of media. */
export const blobKeyOf = (file: string): string => `media/${file}`;

/** What a category takes; what its kind is judged by where none was named. */
export const limitsOf = (category: MediaCategory | null, kind: MediaKind): CategoryLimits =>
  CATEGORY_LIMITS[category ?? CATEGORY_OF_TYPE[kind.mediaType]];

/** Refuses a file of another kind than its category takes. */
export function assertFits(kind: MediaKind, category: MediaCategory | null): void {
  const { mediaType } = limitsOf(category, kind);
  if (mediaType === kind.mediaType) return;
  const fitting = Object.entries(CATEGORY_LIMITS).filter(([, limits]) => limits.mediaType === kind.mediaType);
  throw invalidFile(
    `is a ${kind.ending} file, which media_category ${category!.toLowerCase()} does not take; ${fitting
      .map(([name]) => name.toLowerCase())
      .join(' or ')} does`,
  );
}

/** Looks at the bytes of files, and makes their posters. */
@Injectable()
export class MediaLook {
  private readonly logger = new Logger('Media');

  constructor(
    private readonly store: BlobStore,
    private readonly config: Config,
  ) {}

  /** What is in a stored file, of which a bounded part is in memory at a time; throws what is wrong with it. */
  async at({ file, size, kind, category, posterFile }: StoredFile): Promise<Found> {
    const limits = limitsOf(category, kind);
    assertFits(kind, category);
    if (size > limits.bytes) throw invalidFile(`has ${size} bytes; at most ${limits.bytes} are taken`);
    const read = this.reader(file);
    if (kind.mediaType === 'VIDEO') return this.atVideo({ file, size, limits, posterFile: posterFile! }, read);
    const { width, height, poster } = await lookAtImage(() => read(0, size), kind);
    return { width, height, duration: null, poster: poster && (await this.keep(posterFile!, poster)) };
  }

  /** The first bytes of a stored file. */
  head(file: string, bytes: number): Promise<Buffer> {
    return this.reader(file)(0, bytes);
  }

  private async atVideo(
    { size, limits, posterFile }: { file: string; size: number; limits: CategoryLimits; posterFile: string },
    read: ReadRange,
  ): Promise<Found> {
    if (endsAsArchive(await read(Math.max(0, size - 65_557), size)))
      throw invalidFile('is an archive, too: a file has to be one thing');
    const seen = await lookAtVideo(read, size, limits);
    const poster = await this.keep(posterFile, await this.posterOf(seen, size, read));
    return { width: seen.width, height: seen.height, duration: seen.duration, poster };
  }

  private async posterOf(seen: SeenVideo, size: number, read: ReadRange): Promise<Buffer> {
    const { ffmpeg } = this.config;
    const frame = ffmpeg === undefined ? undefined : await firstFrameOf(ffmpeg, read, { size, boxes: seen.boxes });
    try {
      if (frame) return await posterOfFrame(frame, seen);
    } catch (error) {
      this.logger.warn({ err: error }, 'a first frame is no image');
    }
    return neutralPoster(seen);
  }

  private keep(posterFile: string, poster: Buffer): Promise<StoredBlob> {
    const about = { contentType: 'image/jpeg', length: poster.length };
    return this.store.put(blobKeyOf(posterFile), Readable.from([poster], { objectMode: false }), about);
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
