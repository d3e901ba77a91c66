const PERCENT = '%'.charCodeAt(0);
const PLUS = '+'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

/** By the code of a character: what it is worth as a hexadecimal digit, 255 for none. */
const HEX = Uint8Array.from({ length: 256 }, (_, code) => {
  const digit = parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? 255 : digit;
});

/**
 * Decodes one name or value of a query string or form: `+` is a space, and what is no escape, or no UTF-8 when it is
 * decoded, stays what it is.
 */
export function decodeForm(text: string): string {
  if (!/[+%]/.test(text)) return text;
  return (text.length >= LONG_TEXT ? decodedByV8(text) : undefined) ?? decodedBytes(text);
}

/** A body has few texts of this length, so that the exceptions for malformed ones take no time. */
const LONG_TEXT = 16_384;

/** Much faster than byte by byte; undefined for a text that is not well-formed, and for one with `+`, which is slow to replace. */
function decodedByV8(text: string): string | undefined {
  if (text.includes('+')) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Byte by byte, because an exception for each short text that is not well-formed stalls the process. */
function decodedBytes(text: string): string {
  const from = Buffer.from(text);
  const to = Buffer.allocUnsafe(from.length);
  // an escape begins before here, or it has no end
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

/** Whether these bytes are UTF-8 (RFC 3629, 4). Node's own check wants a view of them, which costs more than most runs do. */
function isUtf8(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const lead = bytes[at];
    if (lead < 0x80) continue;
    const more = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
    if (more === 0 || at + more >= end) return false;
    // no second way to write a character, no half of a surrogate pair, none above the last
    const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (bytes[at + 1] < least || bytes[at + 1] > most) return false;
    for (let i = 2; i <= more; i++) if ((bytes[at + i] & 0xc0) !== 0x80) return false;
    at += more;
  }
  return true;
}

/** How many parameters a form may have: far more than any client sends, and few enough to be gone through at once. */
export const MAX_PARAMETERS = 5_000;

/** Whether a query string or form has more parameters than that; looks no further. */
export function hasTooManyParameters(text: string): boolean {
  let at = -1;
  for (let count = 0; count < MAX_PARAMETERS; count++) {
    at = text.indexOf('&', at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** The pairs of a query string or form body in their order: repeated names, empty values and missing `=` included. */
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

/** The pairs as one object; a repeated name holds all its values. */
export function objectOf(pairs: [string, string][], into: Parameters = {}): Parameters {
  for (const [name, value] of pairs) {
    if (name === '__proto__') continue;
    const known = Object.hasOwn(into, name) ? into[name] : undefined;
    if (known === undefined) into[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else into[name] = [known, value];
  }
  return into;
}
