import { CODES, HEADERS, NAMES, PATH_SEGMENTS, PREVIEW_CLASSES, WORDS } from './table.js';

/**
 * Translates single words between the vocabularies. Each function is its own inverse: it returns X's word for ours, and
 * ours for X's. So a word of the wrong vocabulary in a request is unknown to the service, and what the service says about
 * it is translated back to the word that the client sent.
 */

type Pairs = Readonly<Record<string, string>>;

const swapOf = (...tables: Pairs[]): ReadonlyMap<string, string> =>
  new Map(
    tables
      .flatMap((table) => Object.entries(table))
      .flatMap(([ours, theirs]) => [
        [ours, theirs],
        [theirs, ours],
      ]),
  );

const names = swapOf(NAMES);
const codes = swapOf(CODES);
const headers = swapOf(HEADERS);
const segments = swapOf(PATH_SEGMENTS);
const classes = swapOf(PREVIEW_CLASSES);
const words = new Map(Object.entries(WORDS).map(([name, table]) => [name, swapOf(table)]));

/** The name of a parameter or field in the other vocabulary. */
export const swapName = (name: string): string => names.get(name) ?? name;

/** The code of an error in the other vocabulary. */
export const swapCode = (code: string): string => codes.get(code) ?? code;

/** The name of a header of deliveries in the other vocabulary. */
export const swapHeader = (header: string): string => headers.get(header) ?? header;

/** The field with the HTML of a preview. */
const PREVIEW = 'preview';

/** The field whose text begins with the code of an error. */
const FAILURE = 'failure_reason';

/** Whether `swapText` changes values of this parameter or field. */
export const hasWords = (name: string): boolean => words.has(name) || name === PREVIEW || name === FAILURE;

/**
 * A word of an enumeration in the other vocabulary. `name`: the parameter or field that has it as a value, or as an
 * element. Of words whose case does not matter, the case is kept.
 */
export function swapWord(name: string, word: string): string {
  const own = words.get(name);
  return own?.get(word) ?? own?.get(word.toLowerCase()) ?? word;
}

/**
 * The words of a text, such as a list with commas, in the other vocabulary, where `name` is a parameter or field with
 * words that differ; other texts stay unchanged.
 */
export function swapText(name: string, text: string): string {
  if (name === PREVIEW) return swapPreview(text);
  if (name === FAILURE) return text.replace(/^\w+/, swapCode);
  const own = words.get(name);
  if (!own) return text;
  // most texts are one word
  return own.get(text) ?? text.replace(/[^,\s]+/g, (word) => swapWord(name, word));
}

/** What stands before the segment that differs: an optional version, and an account. */
const SEGMENT = /^((?:\/sandbox)?(?:\/v?\d{1,3}(?:\.\d{1,3})?)?\/accounts\/[^/?#]+\/)([^/?#.]+)/;
const TEMPLATE_PARAMETER = /(?<=\/)([:{])(\w+)/g;

/**
 * A path in the other vocabulary, with or without its query, which stays unchanged. Parameters of a template, `:name` or
 * `{name}`, are translated too.
 */
export function swapPath(path: string): string {
  const swapped = path.replace(SEGMENT, (_, before: string, segment: string) => before + swapSegment(segment));
  return swapped.replace(TEMPLATE_PARAMETER, (_, sign: string, name: string) => sign + swapName(name));
}

/** A segment may be percent-encoded. */
function swapSegment(segment: string): string {
  if (!segment.includes('%')) return segments.get(segment) ?? segment;
  try {
    return segments.get(decodeURIComponent(segment)) ?? segment;
  } catch {
    return segment;
  }
}

/** The class of the iframe in the HTML of a preview. */
const swapPreview = (html: string): string =>
  html.replace(/^<iframe class='([\w-]+)'/, (tag, own: string) => tag.replace(own, classes.get(own) ?? own));

/** X's words and the segments of X's paths, with ours. */
const theirs = new Map(
  [PATH_SEGMENTS, CODES, ...Object.values(WORDS), NAMES].flatMap((table: Pairs) =>
    Object.entries(table).map(([our, their]) => [their, our]),
  ),
);

/** Our word for a word that only X has, whatever it stands for; undefined for other words. */
export const ourWord = (word: string): string | undefined => theirs.get(word);

/** Words that only prose about names contains, such as `post_id` and `PostVideo`. `post` is an ordinary word, too. */
const proseWords = new Map(
  [names, codes, headers, segments, ...words.values()].flatMap((own) =>
    [...own].filter(([word]) => /[_-]|[a-z][A-Z]/.test(word)),
  ),
);
/** A URL or path, a correction of a path, or a name. */
const IN_PROSE = /(?:https?:\/\/[^\s/]+)?(\/[\w%:{}./-]+)|(?<=\bWrite )\w+, not \w+|[A-Za-z][\w-]*/g;

/** The names in a message, hint or description, in the other vocabulary. Other words stay unchanged. */
export const swapProse = (text: string): string =>
  text.replace(IN_PROSE, (found, path?: string) => {
    if (path !== undefined) return found.slice(0, found.length - path.length) + swapPath(path);
    const [word, given] = found.split(', not ');
    if (given !== undefined) return `${swapSegment(word)}, not ${swapSegment(given)}`;
    return proseWords.get(found) ?? found;
  });
