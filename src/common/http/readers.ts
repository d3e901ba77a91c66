import { trimTrailing } from '../patterns.js';
import { expected, InvalidValue, shown } from './invalid-value.js';
import { didYouMean } from './nearest.js';

/** Turns what a client sent into a typed value, or says why it cannot be. */
export interface Reader<T = unknown> {
  (given: unknown, name: string): T | InvalidValue;
  /** Takes a list, so that a repeated key is one. */
  several?: boolean;
  /** Reads a large value beforehand, a slice at a time, so that reading it afterwards takes no time. */
  prepare?: (given: unknown, name: string) => Promise<void>;
}

/** For keys of a query or form that may have been repeated: equal values count once, different ones are refused. */
export const sentOnce =
  <T>(read: Reader<T>): Reader<T> =>
  (given, name) => {
    if (!Array.isArray(given)) return read(given, name);
    const values = [...new Set<unknown>(given)];
    if (values.length === 1) return read(values[0], name);
    const times = given.length === 2 ? 'twice' : `${given.length} times`;
    const some = values.slice(0, 5).map(shown).join(', ');
    const more = values.length > 5 ? ' and others' : '';
    return new InvalidValue(`${name} was sent ${times} with different values: ${some}${more}`, given);
  };

export interface TextRules {
  min?: number;
  max?: number;
  /** Something of it can be seen: it is not white space and invisible characters alone. */
  visible?: boolean;
  /** White space around it is no part of it. */
  trimmed?: boolean;
  /** A whole number in JSON is taken too, as its digits: for values that other answers of the service show as numbers. */
  orNumber?: boolean;
  /** A text that carries more than a pattern can say, with what was expected in words. */
  matching?: { pattern: RegExp; what: string; lowercase?: boolean };
}

/** Characters that no store keeps: NUL, and halves of surrogate pairs. */
const storable = (text: string) => !text.includes('\0') && text.isWellFormed();

/** The longest text that is looked at with a pattern before it is known whether it is too long. */
const MAX_PLAIN_LENGTH = 10_000;

/** Length as a person counts it: code points, which is also what the store counts. */
function lengthOf(text: string): number {
  if (text.length <= MAX_PLAIN_LENGTH && /^[\x20-\x7e]*$/.test(text)) return text.length;
  let length = text.length;
  // what is stored has no half pairs, so each first half stands for one code point less
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) length--;
  return length;
}

/** The refusal of a JSON value that is not a string. Numbers are refused too: long ones lose digits before anybody can tell. */
export function notAString(given: unknown, name: string): InvalidValue {
  const refused = expected('String', given, name);
  return typeof given === 'object' ? refused : refused.hinted(() => `${name} is a string: put it in quotation marks.`);
}

/** White space, control and format characters, fillers and the empty pattern of Braille show nothing. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

function lengthWords(min: number, max: number): string {
  if (max === Infinity) return `String of at least ${min} ${min === 1 ? 'character' : 'characters'}`;
  return min > 0 ? `String of ${min} to ${max} characters` : `String of at most ${max} characters`;
}

export function readText({
  min = 0,
  max = 10_000,
  visible = false,
  trimmed = false,
  orNumber = false,
  matching,
}: TextRules = {}): Reader<string> {
  return (given, name) => {
    const whole = orNumber && Number.isSafeInteger(given) ? String(given) : given;
    if (typeof whole !== 'string') return notAString(given, name);
    const text = trimmed ? whole.trim() : whole;
    if (!storable(text))
      return new InvalidValue(
        `${name} contains characters that cannot be stored`,
        undefined,
        'NUL or half a surrogate pair',
      );
    const length = lengthOf(text);
    if (length < min || length > max) {
      return expected(lengthWords(min, max), text, name, `${length} characters`);
    }
    if (visible && !VISIBLE.test(text)) return expected('a text with visible characters', text, name);
    if (!matching) return text;
    // of ASCII alone: there are other letters whose small ones are those of ASCII
    const matched = matching.lowercase ? text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase()) : text;
    return matching.pattern.test(matched) ? matched : expected(matching.what, text, name);
  };
}

/** Ids of ads entities; capitals are read as small letters. One that nobody has is not refused here, however long it is. */
export const BASE_36 = { pattern: /^[0-9a-z]+$/, what: 'String in base-36 format', lowercase: true };
/** Ids of users, posts, cards and media. */
export const DECIMAL = { pattern: /^[0-9]+$/, what: 'Long' };

/** A text, or a number as one; in JSON it may be either. Undefined for all else: an object may say of itself that it is no text. */
export function textOf(given: unknown): string | undefined {
  if (typeof given === 'number') return String(given);
  return typeof given === 'string' ? given : undefined;
}

/** A minus sign and 19 digits. */
const MAX_WHOLE_LENGTH = 20;

export function readWhole({ min, max, what = 'Integer' }: { min: number; max: number; what?: string }): Reader<number> {
  return (given, name) => {
    const text = textOf(given);
    if (text === undefined || text.length > MAX_WHOLE_LENGTH || !/^-?\d{1,19}$/.test(text))
      return expected(what, given, name);
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      return expected(`a value between ${min} and ${max}`, given, name);
    }
    return value;
  };
}

const readPositive = readWhole({ min: 1, max: Number.MAX_SAFE_INTEGER, what: 'Long' });

/** Money in micro-units, above zero. */
export const readMicro: Reader<number> = (given, name) => {
  const value = readPositive(given, name);
  return value instanceof InvalidValue ? value.hinted(() => inMicroUnits(given, name)) : value;
};

/** An amount as people write it: with a currency beside it, with a point or a comma before its decimals. */
const AMOUNT = /^(?:(?:[A-Za-z]{3}|\p{Sc})\s*)?(\d{1,9})(?:[.,](\d{1,6}))?(?:\s*(?:[A-Za-z]{3}|\p{Sc}))?$/u;

function inMicroUnits(given: unknown, name: string): string | undefined {
  const text = textOf(given);
  if (text === undefined) return undefined;
  const [, units, decimals = ''] = (text.length <= 32 && AMOUNT.exec(text.trim())) || [];
  const micro = units !== undefined && Number(units) * 1_000_000 + Number(decimals.padEnd(6, '0'));
  if (!micro) return undefined;
  // "1,000" is a thousand to some and one to others.
  const isPlain = !(decimals.length === 3 && text.includes(','));
  return `${name} is in micro-units of the currency, a million to the unit${isPlain ? `: for ${shown(given)} send ${micro}` : ''}.`;
}

const TRUTHS = new Map([
  ['true', true],
  ['t', true],
  ['1', true],
  ['false', false],
  ['f', false],
  ['0', false],
]);

export const readFlag: Reader<boolean> = (given, name) => {
  if (typeof given === 'boolean') return given;
  const text = textOf(given) ?? '';
  const truth = text.length <= 'false'.length ? TRUTHS.get(text.toLowerCase()) : undefined;
  return truth ?? expected('Boolean', given, name, 'true or false');
};

/** One of `allowed`; `tolerated` are taken too, but not offered: what a client may send back where it is so already. */
export function readOneOf<T extends string>(allowed: readonly T[], tolerated: readonly T[] = []): Reader<T> {
  const taken = [...allowed, ...tolerated];
  return (given, name) =>
    taken.find((each) => each === given) ??
    expected(`a value in ${allowed.join(', ')}`, given, name).hinted(() => didYouMean(given, allowed));
}

export interface SeveralRules {
  min?: number;
  max?: number;
  /** Filters collapse repeated elements; where every entry counts they stay. */
  distinct?: boolean;
}

/** A comma-separated list, a repeated key, or a JSON array, each element read by `element`. */
export function readSeveral<T>(
  element: Reader<T>,
  { min = 1, max = 200, distinct = true }: SeveralRules = {},
): Reader<T[]> {
  const read: Reader<T[]> = (given, name) => {
    const pieces: unknown[] = [];
    for (const each of Array.isArray(given) ? given : [given]) {
      // A list far past its limit is not taken apart to the end.
      const most = max * 10 + 1 - pieces.length;
      if (most <= 0) break;
      if (typeof each === 'string') pieces.push(...each.split(',', most).map((piece) => piece.trim()));
      else pieces.push(each);
    }
    const values: T[] = [];
    for (const piece of pieces) {
      if (piece === '') return expected('a list without empty elements', given, name);
      const value = element(piece, name);
      if (value instanceof InvalidValue) return value;
      values.push(value);
    }
    const list = distinct ? [...new Set(values)] : values;
    if (list.length > max)
      return new InvalidValue(
        `A maximum of ${max} items can be provided for ${name}`,
        undefined,
        `${list.length} were given`,
      );
    if (list.length < min) return new InvalidValue(`A minimum of ${min} items must be provided for ${name}`);
    return list;
  };
  return Object.assign(read, { several: true });
}

/** How long a time can be: that of a nanosecond with an offset has 35 characters. */
const MAX_TIME_LENGTH = 64;
const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** ISO 8601 with Z or an offset, or a date alone; the value is the UTC text `YYYY-MM-DDTHH:MM:SSZ`. */
export const readTime: Reader<string> = (given, name) => readMoment(given, name)[0];

/** The same with the fraction of a second kept where it is not zero, for rules that look at it. */
export const readExactTime: Reader<string> = (given, name) => {
  const [time, fraction] = readMoment(given, name);
  return fraction && typeof time === 'string' ? `${time.slice(0, -1)}.${fraction}Z` : time;
};

function readMoment(given: unknown, name: string): [time: string | InvalidValue, fraction?: string] {
  // In a query an unencoded plus sign of an offset arrives as a space.
  const text = typeof given === 'string' && given.length <= MAX_TIME_LENGTH ? given : '';
  const parts = TIME.exec(text.replace(/ (?=\d{2}:?\d{0,2}$)/, '+'));
  if (!parts) return [expected('time', given, name, 'ISO 8601, such as 2026-01-31T08:00:00Z')];
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = parts;
  const offset =
    zone === 'Z'
      ? 'Z'
      : zone.length === 3
        ? `${zone}:00`
        : zone.length === 5
          ? `${zone.slice(0, 3)}:${zone.slice(3)}`
          : zone;
  const value = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  const calendar = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isDate = calendar.getUTCDate() === Number(day) && calendar.getUTCMonth() === Number(month) - 1;
  if (Number.isNaN(value.getTime()) || !isDate || Number(year) < 1970)
    return [expected('time', given, name, 'invalid date')];
  return [`${value.toISOString().slice(0, 19)}Z`, trimTrailing(fraction, '0')];
}
