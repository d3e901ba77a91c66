import { DRAWS, type Draws } from './draw.js';

/** `amount` × `numerator` / `denominator`, rounded down. Exact for products beyond 2^53. */
export function share(amount: number, numerator: number, denominator: number): number {
  const product = amount * numerator;
  if (product <= Number.MAX_SAFE_INTEGER) return (product - (product % denominator)) / denominator;
  return Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator));
}

/** The same, rounded up as often as the remainder says: a draw decides. */
export function rounded(amount: number, numerator: number, denominator: number, draws: Draws): number {
  const product = amount * numerator;
  const remainder =
    product <= Number.MAX_SAFE_INTEGER
      ? product % denominator
      : Number((BigInt(amount) * BigInt(numerator)) % BigInt(denominator));
  const isUp = share(remainder, DRAWS, denominator) > draws.draw('rounding');
  return share(amount, numerator, denominator) + (isUp ? 1 : 0);
}
