import type { VideoFacts } from './media-reader.messages.js';
import { type CategoryLimits, VIDEO_SIDE } from './media-limits.js';

/** Validates a video. Returns its fault, or undefined. */
export function faultOf(
  { width, height, duration, codec }: Omit<VideoFacts, 'boxes'>,
  limits: CategoryLimits,
): string | undefined {
  if (codec === undefined) return 'in an unknown format; allowed are H.264, H.265, VP8, VP9 and AV1';
  const { least, most } = VIDEO_SIDE;
  for (const side of [width, height]) {
    if (!(side >= least && side <= most))
      return `of ${width} x ${height} pixels; a side must have ${least} to ${most} pixels`;
  }
  const { duration: allowed } = limits;
  const ms = duration * 1_000;
  if (allowed && !(ms >= allowed.least && ms <= allowed.most))
    return `of ${Math.round(ms) / 1_000} seconds; ${allowed.least / 1_000} to ${allowed.most / 1_000} seconds are allowed`;
  return undefined;
}
