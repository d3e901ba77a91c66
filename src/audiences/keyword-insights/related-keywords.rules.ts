import { UNSPACED, wordsIn, type Word } from '../../common/words.js';
import { STOP_WORDS } from './stop-words.js';
import { VOCABULARY } from './vocabulary.js';

/** Part 1, 2.7. */
export const RELATED = 30;
/** As many different terms are counted; in posts of people there are fewer. */
const MOST_TERMS = 200_000;

/** In how many of some posts each term is. */
export class TermCounts {
  posts = 0;
  private readonly counts = new Map<string, { text: string; posts: number }>();

  add(text: string): void {
    this.posts += 1;
    for (const [key, shown] of termsSaid(text)) {
      const known = this.counts.get(key);
      if (known) known.posts += 1;
      else if (this.counts.size < MOST_TERMS) this.counts.set(key, { text: shown, posts: 1 });
    }
  }

  of(key: string): number {
    return this.counts.get(key)?.posts ?? 0;
  }

  [Symbol.iterator]() {
    return this.counts.entries();
  }
}

/** Words, hashtags and pairs of words of a text, each once, by what they are compared by. */
export function termsSaid(text: string): Map<string, string> {
  const terms = new Map<string, string>();
  let before: Word | undefined;
  for (const word of wordsIn(text)) {
    const says = word.kind === 'word' && isTelling(word);
    if (word.kind === 'hashtag') terms.set(`#${word.key}`, `#${word.text}`);
    if (says) terms.set(word.key, word.text);
    if (says && before && before.key !== word.key) {
      const between = UNSPACED.test(before.key) && UNSPACED.test(word.key) ? '' : ' ';
      terms.set(`${before.key} ${word.key}`, `${before.text}${between}${word.text}`);
    }
    before = says ? word : undefined;
  }
  return terms;
}

/** Not a word that every text has, a number, or a single letter. */
const isTelling = ({ key }: Word): boolean =>
  !STOP_WORDS.has(key) && /\p{L}/u.test(key) && (key.length > 1 || /\p{Script=Han}/u.test(key));

/**
 * The terms that are in posts with the input most above their average over all posts, most telling first: how much more
 * often they are there, times by which factor (which is how search engines find significant terms). Not the input itself,
 * nor a negative; topped up from the vocabulary, and never more or fewer than 30.
 */
export function relatedKeywords(input: readonly string[], matching: TermCounts, average: TermCounts): string[] {
  const known = wordsOfInput(input);
  const scored: { text: string; key: string; score: number; posts: number }[] = [];
  for (const [key, { text, posts }] of matching) {
    if (isOfInput(key, known)) continue;
    const here = posts / matching.posts;
    // a term that the sample has not is as rare as can be told
    const usually = Math.max(average.of(key), 1) / Math.max(average.posts, 1);
    if (here >= usually) scored.push({ text, key, posts, score: (here - usually) * (here / usually) });
  }
  scored.sort((a, b) => b.score - a.score || b.posts - a.posts || (a.key < b.key ? -1 : 1));
  const related = scored.slice(0, RELATED).map(({ text }) => text);
  const filling = VOCABULARY.filter((term) => !related.includes(term) && !mentionsInput(term, known));
  return [...related, ...filling].slice(0, RELATED);
}

const wordsOfInput = (input: readonly string[]): ReadonlySet<string> =>
  new Set(
    input.flatMap((keyword) =>
      wordsIn(keyword).flatMap(({ key, parts = [] }) => [key, ...parts.map((part) => part.key)]),
    ),
  );

/** A term is the input where all of it is, a word like its hashtag. */
const isOfInput = (key: string, known: ReadonlySet<string>): boolean =>
  key
    .replace(/^#/, '')
    .split(' ')
    .every((word) => known.has(word));

/** Of the vocabulary nothing is taken that has a word of the input. */
const mentionsInput = (term: string, known: ReadonlySet<string>): boolean =>
  wordsIn(term).some(({ key }) => known.has(key));
