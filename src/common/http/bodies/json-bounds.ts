/** Limits of a JSON body, checked before it is parsed. */
export interface JsonBounds {
  /** Levels of nested objects and arrays. */
  depth: number;
  /** Values of every kind, including nested ones and the outermost; names do not count. */
  values: number;
  /** Different beginnings of objects, as sequences of names: the parser creates a hidden class for each. */
  shapes: number;
  /** Values of one element of the outermost array; VALUES_AT_ONCE by default. */
  valuesAtOnce?: number;
}

/** Far above any request: a batch of 500 operations with lists of 20 values has 20,000 values, in a few dozen shapes. */
export const JSON_BOUNDS: Readonly<JsonBounds> = Object.freeze({ depth: 20, values: 50_000, shapes: 5_000 });

/** Maximum number of values of a text that is not an array, or of one element of it, unless a route allows more. */
export const VALUES_AT_ONCE = 50_000;

/** The exceeded bound and its limit. */
export interface JsonExcess {
  bound: keyof JsonBounds;
  max: number;
}

/** The measure of a text within its bounds. */
export interface JsonMeasure {
  values: number;
  /** Positions where the text can be split, in order. */
  cuts: ElementComma[];
}

/** A comma between two elements of an array. */
export interface ElementComma {
  at: number;
  /** The open arrays and objects, outermost first. */
  open: OpenContainer[];
  /** The number of them that have been open since the previous cut. */
  kept: number;
}

/** An array, or an object with the position in the text of the name of its current member, quotes included. */
export type OpenContainer = 'array' | { nameFrom: number; nameTo: number };

/** The size of a parsed chunk: the text is split after this number of bytes or values. */
export interface ChunkSize {
  bytes: number;
  values: number;
}
const PORTIONS: ChunkSize = { bytes: 128 * 1024, values: 10_000 };

/** Minimum size of an object member: `"":1,`. */
const MIN_MEMBER_BYTES = 5;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Classes of bytes outside of strings. */
const OF_SCALAR = 0;
const SPACE = 1;
const BEGIN_QUOTE = 2;
const BEGIN_OBJECT = 3;
const BEGIN_ARRAY = 4;
const END = 5;
const COMMA = 6;
const COLON = 7;
const KINDS = new Uint8Array(256);
for (const [characters, kind] of [
  [' \t\r\n', SPACE],
  ['"', BEGIN_QUOTE],
  ['{', BEGIN_OBJECT],
  ['[', BEGIN_ARRAY],
  [']}', END],
  [',', COMMA],
  [':', COLON],
] as const) {
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind;
}

/** The number of bytes after which the scan of a text pauses. */
const PIECE_BYTES = 512 * 1024;

/**
 * Scans the bytes of a JSON text once, in pieces, and stops at the first exceeded bound. It does not validate the text: up to the
 * first syntax error, where parsing ends too, it counts what the parser would create.
 */
export function* measureInPieces(
  bytes: Uint8Array,
  bounds: JsonBounds,
  portions = PORTIONS,
): Generator<void, JsonExcess | JsonMeasure> {
  const { depth: deepest, values: max, shapes, valuesAtOnce = VALUES_AT_ONCE } = bounds;
  const { length } = bytes;
  const isArray = new Uint8Array(deepest + 1);
  const begun = new Uint32Array(deepest + 1);
  // A text too short for that number of names needs no check of them.
  const hashes = length / MIN_MEMBER_BYTES > shapes ? new SeenHashes(shapes) : undefined;
  const nameFrom = new Uint32Array(deepest + 1);
  const nameTo = new Uint32Array(deepest + 1);
  const cuts: ElementComma[] = [];
  let cutAt = 0;
  let kept = 0;
  let valuesBeforeCut = 0;
  let valuesBeforeElement = 0;
  let depth = 0;
  let values = 0;
  let isName = false;
  let pauseAt = PIECE_BYTES;

  for (let at = 0; at < length; at++) {
    if (at >= pauseAt) {
      yield;
      pauseAt = at + PIECE_BYTES;
    }
    switch (KINDS[bytes[at]]) {
      case SPACE:
        continue;
      case BEGIN_QUOTE: {
        const from = at;
        at = endOfString(bytes, from);
        if (!isName) break;
        isName = false;
        nameFrom[depth] = from;
        nameTo[depth] = at + 1;
        if (!hashes) continue;
        begun[depth] = mixed(begun[depth], hashOf(bytes, from, at));
        if (!hashes.add(begun[depth])) return { bound: 'shapes', max: shapes };
        continue;
      }
      case BEGIN_OBJECT:
      case BEGIN_ARRAY:
        if (depth === deepest) return { bound: 'depth', max: deepest };
        depth++;
        isArray[depth] = bytes[at] === 0x5b ? 1 : 0;
        begun[depth] = 0;
        isName = isArray[depth] === 0;
        if (depth === 1 && !isName) valuesBeforeElement = values + 1;
        break;
      case END:
        if (depth > 0) depth--;
        if (depth < kept) kept = depth;
        isName = false;
        continue;
      case COMMA:
        isName = depth > 0 && isArray[depth] === 0;
        if (depth === 0 || isName) continue;
        if (depth === 1) valuesBeforeElement = values;
        if (at - cutAt >= portions.bytes || values - valuesBeforeCut >= portions.values) {
          const open = Array.from({ length: depth }, (_, i): OpenContainer =>
            isArray[i + 1] ? 'array' : { nameFrom: nameFrom[i + 1], nameTo: nameTo[i + 1] },
          );
          cuts.push({ at, open, kept });
          cutAt = at;
          valuesBeforeCut = values;
          kept = depth;
        }
        continue;
      case COLON:
        isName = false;
        continue;
      default:
        while (at + 1 < length && KINDS[bytes[at + 1]] === OF_SCALAR) at++;
    }
    if (++values > max) return { bound: 'values', max };
    if (values - valuesBeforeElement > valuesAtOnce) return { bound: 'valuesAtOnce', max: valuesAtOnce };
  }
  return { values, cuts };
}

/** The position of the closing quote of the string that begins here, or the end of the text. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
  return at;
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = SEED;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], FACTOR);
  return hash;
}

/** Random in every process, so that clients cannot choose names with equal hashes. */
const SEED = (Math.random() * 2 ** 32) | 0;
const FACTOR = ((Math.random() * 2 ** 32) & ~7) | 5;

const mixed = (one: number, other: number): number => {
  const both = Math.imul(one ^ (other >>> 15) ^ other, FACTOR) + SEED;
  return (both ^ (both >>> 13)) >>> 0;
};

/** A bounded set of hashes. */
class SeenHashes {
  private readonly table: Uint32Array;
  private readonly mask: number;
  private count = 0;

  constructor(private readonly max: number) {
    const size = 2 ** Math.ceil(Math.log2(max * 2 + 2));
    this.table = new Uint32Array(size);
    this.mask = size - 1;
  }

  /** False when the hash is new and the set is full. */
  add(hash: number): boolean {
    // 0 marks an empty slot.
    const own = hash || 1;
    let at = own & this.mask;
    for (; this.table[at] !== 0; at = (at + 1) & this.mask) if (this.table[at] === own) return true;
    if (++this.count > this.max) return false;
    this.table[at] = own;
    return true;
  }
}
