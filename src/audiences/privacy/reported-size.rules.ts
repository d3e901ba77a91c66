/** Standard deviations, in people, of the noise in every reported number: with weights in it, and without (docs/decisions/0026). */
export const WEIGHTED_NOISE_DEVIATION = 25;
export const NOISE_DEVIATION = 50;

/** Every uploaded identifier adds a secret weight between -MAX_WEIGHT and MAX_WEIGHT, whether it matches a user or not. */
export const MAX_WEIGHT = 5;

/** At least `min` and at most `max` people. */
export interface ReportedRange {
  min: number;
  max: number;
}

/** A normally distributed number with mean 0 and deviation 1, from the first eight of some pseudo-random bytes. */
export function normalOf(bytes: Buffer): number {
  const radius = Math.sqrt(-2 * Math.log((bytes.readUInt32BE(0) + 1) / 2 ** 32));
  return radius * Math.cos((2 * Math.PI * bytes.readUInt32BE(4)) / 2 ** 32);
}

/**
 * The size that is reported for a number of people that noise is already part of: two significant digits, or null below the
 * floor. Whether an audience is too small is decided by the same number, so that it tells nothing more.
 */
export const reportedSize = (noisy: number, floor: number): number | null =>
  noisy < floor ? null : Math.max(floor, twoDigits(noisy, Math.round));

/**
 * The range that is reported for an estimate that noise is already part of: 5 percent around it, rounded outward to two
 * significant digits; from 0 to the floor where it is below the floor. `scale` multiplies both ends.
 */
export function reportedRange(noisy: number, floor: number, scale: number): ReportedRange {
  if (noisy < floor) return { min: 0, max: floor * scale };
  const min = Math.max(floor, twoDigits(0.95 * noisy, Math.floor));
  return { min: min * scale, max: twoDigits(1.05 * noisy, Math.ceil) * scale };
}

/** A number of at least 1, rounded to two significant digits, or to a whole number below 10. */
function twoDigits(value: number, round: (value: number) => number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return round(value / step) * step;
}
