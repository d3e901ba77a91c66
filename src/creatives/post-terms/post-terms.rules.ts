import { hash } from 'node:crypto';
import { DAY_MS } from '../../common/time/days.js';
import { wordsIn, type Word } from '../../common/text/words.js';

/** Terms differ between time slots of this length, so that a search reads only the posts of its slots. */
export const SLOT_MS = 6 * 3_600_000;

/** Maximum number of slots in one search. */
export const MAX_SLOTS = (7 * DAY_MS) / SLOT_MS + 1;

/**
 * Words so common that half of all posts contain two of them. A pair of these has a term of its own, so that a phrase
 * of them is found without reading all of these posts. Stored terms depend on this list: changing it requires a
 * migration.
 */
const USUAL = new Set(
  `a an and are as at be but by do for from have i if in is it it's just me my no not of on or our so that the this to up was we
  what with you your
  auf das der die ein eine es für ich im in ist mit nicht und von zu den sich auch
  al con de del el en es la las lo los me mi no para por que se su un una y
  au avec c'est ce dans des du elle est et il je le les ne on pas pour qui sur tu une vous à
  da do e em não o os um uma che di il non per sono een het van ik op dat`
    .trim()
    .split(/\s+/),
);

export const slotOf = (ms: number): number => Math.floor(ms / SLOT_MS);

/** Separator between words that are not consecutive. */
const BREAK = '0';

/** The term of a word in a slot: 63 bits of a digest, and one bit for hashtags. Collisions are negligible. */
function numberOf(slot: number, { kind, key }: Word, tagged = kind === 'hashtag'): string {
  const said = kind === 'mention' ? `@${key}` : key;
  const bits = hash('sha256', `${slot} ${said}`, 'buffer').readBigInt64BE(0) & ~1n;
  return String(tagged ? bits | 1n : bits);
}

/** The term of two consecutive common words; undefined if one of them is not common. */
const pairOf = (slot: number, one: Word, other: Word | undefined): string | undefined =>
  other && isUsual(one) && isUsual(other)
    ? numberOf(slot, { kind: 'word', text: '', key: `${one.key} ${other.key}` })
    : undefined;

/** Includes hashtags, because a hashtag also matches its word. */
const isUsual = ({ kind, key }: Word): boolean => (kind === 'word' || kind === 'hashtag') && USUAL.has(key);

/** Terms of a post with this text and creation time: every word in order, followed by the pairs of common words. */
export function postTermsOf(text: string, at: string): string[] {
  const slot = slotOf(Date.parse(at));
  const words = wordsIn(text);
  const terms: string[] = [];
  for (const word of words) {
    terms.push(word.kind === 'link' ? BREAK : numberOf(slot, word));
    for (const part of word.parts ?? []) terms.push(numberOf(slot, part));
  }
  const pairs = new Set(words.flatMap((word, i) => pairOf(slot, word, words[i + 1]) ?? []));
  for (const pair of pairs) terms.push(BREAK, pair);
  return terms;
}

/** A search keyword: a word, a hashtag or a phrase of consecutive words. */
export type Keyword = readonly Word[];

/** Parses a keyword; undefined if it contains no word. */
export function keywordOf(text: string): Keyword | undefined {
  const words = wordsIn(text).flatMap((word) => (word.kind === 'link' ? [] : [word]));
  return words.length > 0 ? words : undefined;
}

/** Conditions on posts. */
export interface PostSearchConditions {
  /** Posts with any of these keywords. */
  keywords: readonly Keyword[];
  /** Posts without any of these keywords. */
  negatives: readonly Keyword[];
  /** Country of the authors; undefined for all. */
  country?: string;
}

/** Single-word keywords in one slot, as terms; a post must have one of them. */
interface AskedWords {
  any: string[];
}

/** A phrase in one slot: two of its terms for the index, and the whole phrase as a pattern over `1,2,3`. */
interface AskedPhrase {
  one: string[];
  other: string[];
  pattern: string;
}

/** Keywords converted to the terms of some slots. */
export interface TermQuery {
  words: AskedWords[];
  phrases: AskedPhrase[];
}

export function termQueryOf(keywords: readonly Keyword[], slots: readonly number[]): TermQuery {
  const single = keywords.flatMap((keyword) => (keyword.length === 1 ? keyword : []));
  const several = keywords.filter(({ length }) => length > 1);
  return {
    words: single.length === 0 ? [] : slots.map((slot) => ({ any: single.flatMap((word) => formsOf(slot, word)) })),
    phrases: slots.flatMap((slot) => several.map((keyword) => phraseIn(slot, keyword))),
  };
}

/** A hashtag also matches its word; a word does not match a hashtag keyword. */
const formsOf = (slot: number, word: Word): string[] =>
  word.kind === 'word' ? [numberOf(slot, word), numberOf(slot, word, true)] : [numberOf(slot, word)];

function phraseIn(slot: number, words: Keyword): AskedPhrase {
  const forms = words.map((word) => formsOf(slot, word));
  // long words are rare, and a repeated word would add no second condition
  const distinct = [...new Map(words.map((word, i) => [word.key, { word, forms: forms[i] }])).values()];
  const [one, other = one] = distinct.sort((a, b) => b.word.key.length - a.word.key.length);
  const pair = isUsual(one.word) ? words.flatMap((word, i) => pairOf(slot, word, words[i + 1]) ?? [])[0] : undefined;
  return {
    one: one.forms,
    other: pair === undefined ? other.forms : [pair],
    pattern: `(^|,)${forms.map((each) => `(${each.join('|')})`).join(',')}(,|$)`,
  };
}

/** The slots that overlap a time range. */
export function slotsIn(startMs: number, endMs: number): number[] {
  const first = slotOf(startMs);
  return Array.from({ length: Math.max(0, slotOf(endMs - 1) - first + 1) }, (_, i) => first + i);
}
