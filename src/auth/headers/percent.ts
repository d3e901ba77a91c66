const PLAIN = /^[A-Za-z0-9\-._~]*$/;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** RFC 3986, as RFC 5849 3.6 requires: all but letters, digits and `-._~` become upper-case escapes of their UTF-8. */
export function percentEncode(text: string): string {
  if (PLAIN.test(text)) return text;
  if (text.length > LONG) return encodeBytes(text, false);
  return encodeURIComponent(text.replace(LONE_SURROGATES, '\uFFFD')).replace(/[!'()*]/g, escapeOf);
}

/** Applies `percentEncode` twice, in one pass. */
export function percentEncodeTwice(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.length > LONG ? encodeBytes(text, true) : percentEncode(text).replaceAll('%', '%25');
}

/** For longer texts, encoding the bytes is faster than the functions of the platform. */
const LONG = 32;

/** Bytes that UTF-8 never has represent the `=` and `&` between parameters, which are encoded once. */
const END_OF_NAME = 0xfe;
const END_OF_PAIR = 0xff;

const ESCAPES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, '0'));
ESCAPES[END_OF_NAME] = '3D';
ESCAPES[END_OF_PAIR] = '26';
const FIRST_DIGIT = Uint8Array.from(ESCAPES, (digits) => digits.charCodeAt(0));
const SECOND_DIGIT = Uint8Array.from(ESCAPES, (digits) => digits.charCodeAt(1));
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 && PLAIN.test(String.fromCharCode(byte)) ? 1 : 0,
);

function encodeBytes(text: string, isTwice: boolean): string {
  const from = Buffer.from(text);
  const to = Buffer.allocUnsafe((isTwice ? 5 : 3) * from.length);
  return to.toString('latin1', 0, escape(from, to, isTwice));
}

/** Writes the encoded bytes of `from` to `to` and returns their number. */
function escape(from: Buffer, to: Buffer, isTwice: boolean): number {
  let length = 0;
  for (let at = 0; at < from.length; at++) {
    const byte = from[at];
    if (IS_PLAIN[byte] === 1) {
      to[length++] = byte;
      continue;
    }
    to[length++] = 0x25;
    if (isTwice && byte < END_OF_NAME) {
      to[length++] = 0x32;
      to[length++] = 0x35;
    }
    to[length++] = FIRST_DIGIT[byte];
    to[length++] = SECOND_DIGIT[byte];
  }
  return length;
}

/**
 * Bytes in the order of their encoded forms: the end of a name before all characters of names, escaped bytes before
 * others.
 */
const BY_RANK = (() => {
  const bytes = Array.from(IS_PLAIN.keys()).filter((byte) => byte < END_OF_NAME);
  const escaped = bytes.filter((byte) => IS_PLAIN[byte] === 0);
  const plain = bytes.filter((byte) => IS_PLAIN[byte] === 1);
  return Uint8Array.of(END_OF_NAME, ...escaped, ...plain, END_OF_PAIR);
})();
const RANK = new Uint8Array(256);
BY_RANK.forEach((byte, rank) => (RANK[byte] = rank));

/**
 * The parameters of a base string (RFC 5849 3.4.1.3.2): sorted in the order of their encoded form, and encoded twice.
 * Optimized for megabytes: they are compared unencoded, since escapes make five bytes of one, and written in one pass.
 */
export function sortedAndEncodedTwice(pairs: [name: string, value: string][]): string {
  const bytes = Buffer.allocUnsafe(MAX_BYTES * charactersIn(pairs) + pairs.length);
  let length = 0;
  const ends = pairs.map(([name, value]) => {
    length += bytes.write(name, length);
    bytes[length++] = END_OF_NAME;
    return (length += bytes.write(value, length));
  });
  const used = bytes.subarray(0, length);
  replaceEach(used, RANK);
  const ranks = used.toString('latin1');
  const sorted = ends.map((end, i) => ranks.slice(ends[i - 1] ?? 0, end)).sort();
  const from = Buffer.from(sorted.join(String.fromCharCode(RANK[END_OF_PAIR])), 'latin1');
  replaceEach(from, BY_RANK);
  const to = Buffer.allocUnsafe(5 * from.length);
  return to.toString('latin1', 0, escape(from, to, true));
}

/** The total length of names and values in UTF-16 units. */
export const charactersIn = (pairs: [name: string, value: string][]): number =>
  pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** Maximum number of UTF-8 bytes of a UTF-16 unit. */
const MAX_BYTES = 3;

function replaceEach(bytes: Buffer, by: Uint8Array): void {
  for (let at = 0; at < bytes.length; at++) bytes[at] = by[bytes[at]];
}

/** Decodes escapes. `+` stays a plus sign, as in the Authorization header. Undefined where an escape is invalid. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const escapeOf = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
