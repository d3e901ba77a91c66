import { UNSPACED, wordsIn, type Word } from '../../common/text/words.js';
import { STOP_WORDS, VOCABULARY } from './word-lists.js';

export const RELATED = 30;
/** Maximum number of distinct terms to count. Real posts contain fewer. */
const MAX_TERMS = 200_000;

/** Counts the posts that contain each term; with `only`, it skips terms that `only` does not contain. */
export class TermCounts {
  posts = 0;
  /** `last`: the last post that contained the term, so that each post counts once. */
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

/** Visits the words, hashtags and word pairs of a text with the key and display form of each. */
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

/** Excludes stop words, numbers and single letters. */
const isTelling = ({ key }: Word): boolean =>
  !STOP_WORDS.has(key) && LETTER.test(key) && (key.length > 1 || /\p{Script=Han}/u.test(key));

/**
 * The terms most over-represented in posts that contain the input, most significant first. The score is the difference
 * to the average frequency times their ratio (as search engines find significant terms). It excludes the input and
 * negative keywords. The vocabulary fills the list up to exactly `count`, by default 30.
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
    // A term absent from the sample counts as the rarest measurable one.
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

/** Whether a term consists of the input only. A word equals its hashtag. */
const isOfInput = (key: string, known: ReadonlySet<string>): boolean =>
  key
    .replace(/^#/, '')
    .split(' ')
    .every((word) => known.has(word));

/** Excludes vocabulary terms that contain a word of the input. */
const mentionsInput = (term: string, known: ReadonlySet<string>): boolean =>
  wordsIn(term).some(({ key }) => known.has(key));
