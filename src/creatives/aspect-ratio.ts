/** A width to a height, as people say it. */
export type AspectRatio = '1:1' | '1.91:1' | '16:9' | '5:2';

const VALUES: Record<AspectRatio, number> = { '1:1': 1, '1.91:1': 1.91, '16:9': 16 / 9, '5:2': 2.5 };

/**
 * How far, of the ratio itself, a width to a height may be off: whole pixels seldom make a ratio exactly (800 x 418 and
 * 1200 x 628 are both 1.91:1).
 */
export const RATIO_TOLERANCE = 0.01;

interface Size {
  width: number;
  height: number;
}

/** Whether something has this ratio, within the tolerance. */
export const hasRatio = ({ width, height }: Size, ratio: AspectRatio): boolean =>
  Math.abs(width / height / VALUES[ratio] - 1) <= RATIO_TOLERANCE;

/** Width and height in the smallest whole numbers. */
export function reducedRatio({ width, height }: Size): Size {
  const divisor = greatestDivisor(width, height);
  return { width: width / divisor, height: height / divisor };
}

/** The same, but 16:9 of whatever has this ratio within the tolerance. */
export const videoRatio = (size: Size): Size =>
  hasRatio(size, '16:9') ? { width: 16, height: 9 } : reducedRatio(size);

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other);
