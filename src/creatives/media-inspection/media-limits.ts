import type { UploadedType, UploadPurpose } from '../entities/media.entity.js';
import { invalidFile } from './upload-errors.js';
import type { MediaKind } from './media-kind.js';
import type { TopLevelBox } from './video-layout.rules.js';

const MIB = 1024 * 1024;

/** Limits of a media category. */
export interface CategoryLimits {
  mediaType: UploadedType;
  /** Maximum file size in bytes. */
  bytes: number;
  /** Duration limits of a video in milliseconds. */
  duration?: { min: number; max: number };
}

export const CATEGORY_LIMITS: Record<UploadPurpose, CategoryLimits> = {
  POST_IMAGE: { mediaType: 'IMAGE', bytes: 5 * MIB },
  POST_GIF: { mediaType: 'GIF', bytes: 15 * MIB },
  POST_VIDEO: { mediaType: 'VIDEO', bytes: 512 * MIB, duration: { min: 500, max: 140_000 } },
  AMPLIFY_VIDEO: { mediaType: 'VIDEO', bytes: 500 * MIB, duration: { min: 500, max: 600_000 } },
  SUBTITLES: { mediaType: 'SUBTITLES', bytes: MIB },
};

/** Category whose limits apply to an upload without a category. */
export const CATEGORY_OF_TYPE: Record<UploadedType, UploadPurpose> = {
  IMAGE: 'POST_IMAGE',
  GIF: 'POST_GIF',
  VIDEO: 'POST_VIDEO',
  SUBTITLES: 'SUBTITLES',
};

/** Maximum size of any file in bytes. */
export const MAX_BYTES = CATEGORY_LIMITS.POST_VIDEO.bytes;
/** Maximum size of one segment of a chunked upload. */
export const SEGMENT_BYTES = 5 * MIB;
export const MAX_SEGMENTS = 1_000;
/** Up to this size, FINALIZE inspects the upload before it responds. */
export const LOOKED_AT_ONCE_BYTES = 32 * MIB;

/** Lifetime of an unused upload. */
export const EXPIRES_AFTER_SECONDS = 86_400;
/** Limit on unfinished chunked uploads per user, and the name of their counter. */
export const MAX_UNFINISHED = 100;
export const UNFINISHED_UPLOADS = 'unfinished_uploads';
/** Maximum languages of a video's subtitles. */
export const MAX_LANGUAGES = 50;

/** Maximum pixels of an image, bounded by decoder memory. */
export const MAX_PIXELS = 36_000_000;
/** Maximum bytes that a decoder holds of an image with rows out of sequence: a photograph of 6000 x 4000 pixels. */
export const MAX_HELD_BYTES = 72_000_000;
export const GIF_LIMITS = { width: 1280, height: 1080, frames: 350, pixels: 300_000_000 };
/** Limits on each side of a video in pixels. */
const VIDEO_SIDE = { min: 32, max: 4096 };

/** Files that a process reads concurrently, each in its own reader process, and the limit per user. */
export const MEDIA_READERS = 2;
export const MEDIA_READERS_PER_USER = 1;
/** Limits on queued files per user and for all users. */
export const MAX_QUEUED_FILES_OF_USER = 100;
export const MAX_QUEUED_FILES = 500;
/** Maximum time in milliseconds that a file waits during its request. */
export const FILE_PATIENCE_MS = 45_000;
/** Maximum read attempts per file, and the time in milliseconds after which an unfinished attempt counts as crashed. */
export const MAX_ATTEMPTS = 2;
export const ATTEMPT_MS = 120_000;

/** Limits of a category; those of the file's kind if the upload has no category. */
export const limitsOf = (category: UploadPurpose | null, kind: MediaKind): CategoryLimits =>
  CATEGORY_LIMITS[category ?? CATEGORY_OF_TYPE[kind.mediaType]];

/** Rejects a file whose kind does not match its category. */
export function assertFits(kind: MediaKind, category: UploadPurpose | null): void {
  const { mediaType } = limitsOf(category, kind);
  if (mediaType === kind.mediaType) return;
  const fitting = Object.entries(CATEGORY_LIMITS).filter(([, limits]) => limits.mediaType === kind.mediaType);
  throw invalidFile(
    `is a ${kind.ending} file, which media_category ${category!.toLowerCase()} does not allow; use ${fitting
      .map(([name]) => name.toLowerCase())
      .join(' or ')}`,
  );
}

/** Properties of a video before validation. */
export interface VideoFacts {
  /** Displayed size: rotated, with square pixels. */
  width: number;
  height: number;
  /** Duration of the video track in seconds. */
  duration: number;
  /** undefined if unknown */
  codec?: string;
  boxes: TopLevelBox[];
}

/** Validates a video. Returns its fault, or undefined. */
export function videoFaultOf(
  { width, height, duration, codec }: Omit<VideoFacts, 'boxes'>,
  limits: CategoryLimits,
): string | undefined {
  if (codec === undefined) return 'in an unknown format; allowed are H.264, H.265, VP8, VP9 and AV1';
  const { min, max } = VIDEO_SIDE;
  for (const side of [width, height]) {
    if (!(side >= min && side <= max))
      return `of ${width} x ${height} pixels; a side must have ${min} to ${max} pixels`;
  }
  const { duration: allowed } = limits;
  const ms = duration * 1_000;
  if (allowed && !(ms >= allowed.min && ms <= allowed.max))
    return `of ${Math.round(ms) / 1_000} seconds; ${allowed.min / 1_000} to ${allowed.max / 1_000} seconds are allowed`;
  return undefined;
}
