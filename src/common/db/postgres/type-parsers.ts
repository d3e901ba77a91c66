import pg, { type CustomTypesConfig } from 'pg';

export { exactWireTime, storedTime, wireTime } from './stored-times.js';

type Parse = (text: string) => unknown;

const OID = { int8: 20, textArray: 1009, varcharArray: 1015, int8Array: 1016, date: 1082, timestamptz: 1184 };

const asText: Parse = (text) => text;
const parseTexts = pg.types.getTypeParser(OID.textArray) as Parse;
const parseTextsOfNumbers = pg.types.getTypeParser(OID.int8Array) as (text: string) => (string | null)[];

/** Splits `{a,b}` where no element is quoted, nested or null, as nearly always; pg's own parser reads the others. */
const parseUnquotedTexts: Parse = (text) => {
  if (text === '{}') return [];
  if (/["\\]|NULL|.\{/.test(text)) return parseTexts(text);
  return text.slice(1, -1).split(',');
};

const parsers = new Map<number, Parse>([
  // micro-units and counts, all below 2^53
  [OID.int8, Number],
  [OID.int8Array, (text) => parseTextsOfNumbers(text).map((each) => (each === null ? null : Number(each)))],
  // making a Date of every cell would be most of what a list costs
  [OID.timestamptz, asText],
  [OID.date, asText],
  [OID.textArray, parseUnquotedTexts],
  [OID.varcharArray, parseUnquotedTexts],
]);

/** How values arrive, on every connection (`types` of a pg client or pool). */
export const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parse {
    return (format !== 'binary' && parsers.get(oid)) || (pg.types.getTypeParser(oid, format) as Parse);
  },
};

/** What pg reads types with that have no parser of their own, such as text. */
const parseAsText = pg.types.getTypeParser(25) as Parse;

/** What makes a value of a cell's text; undefined where the text is the value. */
export function parserOf(oid: number): Parse | undefined {
  const parse = types.getTypeParser(oid, 'text') as Parse;
  return parse === asText || parse === parseAsText ? undefined : parse;
}

/**
 * Settings of every session. Timestamps arrive as `wireTime` reads them; and a statement has one plan, whoever asks: with
 * one made for a large account PostgreSQL would walk the rows of all accounts for its first page. Nothing is compiled for a
 * statement: that takes longer than any of ours, and is done because of estimates.
 */
export const SESSION = ['TimeZone=UTC', 'DateStyle=ISO', 'plan_cache_mode=force_generic_plan', 'jit=off'];
