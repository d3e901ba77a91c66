/**
 * Standard deviations of the noise in every reported number, in people: with and without weights (docs/decisions/0026).
 */
export const WEIGHTED_NOISE_DEVIATION = 25;
export const NOISE_DEVIATION = 50;

/** Every uploaded identifier adds a secret weight between -MAX_WEIGHT and MAX_WEIGHT, even without a matching user. */
export const MAX_WEIGHT = 5;

/** At least `min` and at most `max` people. */
export interface ReportedRange {
  min: number;
  max: number;
}

/** A normally distributed number with mean 0 and deviation 1, computed from the first eight pseudo-random bytes. */
export function normalOf(bytes: Buffer): number {
  const radius = Math.sqrt(-2 * Math.log((bytes.readUInt32BE(0) + 1) / 2 ** 32));
  return radius * Math.cos((2 * Math.PI * bytes.readUInt32BE(4)) / 2 ** 32);
}

/**
 * The reported size for a number that includes noise: two significant digits, or null below the floor. The same number
 * decides whether the audience is too small, so that this reveals nothing more.
 */
export const reportedSize = (noisy: number, floor: number): number | null =>
  noisy < floor ? null : Math.max(floor, twoDigits(noisy, Math.round));

/**
 * The reported range for an estimate that includes noise: 5 percent around it, rounded outward to two significant
 * digits; from 0 to the floor if it is below the floor. `scale` multiplies both ends.
 */
export function reportedRange(noisy: number, floor: number, scale: number): ReportedRange {
  if (noisy < floor) return { min: 0, max: floor * scale };
  const min = Math.max(floor, twoDigits(0.95 * noisy, Math.floor));
  return { min: min * scale, max: twoDigits(1.05 * noisy, Math.ceil) * scale };
}

/** Rounds a number of at least 1 to two significant digits, or to an integer below 10. */
function twoDigits(value: number, round: (value: number) => number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return round(value / step) * step;
}
