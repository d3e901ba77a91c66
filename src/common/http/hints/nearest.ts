import { edits } from '../../../config/edit-distance.js';
import { synonymHint, serviceName } from './synonyms.js';

/** Longer words are not compared: the cost grows with the product of their lengths. */
const MAX_WORD_LENGTH = 64;
const MAX_CANDIDATES = 500;
/** Minimum length of a prefix that counts as similar to the whole word. */
const MIN_PREFIX_LENGTH = 4;

/** The candidate that `word` probably stands for; undefined when none is similar. */
export function nearestWord(word: unknown, candidates: readonly string[]): string | undefined {
  if (typeof word !== 'string' || word.length === 0 || word.length > MAX_WORD_LENGTH) return undefined;
  const written = plain(word);
  const compared = candidates.slice(0, MAX_CANDIDATES);
  // another name for something has a counterpart here, in either direction
  const same = compared.find((each) => each !== word && isSynonym(word, each));
  if (same !== undefined) return same;
  let found: string | undefined;
  let min = Infinity;
  for (const candidate of compared) {
    if (candidate.length > MAX_WORD_LENGTH) continue;
    const distance = distanceBetween(written, plain(candidate));
    if (distance >= min) continue;
    min = distance;
    found = candidate;
  }
  return found;
}

const isSynonym = (one: string, other: string) =>
  other.length <= MAX_WORD_LENGTH &&
  (plain(serviceName(one)) === plain(other) || plain(serviceName(other)) === plain(one));

/** The same as a sentence. */
export function didYouMean(word: unknown, candidates: readonly string[]): string | undefined {
  const meant = nearestWord(word, candidates);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/** The same for a word of a request, with what else there is to say about it. */
export function spellingHint(word: unknown, candidates: readonly string[]): string | undefined {
  const hint = didYouMean(word, candidates);
  return hint && hint + synonymHint(word);
}

/** Case and separators are the most frequent mistakes. */
const plain = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The distance between two words; Infinity when they are too different. */
function distanceBetween(one: string, other: string): number {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  const tolerated = Math.floor(longer.length / 3);
  if (longer.length - shorter.length <= tolerated) {
    const distance = edits(one, other);
    if (distance <= tolerated) return distance;
  }
  return shorter.length >= MIN_PREFIX_LENGTH && longer.startsWith(shorter) ? longer.length - shorter.length : Infinity;
}
