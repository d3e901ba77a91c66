import { fnv1a } from '../../common/values/fnv1a.js';

/** The number of values of a draw. */
const DRAWS = 0x1_0000_0000;

type Word = string | number;

/**
 * Reproducible numbers for lists of words that begin with the same words, which are hashed once: FNV-1a over the UTF-16 code
 * units of the words, each followed by a zero, and then the mixing steps of MurmurHash3. They are evenly distributed and no
 * secret.
 */
export class Draws {
  private constructor(private readonly hash?: number) {}

  /** The numbers for lists that begin with these words. */
  static of(...words: readonly Word[]): Draws {
    return new Draws().and(...words);
  }

  /** The numbers for lists that continue with these words. */
  and(...words: readonly Word[]): Draws {
    return new Draws(words.reduce<number | undefined>((hash, word) => fnv1a(`${word}\0`, hash), this.hash));
  }

  /** A number from 0 to 4,294,967,295 for the list that ends with this word. */
  draw(word: Word): number {
    let hash = fnv1a(`${word}\0`, this.hash);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  /** A whole number from `min` to `max`. */
  between(min: number, max: number, word: Word): number {
    return min + Math.floor((this.draw(word) * (max - min + 1)) / DRAWS);
  }
}

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
