export { decodeForm, pairsOf } from '../../common/http/form-encoding.js';

const PLAIN = /^[A-Za-z0-9\-._~]*$/;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** RFC 3986, as RFC 5849 3.6 wants it: everything but letters, digits, `-._~` becomes upper-case escapes of its UTF-8. */
export function percentEncode(text: string): string {
  if (PLAIN.test(text)) return text;
  if (text.length > LONG) return encodeBytes(text, false);
  return encodeURIComponent(text.replace(LONE_SURROGATES, '\uFFFD')).replace(/[!'()*]/g, escapeOf);
}

/** The same of what `percentEncode` makes: encoded, and encoded again, in one go. */
function percentEncodeTwice(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.length > LONG ? encodeBytes(text, true) : percentEncode(text).replaceAll('%', '%25');
}

/** `percentEncodeTwice` of each of them. */
export function percentEncodeTwiceAll(texts: string[]): string[] {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters < LARGE) return texts.map(percentEncodeTwice);
  const from = Buffer.allocUnsafe(MOST_BYTES * characters);
  let bytes = 0;
  const ends = texts.map((text) => (bytes += from.write(text, bytes)));
  const to = Buffer.allocUnsafe(5 * bytes);
  let length = 0;
  const encodedEnds = ends.map((end, i) => (length = escape(from, ends[i - 1] ?? 0, end, to, length, true)));
  const encoded = to.toString('latin1', 0, length);
  return encodedEnds.map((end, i) => encoded.slice(encodedEnds[i - 1] ?? 0, end));
}

/** Beyond so many characters in all, one buffer for everything is quicker than one for each text. */
const LARGE = 65_536;
/** Of a UTF-16 unit in UTF-8. */
const MOST_BYTES = 3;

/** Beyond so many characters going through the bytes is quicker than a call for each that the platform leaves alone. */
const LONG = 32;

const ESCAPES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, '0'));
const FIRST_DIGIT = Uint8Array.from(ESCAPES, (digits) => digits.charCodeAt(0));
const SECOND_DIGIT = Uint8Array.from(ESCAPES, (digits) => digits.charCodeAt(1));
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 && PLAIN.test(String.fromCharCode(byte)) ? 1 : 0,
);

function encodeBytes(text: string, isTwice: boolean): string {
  const from = Buffer.from(text);
  const to = Buffer.allocUnsafe((isTwice ? 5 : 3) * from.length);
  return to.toString('latin1', 0, escape(from, 0, from.length, to, 0, isTwice));
}

/** Writes the encoded bytes between `at` and `end` of `from` to `to`, beginning at `length`; answers where it ended. */
function escape(from: Buffer, at: number, end: number, to: Buffer, length: number, isTwice: boolean): number {
  for (; at < end; at++) {
    const byte = from[at];
    if (IS_PLAIN[byte] === 1) {
      to[length++] = byte;
      continue;
    }
    to[length++] = 0x25;
    if (isTwice) {
      to[length++] = 0x32;
      to[length++] = 0x35;
    }
    to[length++] = FIRST_DIGIT[byte];
    to[length++] = SECOND_DIGIT[byte];
  }
  return length;
}

/** Undoes escapes only, as in the Authorization header, where `+` is a plus sign; undefined when one is broken. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const escapeOf = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
