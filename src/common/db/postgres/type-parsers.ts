import pg, { type CustomTypesConfig } from 'pg';

export { exactWireTime, storedTime, wireTime } from './stored-times.js';

type Parse = (text: string) => unknown;

const OID = { int8: 20, textArray: 1009, varcharArray: 1015, int8Array: 1016, date: 1082, timestamptz: 1184 };

const asText: Parse = (text) => text;
const parseTexts = pg.types.getTypeParser(OID.textArray) as Parse;
const parseTextsOfNumbers = pg.types.getTypeParser(OID.int8Array) as (text: string) => (string | null)[];

/** Splits `{a,b}` when no element is quoted, nested or null, the usual case; pg's own parser reads the others. */
const parseUnquotedTexts: Parse = (text) => {
  if (text === '{}') return [];
  if (/["\\]|NULL|.\{/.test(text)) return parseTexts(text);
  return text.slice(1, -1).split(',');
};

const parsers = new Map<number, Parse>([
  // micro-units and counts, all below 2^53
  [OID.int8, Number],
  [OID.int8Array, (text) => parseTextsOfNumbers(text).map((each) => (each === null ? null : Number(each)))],
  // creating a Date for every cell would be most of the cost of a list
  [OID.timestamptz, asText],
  [OID.date, asText],
  [OID.textArray, parseUnquotedTexts],
  [OID.varcharArray, parseUnquotedTexts],
]);

/** The parsers of values, for every connection (`types` of a pg client or pool). */
export const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parse {
    return (format !== 'binary' && parsers.get(oid)) || (pg.types.getTypeParser(oid, format) as Parse);
  },
};

/** pg's parser of types without one of their own, such as text. */
const parseAsText = pg.types.getTypeParser(25) as Parse;

/** The parser of a cell's text; undefined when the text is the value. */
export function parserOf(oid: number): Parse | undefined {
  const parse = types.getTypeParser(oid, 'text') as Parse;
  return parse === asText || parse === parseAsText ? undefined : parse;
}

/**
 * Settings of every session. Timestamps arrive in the format of `wireTime`. A statement has one plan for all
 * parameters: with one for a large account PostgreSQL would scan the rows of all accounts for its first page. JIT
 * compilation is off: it takes longer than any statement, and is triggered by estimates.
 */
export const SESSION = ['TimeZone=UTC', 'DateStyle=ISO', 'plan_cache_mode=force_generic_plan', 'jit=off'];
