import { hash } from 'node:crypto';
import { wordsIn, type Word } from '../../common/words.js';

/** Terms of posts are numbers that differ from one such time to the next: what is looked for is found among the posts of its time alone. */
export const SLOT_MS = 6 * 3_600_000;

/** The longest time that is asked at once. */
export const MOST_SLOTS = (7 * 24 * 3_600_000) / SLOT_MS + 1;

export const slotOf = (ms: number): number => Math.floor(ms / SLOT_MS);

/** Between words that are not consecutive. */
const BREAK = '0';

/**
 * The number of a word at its time: 63 bits of a digest, and one that says whether it was a hashtag. Two words share
 * one as good as never.
 */
function numberOf(slot: number, { kind, key }: Word, tagged = kind === 'hashtag'): string {
  const said = kind === 'mention' ? `@${key}` : key;
  const bits = hash('sha256', `${slot} ${said}`, 'buffer').readBigInt64BE(0) & ~1n;
  return String(tagged ? bits | 1n : bits);
}

/** The terms of a post with this text, made at this time: every word in its order, twice where it is said twice. */
export function termsOf(text: string, at: string): string[] {
  const slot = slotOf(Date.parse(at));
  return wordsIn(text).flatMap((word) =>
    word.kind === 'link' ? BREAK : [numberOf(slot, word), ...(word.parts ?? []).map((part) => numberOf(slot, part))],
  );
}

/** What is looked for: a word, a hashtag, or several that follow each other. */
export type Keyword = readonly Word[];

/** What a person wrote as a keyword; undefined where there is no word in it. */
export function keywordOf(text: string): Keyword | undefined {
  const words = wordsIn(text).flatMap((word) => (word.kind === 'link' ? [] : [word]));
  return words.length > 0 ? words : undefined;
}

/** Which posts are meant. */
export interface Looking {
  /** Posts with any of these. */
  keywords: readonly Keyword[];
  /** But without all of these. */
  negatives: readonly Keyword[];
  /** Of authors in this country; of all where it is undefined. */
  country?: string;
}

/** Keywords of one word within one time, as the numbers of which a post has one. */
export interface AskedWords {
  any: string[];
}

/** A keyword of several words within one time: two of its words for the index, and the whole as a pattern over `1,2,3`. */
export interface AskedPhrase {
  one: string[];
  other: string[];
  pattern: string;
}

/** Keywords as they are asked of some slots. */
export interface Asked {
  words: AskedWords[];
  phrases: AskedPhrase[];
}

export function askedOf(keywords: readonly Keyword[], slots: readonly number[]): Asked {
  const single = keywords.flatMap((keyword) => (keyword.length === 1 ? keyword : []));
  const several = keywords.filter(({ length }) => length > 1);
  return {
    words: single.length === 0 ? [] : slots.map((slot) => ({ any: single.flatMap((word) => formsOf(slot, word)) })),
    phrases: slots.flatMap((slot) => several.map((keyword) => phraseIn(slot, keyword))),
  };
}

/** A word is said by its hashtag, too; a hashtag is not said by the word. */
const formsOf = (slot: number, word: Word): string[] =>
  word.kind === 'word' ? [numberOf(slot, word), numberOf(slot, word, true)] : [numberOf(slot, word)];

function phraseIn(slot: number, words: Keyword): AskedPhrase {
  const forms = words.map((word) => formsOf(slot, word));
  // long words are rare, and a repeated one would be no second condition
  const distinct = [...new Map(words.map((word, i) => [word.key, { word, forms: forms[i] }])).values()];
  const [one, other = one] = distinct.sort((a, b) => b.word.key.length - a.word.key.length);
  return {
    one: one.forms,
    other: other.forms,
    pattern: `(^|,)${forms.map((each) => `(${each.join('|')})`).join(',')}(,|$)`,
  };
}

/** The slots that lie within a time, at least in part. */
export function slotsIn(startMs: number, endMs: number): number[] {
  const first = slotOf(startMs);
  return Array.from({ length: Math.max(0, slotOf(endMs - 1) - first + 1) }, (_, i) => first + i);
}
