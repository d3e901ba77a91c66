import { wordsIn } from '../../common/text/words.js';
import type { TargetingType } from './targeting-types.js';

/** In user-perceived characters. */
export const MAX_KEYWORD_LENGTH = 80;
const MAX_WORDS = 10;

/** Normalizes the spaces of a keyword: none around it, one between words. Returns the problem of an invalid keyword. */
export function readKeyword(type: TargetingType, given: string): { keyword: string } | { allowed: string } {
  const keyword = given.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const length = [...keyword].length;
  if (length < 1 || length > MAX_KEYWORD_LENGTH)
    return { allowed: `a keyword of 1 to ${MAX_KEYWORD_LENGTH} characters` };
  const words = keyword.split(' ');
  if (words.length > MAX_WORDS) return { allowed: `a keyword of at most ${MAX_WORDS} words` };
  const isKept = (word: string) => word.startsWith('+') && word.length > 1;
  if (type !== 'BROAD_KEYWORD' && words.some((word) => isKept(word) && saysSomething(word.slice(1))))
    return { allowed: 'a keyword without +, which only BROAD_KEYWORD allows' };
  // A word may begin with a +, but not consist of it.
  if (!words.some((word) => saysSomething(isKept(word) ? word.slice(1) : word)))
    return { allowed: 'a word, a #hashtag, a @name, an emoji or a phrase' };
  return { keyword };
}

const saysSomething = (text: string): boolean => wordsIn(text).length > 0;
