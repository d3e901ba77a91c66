import { draw, DRAWS } from './draw.js';

/** `amount` × `numerator` / `denominator`, rounded down. Exact for products beyond 2^53. */
export const share = (amount: number, numerator: number, denominator: number): number =>
  Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator));

/** The same, rounded up as often as the remainder says: a draw of these words decides. */
export function rounded(
  amount: number,
  numerator: number,
  denominator: number,
  ...words: readonly (string | number)[]
): number {
  const product = BigInt(amount) * BigInt(numerator);
  const divisor = BigInt(denominator);
  const isUp = ((product % divisor) * BigInt(DRAWS)) / divisor > BigInt(draw(...words, 'rounding'));
  return Number(product / divisor) + (isUp ? 1 : 0);
}
