import { fnv1a } from '../../common/fnv1a.js';

/**
 * A reproducible number from 0 to 4,294,967,295 for these words: FNV-1a over the UTF-16 code units of the words, each
 * followed by a zero, and then the mixing steps of MurmurHash3. It distributes evenly and is no secret.
 */
export function draw(...words: readonly (string | number)[]): number {
  let hash = fnv1a(words.map((word) => `${word}\0`).join(''));
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The number of values of `draw`. */
export const DRAWS = 0x1_0000_0000;

/** A reproducible whole number from `least` to `most`. */
export const drawBetween = (least: number, most: number, ...words: readonly (string | number)[]): number =>
  least + Math.floor((draw(...words) * (most - least + 1)) / DRAWS);
