import { UNSPACED, wordsIn, type Word } from '../../common/words.js';
import { STOP_WORDS } from './stop-words.js';
import { VOCABULARY } from './vocabulary.js';

export const RELATED = 30;
/** As many different terms are counted; in posts of people there are fewer. */
const MAX_TERMS = 200_000;

/** In how many of some posts each term is; where `only` is given, terms that it does not have are passed over. */
export class TermCounts {
  posts = 0;
  /** `last`: the post that said it last, so that it counts once in each. */
  private readonly counts = new Map<string, { text: string; posts: number; last: number }>();

  constructor(private readonly only?: TermCounts) {}

  add(text: string): void {
    const last = (this.posts += 1);
    eachTerm(text, (key, shown) => {
      const known = this.counts.get(key);
      if (known?.last === last) return;
      if (known) {
        known.posts += 1;
        known.last = last;
      } else if (this.counts.size < MAX_TERMS && (!this.only || this.only.counts.has(key)))
        this.counts.set(key, { text: shown(), posts: 1, last });
    });
  }

  of(key: string): number {
    return this.counts.get(key)?.posts ?? 0;
  }

  [Symbol.iterator]() {
    return this.counts.entries();
  }
}

/** Visits words, hashtags and pairs of words of a text: by what each is compared, and how it is shown. */
export function eachTerm(text: string, visit: (key: string, shown: () => string) => void): void {
  let before: Word | undefined;
  for (const word of wordsIn(text)) {
    if (word.kind === 'hashtag') visit(`#${word.key}`, () => `#${word.text}`);
    const says = word.kind === 'word' && isTelling(word);
    if (says) visit(word.key, () => word.text);
    const first = before;
    if (says && first && first.key !== word.key) {
      visit(`${first.key} ${word.key}`, () => {
        const between = UNSPACED.test(first.key) && UNSPACED.test(word.key) ? '' : ' ';
        return `${first.text}${between}${word.text}`;
      });
    }
    before = says ? word : undefined;
  }
}

const LETTER = /[a-z]|\p{L}/u;

/** Not a word that every text has, a number, or a single letter. */
const isTelling = ({ key }: Word): boolean =>
  !STOP_WORDS.has(key) && LETTER.test(key) && (key.length > 1 || /\p{Script=Han}/u.test(key));

/**
 * The terms that are in posts with the input most above their average over all posts, most telling first: how much more
 * often they are there, times by which factor (which is how search engines find significant terms). Not the input itself,
 * nor a negative; topped up from the vocabulary, and never more or fewer than `count`, which is 30 unless given.
 */
export function relatedKeywords(
  input: readonly string[],
  matching: TermCounts,
  average: TermCounts,
  count = RELATED,
): string[] {
  const known = wordsOfInput(input);
  const scored: { text: string; key: string; score: number; posts: number }[] = [];
  for (const [key, { text, posts }] of matching) {
    const here = posts / matching.posts;
    // a term that the sample has not is as rare as can be told
    const usually = Math.max(average.of(key), 1) / Math.max(average.posts, 1);
    if (here < usually || isOfInput(key, known)) continue;
    scored.push({ text, key, posts, score: (here - usually) * (here / usually) });
  }
  scored.sort((a, b) => b.score - a.score || b.posts - a.posts || (a.key < b.key ? -1 : 1));
  const related = scored.slice(0, count).map(({ text }) => text);
  const filling = VOCABULARY.filter((term) => !related.includes(term) && !mentionsInput(term, known));
  return [...related, ...filling].slice(0, count);
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
