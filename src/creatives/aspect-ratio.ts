/** Width to height, in the usual notation. */
export type AspectRatio = '1:1' | '1.91:1' | '16:9' | '5:2';

const VALUES: Record<AspectRatio, number> = { '1:1': 1, '1.91:1': 1.91, '16:9': 16 / 9, '5:2': 2.5 };

/**
 * Relative tolerance of an aspect ratio. Whole pixels seldom match a ratio exactly: 800 x 418 and 1200 x 628 are both
 * 1.91:1.
 */
const RATIO_TOLERANCE = 0.01;

interface Size {
  width: number;
  height: number;
}

/** Whether a size has this ratio, within the tolerance. */
export const hasRatio = ({ width, height }: Size, ratio: AspectRatio): boolean =>
  Math.abs(width / height / VALUES[ratio] - 1) <= RATIO_TOLERANCE;

/** Width and height divided by their greatest common divisor. */
export function reducedRatio({ width, height }: Size): Size {
  const divisor = greatestDivisor(width, height);
  return { width: width / divisor, height: height / divisor };
}

/** The reduced ratio, or 16:9 for a size within the tolerance of it. */
export const videoRatio = (size: Size): Size =>
  hasRatio(size, '16:9') ? { width: 16, height: 9 } : reducedRatio(size);

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other);
