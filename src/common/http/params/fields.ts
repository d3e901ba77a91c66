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
import { nameOfSet } from '../../closed-set.js';
import { CodePoints, Expect, IsStorable, IsVisible, NoEmptyElement, type Said } from './constraints.js';
import { textOf, toBoolean, toInt, toList, toTime, type Conversion } from './conversions.js';
import { declareField, type Field as Declared } from './dto-metadata.js';
import { shown } from './refusals.js';

/** Where a schema says the name of its closed set, until the document is complete. */
export const SET_NAME = 'x-set-name';

export interface FieldRules {
  /** May be left out. */
  optional?: boolean;
  /** May be left out, and an empty value (in JSON also null) unsets it. */
  nullable?: boolean;
  /** May be ignored, valid or not: what cannot be read is an `UnreadValue`, which the rules of the write judge. */
  ignorable?: boolean;
  /** May be left out, and an empty value (in JSON also null) is as if it was: for what is only ever said when something is made. */
  absentIfEmpty?: boolean;
  /** A value that the document shows. */
  example?: unknown;
  /** No two things of an account have it alike, so that an example that is carried out needs a new value each time. */
  unique?: boolean;
  /** What holds where it is not sent, as the document says it; whoever uses the parameter sees to it. */
  default?: unknown;
}

/** A kind of value: what it is turned into, and the constraints that then hold; of each element where it is that of a list. */
export interface Kind {
  convert?: Conversion;
  constraints: (each: boolean) => PropertyDecorator[];
  /** Takes a list, so that a repeated key is one. */
  several?: boolean;
  prepare?: Declared['prepare'];
}

/** Stands for an object where none is taken, so that class-transformer does not copy what is in it. */
class Opaque {}

/**
 * A parameter of some kind: how it is read, what is wrong with it, and what the document shows. What the parameter is stands
 * in its doc comment; a `description` here says how a value of its kind is written.
 */
export function Field(
  { convert = (given) => given, constraints, several = false, prepare }: Kind,
  { optional, nullable, absentIfEmpty, ignorable = false, example, unique, default: otherwise }: FieldRules = {},
  swagger: ApiPropertyOptions = {},
): PropertyDecorator {
  const takesEmpty = nullable || absentIfEmpty;
  const required = !optional && !takesEmpty;
  const empty = absentIfEmpty ? undefined : null;
  const isEmpty = (given: unknown) => takesEmpty && (given === '' || given === null);
  return applyDecorators(
    (prototype: object, name: string | symbol) =>
      declareField(prototype, { name: String(name), several, ignorable, prepare }),
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
  /** Something of it can be seen: it is not white space and invisible characters alone. */
  visible?: boolean;
  /** White space around it is no part of it. */
  trimmed?: boolean;
  /** A whole number in JSON is taken too, as its digits: for values that other answers of the service show as numbers. */
  orNumber?: boolean;
  /** A text that carries more than a pattern can say, with what was expected in words. */
  matching?: { pattern: RegExp; what: string; lowercase?: boolean };
}

/** A text. What else has to hold of it, in words, is added with `expecting`. */
export function text({ min = 0, max = 10_000, visible, trimmed, orNumber, matching }: TextRules = {}): Kind {
  const lowercase = matching?.lowercase;
  return {
    convert: (given) => {
      const whole = orNumber && Number.isSafeInteger(given) ? String(given) : given;
      if (typeof whole !== 'string') return whole;
      const kept = trimmed ? whole.trim() : whole;
      if (!lowercase) return kept;
      // of ASCII alone: there are other letters whose small ones are those of ASCII
      const small = kept.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
      return matching.pattern.test(small) ? small : kept;
    },
    constraints: (each) => [
      IsString({ each }),
      IsStorable(each),
      CodePoints(min, max, each),
      ...(visible ? [IsVisible()] : []),
      ...(matching ? [Matches(matching.pattern, { each, context: { what: matching.what } satisfies Said })] : []),
    ],
  };
}

/** A kind of text of which more has to hold, once the rest does: what that is called, and how it is told. */
export const expecting = (kind: Kind, what: string, holds: (text: string) => boolean, said: Said = {}): Kind => ({
  ...kind,
  constraints: (each) => [
    ...kind.constraints(each),
    Expect(what, (value) => typeof value === 'string' && holds(value), said, each),
  ],
});

/** A text of which nothing is told but what was expected. */
export const word = (what: string, holds: (text: string) => boolean, said?: Said) =>
  expecting({ constraints: () => [] }, what, holds, said);

/** For a closed set of words that are written in capitals: who wrote small letters. */
export const hintCapitals =
  (words: ReadonlySet<string>): Said['hint'] =>
  (given) =>
    typeof given === 'string' && words.has(given.toUpperCase()) ? `Did you mean ${given.toUpperCase()}?` : undefined;

export const whole = (min: number, max: number, said: Said = {}): Kind => {
  const context: Said = { ...said, between: [min, max] };
  return {
    convert: toInt,
    constraints: (each) => [
      IsInt({ each, context }),
      Min(min, { each, context }),
      Max(Math.min(max, Number.MAX_SAFE_INTEGER), { each, context }),
    ],
  };
};

/** One of `allowed`; `tolerated` are taken too, but not offered: what a client may send back where it is so already. */
export const oneOf = (allowed: readonly string[], tolerated: readonly string[] = [], said: Said = {}): Kind => ({
  constraints: (each) => [
    IsIn([...allowed, ...tolerated], { each, context: { ...said, offered: allowed } satisfies Said }),
  ],
});

export interface SeveralRules {
  min?: number;
  max?: number;
  /** Filters collapse repeated elements; where every entry counts they stay. */
  distinct?: boolean;
}

/** A comma-separated list, a repeated key, or a JSON array. */
export const several = (element: Kind, { min = 1, max = 200, distinct = true }: SeveralRules = {}): Kind => ({
  convert: toList(element.convert ?? ((given) => given), max, distinct),
  constraints: () => [NoEmptyElement(), ...element.constraints(true), ArrayMaxSize(max), ArrayMinSize(min)],
  several: true,
});

/** A JSON array. Every element that is refused is told, with its place. */
export const listed = (element: Kind, { min, max }: { min: number; max: number }): Kind => ({
  constraints: () => [
    IsArray({ context: { hasPlaces: true } satisfies Said }),
    ArrayMaxSize(max),
    ArrayMinSize(min, { context: { hasPlaces: true } satisfies Said }),
    ...element.constraints(true),
  ],
});

/** A text; lengths count code points. It is not empty, unless `min` says that it may be. */
export const Text = ({ min = 1, max, visible, trimmed, orNumber, matching, ...rules }: TextRules & FieldRules = {}) =>
  Field(text({ min, max, visible, trimmed, orNumber, matching }), rules, {
    type: String,
    ...(!rules.nullable && { minLength: min }),
    maxLength: max,
  });

/** Ids of ads entities; capitals are read as small letters. One that nobody has is not refused here, however long it is. */
export const BASE_36 = { pattern: /^[0-9a-z]+$/, what: 'String in base-36 format', lowercase: true };
/** Ids of users, posts, cards and media. */
export const DECIMAL = { pattern: /^[0-9]+$/, what: 'Long' };

/** An id that nobody has is not refused for its length. */
const idLike = (matching: TextRules['matching']) => text({ min: 1, max: Infinity, matching });

/** The id of one ads entity. */
export const Id = (rules: FieldRules = {}) =>
  Field(idLike(BASE_36), rules, { type: String, pattern: BASE_36.pattern.source });

/** The id of one user, post, card or medium. */
export const DecimalId = (rules: FieldRules = {}) =>
  Field(idLike(DECIMAL), rules, { type: String, pattern: DECIMAL.pattern.source });

/** How the document shows a list. */
export const listOf = (items: SchemaObject, { min, max }: SeveralRules = {}): ApiPropertyOptions => ({
  type: 'array',
  items,
  ...(min !== undefined && { minItems: min }),
  ...(max !== undefined && { maxItems: max }),
  description: 'Comma-separated.',
});

/** How the document shows a closed set; one that `closedSet` made is shown once, under its name. */
export const enumSchema = (allowed: readonly string[]) => {
  const name = nameOfSet(allowed);
  return { type: 'string' as const, enum: [...allowed], ...(name && { [SET_NAME]: name }) };
};

/** Up to 200 ids, comma-separated or as a repeated key. */
export const Ids = (
  { decimal, max, ...rules }: FieldRules & SeveralRules & { decimal?: boolean } = { optional: true },
) => {
  const matching = decimal ? DECIMAL : BASE_36;
  const items = { type: 'string' as const, pattern: matching.pattern.source };
  return Field(several(idLike(matching), { max }), rules, listOf(items, { min: 1, max: max ?? 200 }));
};

/** A comma-separated list of values from a closed set. */
export const EnumList = (
  allowed: readonly string[],
  { min, max, distinct, ...rules }: FieldRules & SeveralRules = {},
) => Field(several(oneOf(allowed), { min, max, distinct }), rules, listOf(enumSchema(allowed), { min: min ?? 1, max }));

/** A whole number within bounds. */
export const Int = ({ min, max, ...rules }: { min: number; max: number } & FieldRules) =>
  Field(whole(min, max), rules, { type: 'integer', minimum: min, maximum: max });

/** Money in micro-units, above zero. */
export const micro = whole(1, Number.MAX_SAFE_INTEGER, { what: 'Long', hint: inMicroUnits });

/** Money in micro-units of the currency, above zero. */
export const Micro = (rules: FieldRules = {}) =>
  Field(micro, rules, {
    type: 'integer',
    format: 'int64',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    example: 5_500_000,
    description: 'In micro-units of the currency, a million to the unit.',
  });

/** An amount as people write it: with a currency beside it, with a point or a comma before its decimals. */
const AMOUNT = /^(?:(?:[A-Za-z]{3}|\p{Sc})\s*)?(\d{1,9})(?:[.,](\d{1,6}))?(?:\s*(?:[A-Za-z]{3}|\p{Sc}))?$/u;

function inMicroUnits(given: unknown, name: string): string | undefined {
  const written = textOf(given);
  if (written === undefined) return undefined;
  const [, units, decimals = ''] = (written.length <= 32 && AMOUNT.exec(written.trim())) || [];
  const amount = units !== undefined && Number(units) * 1_000_000 + Number(decimals.padEnd(6, '0'));
  if (!amount) return undefined;
  // "1,000" is a thousand to some and one to others.
  const isPlain = !(decimals.length === 3 && written.includes(','));
  return `${name} is in micro-units of the currency, a million to the unit${isPlain ? `: for ${shown(given)} send ${amount}` : ''}.`;
}

/** true or false, in any of the spellings that clients use. */
export const bool: Kind = { convert: toBoolean, constraints: (each) => [IsBoolean({ each })] };

/** true or false. */
export const Bool = (rules: FieldRules = { optional: true }) => Field(bool, rules, { type: Boolean });

/** One of a closed set; see oneOf for those that are `tolerated`. */
export const OneOf = (
  allowed: readonly string[],
  { tolerated, ...rules }: FieldRules & { tolerated?: readonly string[] } = {},
) => Field(oneOf(allowed, tolerated), rules, enumSchema(allowed));

/** A moment; see toTime for what is taken. `exact` keeps the fraction of a second. */
export const time = (exact = false): Kind => ({
  convert: toTime(exact),
  constraints: (each) => [IsISO8601({ strict: true }, { each })],
});

/** The same as a parameter. */
export const Timestamp = ({ exact, ...rules }: FieldRules & { exact?: boolean } = {}) =>
  Field(time(exact), rules, {
    type: String,
    format: 'date-time',
    example: '2026-10-01T00:00:00Z',
    description: 'ISO 8601, with Z or an offset.',
  });
