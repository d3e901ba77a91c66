import { wordsIn } from '../../common/words.js';
import type { TargetingType } from './targeting-types.js';

/** In characters, as a person counts them. */
export const MAX_KEYWORD_LENGTH = 80;
export const MAX_WORDS = 10;

/** A keyword without spaces around it, and with one between its words; or what is wrong with it. */
export function readKeyword(type: TargetingType, given: string): { keyword: string } | { allowed: string } {
  const keyword = given.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const length = [...keyword].length;
  if (length < 1 || length > MAX_KEYWORD_LENGTH)
    return { allowed: `a keyword of 1 to ${MAX_KEYWORD_LENGTH} characters` };
  const words = keyword.split(' ');
  if (words.length > MAX_WORDS) return { allowed: `a keyword of at most ${MAX_WORDS} words` };
  const isKept = (word: string) => word.startsWith('+') && word.length > 1;
  if (type !== 'BROAD_KEYWORD' && words.some((word) => isKept(word) && saysSomething(word.slice(1))))
    return { allowed: 'a keyword without +, which keeps words of a BROAD_KEYWORD from being expanded' };
  // a word may carry its + and nothing else of it
  if (!words.some((word) => saysSomething(isKept(word) ? word.slice(1) : word)))
    return { allowed: 'a word, a #hashtag, a @name, an emoji or a phrase' };
  return { keyword };
}

const saysSomething = (text: string): boolean => wordsIn(text).length > 0;
