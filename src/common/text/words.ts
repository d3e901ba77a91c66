import { composedPattern } from './patterns.js';

/** The kind of a part of a text; a link separates the words around it. */
type WordKind = 'word' | 'hashtag' | 'mention' | 'emoji' | 'link';

/** A part of a text. */
export interface Word {
  kind: WordKind;
  /** In lower case; without the `#` of a hashtag and the `@` of a mention. */
  text: string;
  /** The same for texts that differ only in case, width or notation. */
  key: string;
  /** The words of a hashtag in a script without word separators. */
  parts?: Word[];
}

const START = String.raw`[\p{L}\p{N}]`;
const REST = String.raw`[\p{L}\p{M}\p{N}\u00AD\u200C\u200D]*`;
/** Letters, marks and digits; underscores join, and in words apostrophes. */
const run = (joining: string) => `${START}${REST}(?:${joining}+${START}${REST})*`;
const PICTURE = String.raw`\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]*`;

const PARTS = composedPattern(
  [
    String.raw`(?<link>(?<![\p{L}\p{N}])(?:https?:\/\/|www\.)\S+)`,
    String.raw`(?<![\p{L}\p{N}_@.])@(?<mention>[A-Za-z0-9_]+)`,
    String.raw`(?<![\p{L}\p{N}_&])#(?=[\p{N}_]*\p{L})(?<hashtag>_*${run('_')})`,
    `(?<word>${run("[_']")})`,
    String.raw`(?<emoji>\p{RI}\p{RI}|${PICTURE}(?:\u200D${PICTURE})*)`,
  ].join('|'),
  'giu',
);

/** The same for lower-case ASCII, which is many times faster: link, mention, hashtag or word. */
const ASCII_PARTS = composedPattern(
  [
    String.raw`(?<![a-z0-9])(?:https?:\/\/|www\.)\S+`,
    String.raw`(?<![a-z0-9_@.])@([a-z0-9_]+)`,
    String.raw`(?<![a-z0-9_&])#(?=[0-9_]*[a-z])(_*[a-z0-9]+(?:_+[a-z0-9]+)*)`,
    `([a-z0-9]+(?:[_']+[a-z0-9]+)*)`,
  ].join('|'),
  'g',
);

/** Scripts without word separators: only a dictionary can tell the words. */
export const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const dictionary = new Intl.Segmenter('und', { granularity: 'word' });

const ASCII = /^[\0-\x7f]*$/;
/** The dictionary counts them to a word. */
const OUTER_UNDERSCORES = /^_+|(?<!_)_+$/g;
const UNSEEN = /\u00AD|\u200C|\u200D|\uFE0F/g;

/**
 * The parts of a text in order. Width and notation (Unicode NFKC) and case are ignored. The boundaries of a word do not
 * depend on its context, so that a search finds it anywhere.
 */
export const wordsIn = (text: string): Word[] => (ASCII.test(text) ? wordsInAscii(text) : wordsInUnicode(text));

function wordsInAscii(text: string): Word[] {
  const words: Word[] = [];
  for (const [, mention, hashtag, word] of text.toLowerCase().matchAll(ASCII_PARTS)) {
    const said = word ?? hashtag ?? mention ?? '';
    const kind =
      word !== undefined ? 'word' : hashtag !== undefined ? 'hashtag' : mention !== undefined ? 'mention' : 'link';
    words.push({ kind, text: said, key: said });
  }
  return words;
}

/** The same for any text. */
export function wordsInUnicode(text: string): Word[] {
  const words: Word[] = [];
  const normal = text.normalize('NFKC').replaceAll('’', "'");
  for (const { groups = {} } of normal.matchAll(PARTS)) {
    const { word, hashtag, mention, emoji } = groups;
    if (word !== undefined) words.push(...plain(word));
    else if (hashtag !== undefined) words.push(tagged(hashtag));
    else if (mention !== undefined) words.push(made('mention', mention));
    else if (emoji !== undefined) words.push({ kind: 'emoji', text: emoji, key: emoji.replaceAll('\uFE0F', '') });
    else words.push({ kind: 'link', text: '', key: '' });
  }
  return words;
}

function made(kind: WordKind, written: string): Word {
  const text = written.toLowerCase();
  // via upper case: letters with the same capital form, such as the two small sigmas, become equal; ß becomes ss
  const key = ASCII.test(written) ? text : text.toUpperCase().toLowerCase().normalize('NFKC').replace(UNSEEN, '');
  return { kind, text, key };
}

function plain(run: string): Word[] {
  if (!UNSPACED.test(run)) return [made('word', run)];
  const words: Word[] = [];
  for (const { segment, isWordLike } of dictionary.segment(run))
    if (isWordLike) words.push(made('word', segment.replace(OUTER_UNDERSCORES, '')));
  return words;
}

function tagged(tag: string): Word {
  const whole = made('hashtag', tag);
  const parts = UNSPACED.test(tag) ? plain(tag) : [];
  return parts.length > 1 ? { ...whole, parts } : whole;
}
