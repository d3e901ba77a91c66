import { trimTrailing } from '../../text/patterns.js';

/**
 * Converts a client's value to the type that the constraints of a field expect. Values that cannot be converted stay
 * unchanged, or become a value that no constraint accepts.
 */
export type Conversion = (given: unknown, name?: string) => unknown;

/**
 * A text, or a number as text, since JSON may have either. Undefined for all other values, including objects with a
 * `toString`.
 */
export function toText(given: unknown): string | undefined {
  if (typeof given === 'number') return String(given);
  return typeof given === 'string' ? given : undefined;
}

/** An integer with an optional minus sign and at most 19 digits; otherwise NaN. */
export const toInt: Conversion = (given) => {
  const text = toText(given);
  return text !== undefined && text.length <= 20 && /^-?\d{1,19}$/.test(text) ? Number(text) : NaN;
};

const TRUTHS = new Map([
  ['true', true],
  ['t', true],
  ['1', true],
  ['false', false],
  ['f', false],
  ['0', false],
]);

/** true or false, in any spelling that clients use. */
export const toBoolean: Conversion = (given) => {
  const text = toText(given);
  return text !== undefined && text.length <= 'false'.length ? (TRUTHS.get(text.toLowerCase()) ?? given) : given;
};

/** Whether a flag of a query is true, even if repeated. */
export const isTrue = (given: unknown): boolean =>
  toBoolean(Array.isArray(given) && new Set<unknown>(given).size === 1 ? given[0] : given) === true;

/** The elements of a comma-separated list, a repeated key or a JSON array. Stops far beyond `max`. */
export const toList =
  (element: Conversion, max: number, distinct: boolean): Conversion =>
  (given) => {
    const pieces: unknown[] = [];
    for (const each of Array.isArray(given) ? (given as unknown[]) : [given]) {
      const remaining = max * 10 + 1 - pieces.length;
      if (remaining <= 0) break;
      if (typeof each === 'string') pieces.push(...each.split(',', remaining).map((piece) => piece.trim()));
      else pieces.push(each);
    }
    const values = pieces.map((piece) => element(piece));
    return distinct ? [...new Set(values)] : values;
  };

/** Maximum length of a time: with nanoseconds and an offset it has 35 characters. */
const MAX_TIME_LENGTH = 64;
/** The first time whose year has more than four digits. */
export const YEAR_10000 = Date.UTC(10_000, 0);
const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** In a query, an unencoded plus sign of an offset arrives as a space. */
const partsOf = (given: unknown) =>
  TIME.exec(
    typeof given === 'string' && given.length <= MAX_TIME_LENGTH ? given.replace(/ (?=\d{2}:?\d{0,2}$)/, '+') : '',
  );

/** Whether it has the format of a time, even if the date does not exist. */
export const looksLikeTime = (given: unknown): boolean => partsOf(given) !== null;

/**
 * Converts ISO 8601 with Z or an offset, or a date alone, to the UTC text `YYYY-MM-DDTHH:MM:SSZ`; `exact` keeps a
 * non-zero fraction of a second. An empty text for invalid times, and for those before 1970 or after 9999.
 */
export const toTime =
  (exact: boolean): Conversion =>
  (given) => {
    const parts = partsOf(given);
    if (!parts) return '';
    const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = parts;
    const offset =
      zone === 'Z'
        ? 'Z'
        : zone.length === 3
          ? `${zone}:00`
          : zone.length === 5
            ? `${zone.slice(0, 3)}:${zone.slice(3)}`
            : zone;
    const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
    const calendar = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
    const isDate = calendar.getUTCDate() === Number(day) && calendar.getUTCMonth() === Number(month) - 1;
    if (!isDate || !(ms >= 0 && ms < YEAR_10000)) return '';
    const kept = exact ? trimTrailing(fraction, '0') : '';
    return `${new Date(ms).toISOString().slice(0, 19)}${kept && `.${kept}`}Z`;
  };
