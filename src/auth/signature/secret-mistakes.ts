import { signatureOf } from './signature.js';

/** The keys that a client sends, and the secrets that it signs with. */
export interface KeysAndSecrets {
  consumerKey: string;
  consumerSecret: string;
  /** Empty, as its secret, where the request has no token. */
  token: string;
  tokenSecret: string;
}

/** The texts that programs write for a variable without a value. */
const WORDS = ['None', 'null', 'undefined', 'nil'];

/** Characters around a value that was copied or read from a file, by their name. */
const AROUND: readonly [what: string, ...ways: ((text: string) => string)[]][] = [
  ['whitespace at its end', ...[' ', '\n', '\r\n', '\r', '\t'].map((end) => (text: string) => text + end)],
  ['whitespace at its beginning', ...[' ', '\n', '\t'].map((start) => (text: string) => start + text)],
  ['whitespace around it', (text) => ` ${text} `],
  ['quotes around it', ...['"', "'", '`'].map((quote) => (text: string) => quote + text + quote)],
  ['quotes and whitespace around it', ...['"', "'"].map((quote) => (text: string) => `${quote}${text}${quote}\n`)],
  ['a comma at its end', (text) => `${text},`],
  ['a semicolon at its end', (text) => `${text};`],
];

const SPACE = /[\s\u200b-\u200d\ufeff]/;
const QUOTE = /["'`“”‘’]/;
const SEPARATOR = /[,;]/;
const isAround = (letter: string) => [SPACE, QUOTE, SEPARATOR].some((kind) => kind.test(letter));

/** A key or token without whitespace, quotes and separators around it. */
export function trimmedKey(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isAround(text[start])) start++;
  while (end > start && isAround(text[end - 1])) end--;
  return text.slice(start, end);
}

/** The characters around a key or token; undefined without any. */
export function charactersAround(text: string): string | undefined {
  const around = text.replace(trimmedKey(text), '');
  const kinds = { whitespace: SPACE, quotes: QUOTE, 'commas or semicolons': SEPARATOR };
  const found = Object.entries(kinds).flatMap(([name, kind]) => (kind.test(around) ? [name] : []));
  return found.length === 0 ? undefined : `${found.join(' and ')} around it`;
}

/** A text that a client may have used as a secret; `mistake` says what is wrong with it, if anything is. */
interface UsedSecrets {
  text: string;
  mistake?: string;
}

/**
 * The mistake with the secrets of a request that is signed correctly otherwise: empty if there is none, undefined if no
 * known one leads to its signature. `bases` are the base strings that are accepted.
 */
export function mistakeOfSecrets(
  bases: readonly string[],
  signature: string,
  right: KeysAndSecrets,
): string | undefined {
  const { consumerKey, consumerSecret, token, tokenSecret } = right;
  const consumers = usedAs('the consumer secret', consumerSecret, 'the consumer key', consumerKey);
  const tokens = usedAs('the token secret', tokenSecret, 'the access token', token);
  const swapped = 'the consumer secret and the token secret were swapped';
  const tried: [UsedSecrets, UsedSecrets][] = [
    ...tokens.map((used): [UsedSecrets, UsedSecrets] => [consumers[0], used]),
    ...consumers.slice(1).map((used): [UsedSecrets, UsedSecrets] => [used, tokens[0]]),
    // programs treat both alike
    ...consumers.slice(1).map((used, i): [UsedSecrets, UsedSecrets] => [used, tokens[i + 1]]),
    [{ text: tokenSecret, mistake: swapped }, { text: consumerSecret }],
  ];
  const found = tried.find(([consumer, used]) =>
    bases.some((base) => signatureOf(base, consumer.text, used.text) === signature),
  );
  return found?.flatMap(({ mistake }) => mistake ?? []).join('; ');
}

/** The right secret first; the others stand at the same index for both secrets. */
const usedAs = (mistake: string, secret: string, keyName: string, key: string): UsedSecrets[] => [
  { text: secret },
  { text: '', mistake: `${mistake} was left empty in the key` },
  { text: key, mistake: `${keyName} was used as ${mistake}` },
  ...WORDS.map((word) => ({ text: word, mistake: `the word ${word} was used as ${mistake}` })),
  ...AROUND.flatMap(([around, ...ways]) =>
    ways.map((way) => ({ text: way(secret), mistake: `${mistake} has ${around}` })),
  ),
];
