import type { MediaCategory, MediaType } from '../entities/media.entity.js';
import { invalidFile } from './upload-errors.js';
import type { MediaKind } from './media-kind.js';

const MIB = 1024 * 1024;

/** What a category takes. */
export interface CategoryLimits {
  mediaType: MediaType;
  /** The most bytes of a file. */
  bytes: number;
  /** How long a video may be, in milliseconds. */
  duration?: { least: number; most: number };
}

export const CATEGORY_LIMITS: Record<MediaCategory, CategoryLimits> = {
  POST_IMAGE: { mediaType: 'IMAGE', bytes: 5 * MIB },
  POST_GIF: { mediaType: 'GIF', bytes: 15 * MIB },
  POST_VIDEO: { mediaType: 'VIDEO', bytes: 512 * MIB, duration: { least: 500, most: 140_000 } },
  AMPLIFY_VIDEO: { mediaType: 'VIDEO', bytes: 500 * MIB, duration: { least: 500, most: 600_000 } },
};

/** What an upload that names no category is judged by. */
export const CATEGORY_OF_TYPE: Record<MediaType, MediaCategory> = {
  IMAGE: 'POST_IMAGE',
  GIF: 'POST_GIF',
  VIDEO: 'POST_VIDEO',
};

/** The most bytes of any file. */
export const MAX_BYTES = CATEGORY_LIMITS.POST_VIDEO.bytes;
/** One segment of a chunked upload. */
export const SEGMENT_BYTES = 5 * MIB;
export const MAX_SEGMENTS = 1_000;
/** Up to here a finished upload is looked at while its client waits. */
export const LOOKED_AT_ONCE_BYTES = 32 * MIB;

/** An upload that nothing uses goes after so long. */
export const EXPIRES_AFTER_SECONDS = 86_400;
/** Chunked uploads of one user that are not finished, and the counter of them. */
export const MAX_UNFINISHED = 100;
export const UNFINISHED_UPLOADS = 'unfinished_uploads';

/** An image: beyond it a decoder would need too much memory. */
export const MAX_PIXELS = 36_000_000;
/** What a decoder may have to hold of one image, where its rows do not come one after the other: 6000 x 4000 pixels of a photograph. */
export const MAX_HELD_BYTES = 72_000_000;
export const GIF_LIMITS = { width: 1280, height: 1080, frames: 350, pixels: 300_000_000 };
/** A side of a video, in pixels. */
export const VIDEO_SIDE = { least: 32, most: 4096 };

/** Files that a process reads at a time, each in a process of its own, and how many of one user. */
export const MEDIA_READERS = 2;
export const MEDIA_READERS_PER_USER = 1;
/** Files of one user that wait to be read, and of all users. */
export const MAX_QUEUED_FILES_OF_USER = 100;
export const MAX_QUEUED_FILES = 500;
/** How long a file waits while its client does, in milliseconds. */
export const FILE_PATIENCE_MS = 45_000;
/** How often it is begun to read a file, and after which time one that was not ended has died, in milliseconds. */
export const MAX_ATTEMPTS = 2;
export const ATTEMPT_MS = 120_000;

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
