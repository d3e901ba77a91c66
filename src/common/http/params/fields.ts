import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, type SchemaObject } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { nameOfSet } from '../../values/closed-set.js';
import { placeholderHint } from '../../errors/placeholder.js';
import { CodePoints, Expect, IsStorable, IsVisible, NoEmptyElement, type ConstraintContext } from './constraints.js';
import { toText, toBoolean, toInt, toList, toTime, type Conversion } from './conversions.js';
import { declareField, type DatesIn, type DeclaredField as Declared } from './dto-metadata.js';
import { quotedValue } from './refusals.js';

/** The keyword that holds the name of a schema's closed set until the document is complete. */
export const SET_NAME = 'x-set-name';

export interface FieldRules {
  /** The parameter may be absent. */
  optional?: boolean;
  /** The parameter may be absent, and an empty value (in JSON also null) unsets it. */
  nullable?: boolean;
  /**
   * The parameter may be ignored, even if invalid: an unreadable value becomes an `UnreadableValue`, which the rules of the
   * write handle.
   */
  ignorable?: boolean;
  /**
   * The parameter may be absent, and an empty value (in JSON also null) counts as absent: for parameters that only
   * apply on creation.
   */
  absentIfEmpty?: boolean;
  /** An example value for the document. */
  example?: unknown;
  /** The value is unique in an account, so that running an example needs a new value each time. */
  unique?: boolean;
  /** The default, for the document only; the code that uses the parameter applies it. */
  default?: unknown;
}

/** A kind of value: its conversion and the constraints of the result, which apply to each element of a list. */
export interface Kind {
  convert?: Conversion;
  constraints: (each: boolean) => PropertyDecorator[];
  /** Takes a list, so that a repeated key is a list. */
  isList?: boolean;
  prepare?: Declared['prepare'];
  datesIn?: DatesIn;
}

/** Replaces an object where none is allowed, so that class-transformer does not copy its content. */
class Opaque {}

/**
 * A parameter of some kind: how it is read, validated and shown in the document. Its doc comment says what it is;
 * `description` here gives the format of its kind.
 */
export function Field(
  { convert = (given) => given, constraints, isList = false, prepare, datesIn }: Kind,
  { optional, nullable, absentIfEmpty, ignorable = false, example, unique, default: otherwise }: FieldRules = {},
  swagger: ApiPropertyOptions = {},
): PropertyDecorator {
  const takesEmpty = nullable || absentIfEmpty;
  const required = !optional && !takesEmpty;
  const empty = absentIfEmpty ? undefined : null;
  const isEmpty = (given: unknown) => takesEmpty && (given === '' || given === null);
  return applyDecorators(
    (prototype: object, name: string | symbol) =>
      declareField(prototype, { name: String(name), isList, ignorable, prepare, datesIn }),
    Type(() => Opaque),
    Transform(({ obj, key }) => {
      const given = (obj as Record<string, unknown>)[key];
      return isEmpty(given) ? empty : convert(given, key);
    }),
    ...constraints(false),
    ...(takesEmpty ? [IsOptional()] : optional ? [ValidateIf((_, value) => value !== undefined)] : []),
    ApiProperty({
      ...swagger,
      required,
      ...(example !== undefined && { example }),
      ...(unique && { 'x-unique': true }),
      ...(takesEmpty && { nullable: true }),
      ...(otherwise !== undefined && { default: otherwise }),
    } as ApiPropertyOptions),
  );
}

export interface TextRules {
  min?: number;
  max?: number;
  /** At least one character is visible: neither white space nor invisible. */
  visible?: boolean;
  /** Surrounding white space is removed. */
  trimmed?: boolean;
  /**
   * Also takes a JSON integer, as its digits: for values that other responses of the service show as numbers. `decimal`: or any
   * JSON number with a fraction.
   */
  orNumber?: boolean | 'decimal';
  /** A pattern, with the expected format in words. */
  matching?: { pattern: RegExp; what: string; lowercase?: boolean; hint?: ConstraintContext['hint'] };
}

/** A text. `withCheck` adds further requirements, in words. */
export function text({ min = 0, max = 10_000, visible, trimmed, orNumber, matching }: TextRules = {}): Kind {
  const lowercase = matching?.lowercase;
  return {
    convert: (given) => {
      const isDecimal = orNumber === 'decimal' && typeof given === 'number' && !Number.isInteger(given);
      const isTaken = isDecimal || (orNumber && Number.isSafeInteger(given));
      const sent = isTaken ? String(given) : given;
      if (typeof sent !== 'string') return sent;
      const kept = trimmed ? sent.trim() : sent;
      if (!lowercase) return kept;
      // ASCII only: some other letters have ASCII lower-case forms
      const small = kept.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
      return matching.pattern.test(small) ? small : kept;
    },
    constraints: (each) => [
      IsString({ each }),
      IsStorable(each),
      CodePoints(min, max, each),
      ...(visible ? [IsVisible()] : []),
      ...(matching
        ? [
            Matches(matching.pattern, {
              each,
              context: { what: matching.what, hint: matching.hint } satisfies ConstraintContext,
            }),
          ]
        : []),
    ],
  };
}

/** A kind of text with a further requirement, checked after the others: its name, and its error. */
export const withCheck = (
  kind: Kind,
  what: string,
  holds: (text: string) => boolean,
  said: ConstraintContext = {},
): Kind => ({
  ...kind,
  constraints: (each) => [
    ...kind.constraints(each),
    Expect(what, (value) => typeof value === 'string' && holds(value), said, each),
  ],
});

/** A text whose error has only the expected format. */
export const word = (what: string, holds: (text: string) => boolean, said?: ConstraintContext) =>
  withCheck({ constraints: () => [] }, what, holds, said);

/** For a closed set of words in capitals: a hint for values in lower case. */
export const capitalsHint =
  (words: ReadonlySet<string>): ConstraintContext['hint'] =>
  (given) =>
    typeof given === 'string' && words.has(given.toUpperCase()) ? `Did you mean ${given.toUpperCase()}?` : undefined;

export const int = (min: number, max: number, said: ConstraintContext = {}): Kind => {
  const context: ConstraintContext = { ...said, between: [min, max] };
  return {
    convert: toInt,
    constraints: (each) => [
      IsInt({ each, context }),
      Min(min, { each, context }),
      Max(Math.min(max, Number.MAX_SAFE_INTEGER), { each, context }),
    ],
  };
};

/** One of `allowed`. `tolerated` values are valid too but not listed: clients may send back an existing value. */
export const oneOf = (
  allowed: readonly string[],
  tolerated: readonly string[] = [],
  said: ConstraintContext = {},
): Kind => ({
  constraints: (each) => [
    IsIn([...allowed, ...tolerated], { each, context: { ...said, offered: allowed } satisfies ConstraintContext }),
  ],
});

export interface ListFieldRules {
  min?: number;
  max?: number;
  /** Removes repeated elements, as for filters; without it every element counts. */
  distinct?: boolean;
}

/** A comma-separated list, a repeated key, or a JSON array. */
export const list = (element: Kind, { min = 1, max = 200, distinct = true }: ListFieldRules = {}): Kind => ({
  convert: toList(element.convert ?? ((given) => given), max, distinct),
  constraints: () => [NoEmptyElement(), ...element.constraints(true), ArrayMaxSize(max), ArrayMinSize(min)],
  isList: true,
});

/** A JSON array. Every invalid element is reported with its place. */
export const jsonArray = (element: Kind, { min, max }: { min: number; max: number }): Kind => ({
  constraints: () => [
    IsArray({ context: { hasPlaces: true } satisfies ConstraintContext }),
    ArrayMaxSize(max),
    ArrayMinSize(min, { context: { hasPlaces: true } satisfies ConstraintContext }),
    ...element.constraints(true),
  ],
});

/** A text; lengths count code points. Not empty unless `min` is 0. */
export const Text = ({ min = 1, max, visible, trimmed, orNumber, matching, ...rules }: TextRules & FieldRules = {}) =>
  Field(text({ min, max, visible, trimmed, orNumber, matching }), rules, {
    type: String,
    ...(!rules.nullable && { minLength: min }),
    maxLength: max,
  });

/** Ids of ads entities, case-insensitive. Validation accepts unknown ids of any length. */
export const BASE_36 = { pattern: /^[0-9a-z]+$/, what: 'String in base-36 format', lowercase: true };
/** Ids of users, posts, cards and media. */
export const DECIMAL = { pattern: /^[0-9]+$/, what: 'Long' };

/** Ids of lead forms. */
export const UUID = { pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, what: 'UUID' };

/** Validation accepts ids of any length. */
const idLike = (matching: { pattern: RegExp; what: string; lowercase?: boolean }) =>
  text({ min: 1, max: Infinity, matching: { ...matching, hint: onPlaceholder } });

const onPlaceholder = (given: unknown, place: string): string | undefined =>
  typeof given === 'string' ? placeholderHint(place, given) : undefined;

/** The id of one ads entity. */
export const Id = (rules: FieldRules = {}) =>
  Field(idLike(BASE_36), rules, { type: String, pattern: BASE_36.pattern.source });

/** The id of one user, post, card or media. */
export const DecimalId = (rules: FieldRules = {}) =>
  Field(idLike(DECIMAL), rules, { type: String, pattern: DECIMAL.pattern.source });

/** The id of one lead form, case-insensitive. */
export const Uuid = (rules: FieldRules = {}) =>
  Field(idLike({ ...UUID, lowercase: true }), rules, { type: String, pattern: UUID.pattern.source });

/** Schema of a list in the document. */
export const listSchema = (items: SchemaObject, { min, max }: ListFieldRules = {}): ApiPropertyOptions => ({
  type: 'array',
  items,
  ...(min !== undefined && { minItems: min }),
  ...(max !== undefined && { maxItems: max }),
  description: 'Comma-separated.',
});

/** Schema of a closed set in the document, which defines one from `closedSet` once under its name. */
export const enumSchema = (allowed: readonly string[]) => {
  const name = nameOfSet(allowed);
  return { type: 'string' as const, enum: [...allowed], ...(name && { [SET_NAME]: name }) };
};

/** Up to 200 ids, comma-separated or as a repeated key. */
export const Ids = (
  { decimal, max, distinct, ...rules }: FieldRules & ListFieldRules & { decimal?: boolean } = { optional: true },
) => {
  const matching = decimal ? DECIMAL : BASE_36;
  const items = { type: 'string' as const, pattern: matching.pattern.source };
  return Field(list(idLike(matching), { max, distinct }), rules, listSchema(items, { min: 1, max: max ?? 200 }));
};

/** A comma-separated list of values from a closed set. */
export const EnumList = (
  allowed: readonly string[],
  { min, max, distinct, ...rules }: FieldRules & ListFieldRules = {},
) =>
  Field(list(oneOf(allowed), { min, max, distinct }), rules, listSchema(enumSchema(allowed), { min: min ?? 1, max }));

/** An integer within bounds. */
export const Int = ({ min, max, ...rules }: { min: number; max: number } & FieldRules) =>
  Field(int(min, max), rules, { type: 'integer', minimum: min, maximum: max });

/** A number of days out of some. */
export function Days(allowed: readonly number[], rules: FieldRules = {}): PropertyDecorator {
  const context: ConstraintContext = { offered: allowed.map(String) };
  const kind = { convert: toInt, constraints: (each: boolean) => [IsIn(allowed, { each, context })] };
  return Field(kind, rules, { type: 'integer', enum: [...allowed] });
}

/** Money in micro-units, above zero. */
export const micro = int(1, Number.MAX_SAFE_INTEGER, { what: 'Long', hint: inMicroUnits });

/** Money in micro-units of the currency, above zero. */
export const Micro = (rules: FieldRules = {}) =>
  Field(micro, rules, {
    type: 'integer',
    format: 'int64',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    example: 5_500_000,
    description: 'In micro-units of the currency: 1,000,000 is one unit.',
  });

/** An amount in a common notation: with a currency, and with a point or a comma before its decimals. */
const AMOUNT = /^(?:(?:[A-Za-z]{3}|\p{Sc})\s*)?(\d{1,9})(?:[.,](\d{1,6}))?(?:\s*(?:[A-Za-z]{3}|\p{Sc}))?$/u;

function inMicroUnits(given: unknown, name: string): string | undefined {
  const written = toText(given);
  if (written === undefined) return undefined;
  const rule = `${name} is in micro-units of the currency, and 1000000 is one unit`;
  // what languages print of a whole number that they hold as a fraction; "1,000" may be a thousand
  if (written.length <= 32 && /^\d+(\.0+|,(?!000$)0+)$/.test(written.trim()))
    return `${rule}: leave the fraction of ${quotedValue(given)} out.`;
  if (written.length <= 32 && /^\d+$/.test(written.trim()))
    return `${rule}: leave the whitespace around ${quotedValue(given)} out.`;
  const [, units, decimals = ''] = (written.length <= 32 && AMOUNT.exec(written.trim())) || [];
  const amount = units !== undefined && Number(units) * 1_000_000 + Number(decimals.padEnd(6, '0'));
  if (!amount) return undefined;
  // "1,000" is ambiguous: one or a thousand. A million and more may be in micro-units already.
  const isPlain = !(decimals.length === 3 && written.includes(',')) && Number(units) < 1_000_000;
  return `${rule}${isPlain ? `: for ${quotedValue(given)} send ${amount}` : ''}.`;
}

/** true or false, in any spelling that clients use. */
export const bool: Kind = { convert: toBoolean, constraints: (each) => [IsBoolean({ each })] };

/** true or false. */
export const Bool = (rules: FieldRules = { optional: true }) => Field(bool, rules, { type: Boolean });

/** One of a closed set; see oneOf for `tolerated`. */
export const OneOf = (
  allowed: readonly string[],
  { tolerated, ...rules }: FieldRules & { tolerated?: readonly string[] } = {},
) => Field(oneOf(allowed, tolerated), rules, enumSchema(allowed));

/** A time; see toTime for the formats. `exact` keeps the fraction of a second. */
export const time = (exact = false, datesIn: DatesIn = 'UTC'): Kind => ({
  datesIn,
  convert: toTime(exact),
  constraints: (each) => [IsISO8601({ strict: true }, { each })],
});

/** The same as a parameter. */
export const Timestamp = ({ exact, ...rules }: FieldRules & { exact?: boolean } = {}) =>
  Field(time(exact), rules, {
    type: String,
    format: 'date-time',
    example: '2026-10-01T00:00:00Z',
    description: 'ISO 8601, with Z or an offset. Without them it is in UTC, and a date is midnight UTC.',
  });

/** The identifier of an Android app: at least two words that begin with a letter, separated by points. */
export const PACKAGE_NAME = { pattern: /^[a-z]\w*(\.[a-z]\w*)+$/i, what: 'a package name such as com.example.shop' };
