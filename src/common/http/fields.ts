import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, type SchemaObject } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import { nameOfSet } from '../closed-set.js';
import { declareField } from './dto-metadata.js';
import { InvalidValue, UnreadValue } from './invalid-value.js';
import {
  BASE_36,
  DECIMAL,
  readExactTime,
  readFlag,
  readMicro,
  readOneOf,
  readSeveral,
  readText,
  readTime,
  readWhole,
  type Reader,
  type SeveralRules,
  type TextRules,
} from './readers.js';

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

/**
 * One decorator per kind of parameter: how it is read, what is wrong with it, and what the document shows. What the parameter
 * is stands in its doc comment; a `description` here says how a value of its kind is written.
 */
function field(
  read: Reader,
  { optional, nullable, absentIfEmpty = false, ignorable, example, unique, default: otherwise }: FieldRules,
  swagger: ApiPropertyOptions,
): PropertyDecorator {
  const required = !optional && !nullable && !absentIfEmpty;
  const takesEmpty = nullable || absentIfEmpty;
  const kept: Reader = takesEmpty ? (given, name) => (given === '' || given === null ? null : read(given, name)) : read;
  const reader: Reader = ignorable
    ? (given, name) => {
        const value = kept(given, name);
        return value instanceof InvalidValue ? new UnreadValue(value) : value;
      }
    : kept;
  return applyDecorators(
    (prototype: object, name: string | symbol) => {
      const several = read.several ?? false;
      declareField(prototype, { name: String(name), read: reader, required, several, absentIfEmpty });
    },
    Transform(({ value, key }) => (value === undefined ? undefined : reader(value, key)), { toClassOnly: true }),
    ValidateBy({
      name: 'readable',
      validator: { validate: (value) => value !== undefined && !(value instanceof InvalidValue) },
    }),
    ...(required ? [] : [IsOptional()]),
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

/** A text; lengths count code points. It is not empty, unless `min` says that it may be. */
export const Text = ({ min = 1, max, visible, trimmed, orNumber, matching, ...rules }: TextRules & FieldRules = {}) =>
  field(readText({ min, max, visible, trimmed, orNumber, matching }), rules, {
    type: String,
    ...(!rules.nullable && { minLength: min }),
    maxLength: max,
  });

/** An id that nobody has is not refused for its length. */
const ANY_LENGTH = { min: 1, max: Infinity };

/** The id of one ads entity. */
export const Id = (rules: FieldRules = {}) =>
  field(readText({ ...ANY_LENGTH, matching: BASE_36 }), rules, { type: String, pattern: BASE_36.pattern.source });

/** The id of one user, post, card or medium. */
export const DecimalId = (rules: FieldRules = {}) =>
  field(readText({ ...ANY_LENGTH, matching: DECIMAL }), rules, { type: String, pattern: DECIMAL.pattern.source });

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
) =>
  field(
    readSeveral(readText({ ...ANY_LENGTH, matching: decimal ? DECIMAL : BASE_36 }), { max }),
    rules,
    listOf({ type: 'string', pattern: (decimal ? DECIMAL : BASE_36).pattern.source }, { min: 1, max: max ?? 200 }),
  );

/** A comma-separated list of values from a closed set. */
export const EnumList = <T extends string>(
  allowed: readonly T[],
  { min, max, distinct, ...rules }: FieldRules & SeveralRules = {},
) =>
  field(
    readSeveral(readOneOf(allowed), { min, max, distinct }),
    rules,
    listOf(enumSchema(allowed), { min: min ?? 1, max }),
  );

/** A whole number within bounds. */
export const Int = ({ min, max, ...rules }: { min: number; max: number } & FieldRules) =>
  field(readWhole({ min, max }), rules, { type: 'integer', minimum: min, maximum: max });

/** Money in micro-units of the currency, above zero. */
export const Micro = (rules: FieldRules = {}) =>
  field(readMicro, rules, {
    type: 'integer',
    format: 'int64',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    example: 5_500_000,
    description: 'In micro-units of the currency, a million to the unit.',
  });

/** true or false, in any of the spellings that clients use. */
export const Bool = (rules: FieldRules = { optional: true }) => field(readFlag, rules, { type: Boolean });

/** One of a closed set. `tolerated` values are taken too, and offered nowhere: see readOneOf. */
export const OneOf = <T extends string>(
  allowed: readonly T[],
  { tolerated, ...rules }: FieldRules & { tolerated?: readonly T[] } = {},
) => field(readOneOf(allowed, tolerated), rules, enumSchema(allowed));

/** A moment; see readTime for what is taken. `exact` keeps the fraction of a second. */
export const Timestamp = ({ exact = false, ...rules }: FieldRules & { exact?: boolean } = {}) =>
  field(exact ? readExactTime : readTime, rules, {
    type: String,
    format: 'date-time',
    example: '2026-10-01T00:00:00Z',
    description: 'ISO 8601, with Z or an offset.',
  });

/** A parameter with a reader of its own. */
export const Read = (reader: Reader, rules: FieldRules, swagger: ApiPropertyOptions) => field(reader, rules, swagger);
