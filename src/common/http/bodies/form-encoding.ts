const PERCENT = '%'.charCodeAt(0);
const PLUS = '+'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

/** The value of a hexadecimal digit by its character code; 255 for other characters. */
const HEX = Uint8Array.from({ length: 256 }, (_, code) => {
  const digit = parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? 255 : digit;
});

/**
 * Decodes one name or value of a query string or form: `+` is a space. Invalid escapes, and escapes that are not UTF-8,
 * stay unchanged.
 */
export function decodeForm(text: string): string {
  if (!/[+%]/.test(text)) return text;
  return (text.length >= LONG_TEXT ? decodedByV8(text) : undefined) ?? decodedBytes(text);
}

/** A body has few texts of this length, so that exceptions for malformed ones are affordable. */
const LONG_TEXT = 16_384;

/** Much faster than byte by byte. Undefined for malformed text, and for text with `+`, which is slow to replace. */
function decodedByV8(text: string): string | undefined {
  if (text.includes('+')) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Byte by byte, because an exception for each short malformed text stalls the process. */
function decodedBytes(text: string): string {
  const from = Buffer.from(text);
  const to = Buffer.allocUnsafe(from.length);
  // an escape begins before here, or it is incomplete
  const last = from.length - 2;
  let length = 0;
  for (let at = 0; at < from.length;) {
    const byte = from[at];
    if (byte !== PERCENT) {
      to[length++] = byte === PLUS ? SPACE : byte;
      at++;
      continue;
    }
    const [start, began] = [length, at];
    let highest = 0;
    while (at < last && from[at] === PERCENT) {
      const high = HEX[from[at + 1]];
      const low = HEX[from[at + 2]];
      if ((high | low) > 15) break;
      const decoded = (high << 4) | low;
      if (decoded > highest) highest = decoded;
      to[length++] = decoded;
      at += 3;
    }
    if (at === began) to[length++] = from[at++];
    else if (highest > 0x7f && !isUtf8(to, start, length)) {
      length = start;
      for (let i = began; i < at; i++) to[length++] = from[i];
    }
  }
  return to.toString('utf8', 0, length);
}

/**
 * Whether these bytes are UTF-8 (RFC 3629, 4). Node's own check needs a view of them, which costs more than most
 * checks.
 */
function isUtf8(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const lead = bytes[at];
    if (lead < 0x80) continue;
    const more = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
    if (more === 0 || at + more >= end) return false;
    // rejects overlong forms, surrogate halves and values above the last code point
    const min = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const max = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (bytes[at + 1] < min || bytes[at + 1] > max) return false;
    for (let i = 2; i <= more; i++) if ((bytes[at + i] & 0xc0) !== 0x80) return false;
    at += more;
  }
  return true;
}

/** Maximum number of parameters of a form: far more than any client sends, and few enough to process at once. */
export const MAX_PARAMETERS = 5_000;

/** Whether a query string or form exceeds MAX_PARAMETERS; stops counting there. */
export function hasTooManyParameters(text: string): boolean {
  let at = -1;
  for (let count = 0; count < MAX_PARAMETERS; count++) {
    at = text.indexOf('&', at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** The pairs of a query string or form body in order, including repeated names, empty values and a missing `=`. */
export function pairsOf(text: string): [name: string, value: string][] {
  if (text === '') return [];
  const pairs: [string, string][] = [];
  for (const piece of text.split('&')) {
    if (piece === '') continue;
    const cut = piece.indexOf('=');
    if (cut < 0) pairs.push([decodeForm(piece), '']);
    else pairs.push([decodeForm(piece.slice(0, cut)), decodeForm(piece.slice(cut + 1))]);
  }
  return pairs;
}

export type Parameters = Record<string, string | string[]>;

/** The name of a list in the notation of PHP and others: `ids[]`, `ids[0]`. */
const OF_LIST = /^([^[\]]+)\[(\d{0,9})\]$/;

/**
 * The pairs as one object; a repeated name has all its values. Names of lists may end in brackets, whose numbers order
 * the values.
 */
export function objectOf(pairs: [string, string][], into: Parameters = {}): Parameters {
  const isIndexed = pairs.some(([name]) => name.endsWith(']'));
  for (const [sent, value] of isIndexed ? byIndex(pairs) : pairs) {
    const name = isIndexed ? sent.replace(OF_LIST, '$1') : sent;
    if (name === '__proto__') continue;
    const known = Object.hasOwn(into, name) ? into[name] : undefined;
    if (known === undefined) into[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else into[name] = [known, value];
  }
  return into;
}

/** Values without a number keep their order before the others. */
function byIndex(pairs: [string, string][]): [string, string][] {
  const indexed = pairs.map((pair) => ({ pair, index: Number(OF_LIST.exec(pair[0])?.[2] ?? 0) }));
  return indexed.sort((one, other) => one.index - other.index).map(({ pair }) => pair);
}
