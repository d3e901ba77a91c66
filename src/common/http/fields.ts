import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import { InvalidValue } from './invalid-value.js';
import {
  BASE_36,
  DECIMAL,
  readFlag,
  readOneOf,
  readSeveral,
  readText,
  readTime,
  readWhole,
  type Reader,
  type SeveralRules,
  type TextRules,
} from './readers.js';

export interface FieldRules {
  /** May be left out. */
  optional?: boolean;
  /** May be left out, and an empty value (in JSON also null) unsets it: Part 1, 2.1 and decisions on PUT. */
  unsettable?: boolean;
  /** What Swagger says of it. */
  about?: string;
}

interface Field {
  name: string;
  read: Reader;
  required: boolean;
}

const FIELDS = Symbol('fields');

/** The fields a DTO declares, those of its parents first. */
export function fieldsOf(prototype: object): Map<string, Field> {
  const own = Object.prototype.hasOwnProperty.call(prototype, FIELDS);
  const known = (prototype as { [FIELDS]?: Map<string, Field> })[FIELDS];
  if (own && known) return known;
  const fields = new Map(known);
  Object.defineProperty(prototype, FIELDS, { value: fields, configurable: true });
  return fields;
}

/** One decorator per kind of parameter: how it is read, what is wrong with it, and what Swagger shows. */
function field(
  read: Reader,
  { optional, unsettable, about }: FieldRules,
  swagger: ApiPropertyOptions,
): PropertyDecorator {
  const required = !optional && !unsettable;
  const { description: kind, ...schema } = swagger;
  const description = [about, kind].filter(Boolean).join('; ');
  const reader: Reader = unsettable
    ? (given, name) => (given === '' || given === null ? null : read(given, name))
    : read;
  return applyDecorators(
    (prototype: object, name: string | symbol) => {
      fieldsOf(prototype).set(String(name), { name: String(name), read: reader, required });
    },
    Transform(({ value, key }) => (value === undefined ? undefined : reader(value, key)), { toClassOnly: true }),
    ValidateBy({
      name: 'readable',
      validator: { validate: (value) => value !== undefined && !(value instanceof InvalidValue) },
    }),
    ...(required ? [] : [IsOptional()]),
    ApiProperty({
      ...schema,
      required,
      ...(description && { description }),
      ...(unsettable && { nullable: true }),
    } as ApiPropertyOptions),
  );
}

/** A text; lengths count code points. */
export const Text = ({ min, max, trimmed, matching, ...rules }: TextRules & FieldRules = {}) =>
  field(readText({ min, max, trimmed, matching }), rules, { type: String, minLength: min, maxLength: max });

/** An id that nobody has is not refused for its length. */
const ANY_LENGTH = { min: 1, max: Infinity };

/** The id of one ads entity. */
export const Id = (rules: FieldRules = {}) =>
  field(readText({ ...ANY_LENGTH, matching: BASE_36 }), rules, { type: String, example: '0abc123def456' });

/** The id of one user, post, card or medium. */
export const DecimalId = (rules: FieldRules = {}) =>
  field(readText({ ...ANY_LENGTH, matching: DECIMAL }), rules, { type: String, example: '756201191646691328' });

/** Part 1, 2.1 (9): up to 200 ids, comma-separated or as a repeated key. */
export const Ids = (
  { decimal, max, ...rules }: FieldRules & SeveralRules & { decimal?: boolean } = { optional: true },
) =>
  field(readSeveral(readText({ ...ANY_LENGTH, matching: decimal ? DECIMAL : BASE_36 }), { max }), rules, {
    type: String,
    description: `up to ${max ?? 200} ids, comma-separated`,
  });

/** A comma-separated list of values from a closed set. */
export const Several = <T extends string>(
  allowed: readonly T[],
  { min, max, distinct, ...rules }: FieldRules & SeveralRules = {},
) =>
  field(readSeveral(readOneOf(allowed), { min, max, distinct }), rules, {
    type: String,
    description: `comma-separated; any of ${allowed.join(', ')}`,
  });

/** A whole number within bounds. */
export const Whole = ({ min, max, ...rules }: { min: number; max: number } & FieldRules) =>
  field(readWhole({ min, max }), rules, { type: 'integer', minimum: min, maximum: max });

/** Money in micro-units of the currency (Part 1, 2.1 (10)), above zero. */
export const Micro = (rules: FieldRules = {}) =>
  field(readWhole({ min: 1, max: Number.MAX_SAFE_INTEGER, what: 'Long' }), rules, {
    type: 'integer',
    format: 'int64',
    minimum: 1,
    example: 5_500_000,
    description: 'in micro-units of the currency, a million to the unit',
  });

/** true or false, in any of the spellings that clients use. */
export const Flag = (rules: FieldRules = { optional: true }) => field(readFlag, rules, { type: Boolean });

/** One of a closed set. */
export const OneOf = <T extends string>(allowed: readonly T[], rules: FieldRules = {}) =>
  field(readOneOf(allowed), rules, { enum: [...allowed], type: String });

/** A moment; see readTime for what is taken. */
export const Timestamp = (rules: FieldRules = {}) =>
  field(readTime, rules, { type: String, format: 'date-time', description: 'ISO 8601, such as 2026-01-31T08:00:00Z' });

/** A parameter with a reader of its own. */
export const Read = (reader: Reader, rules: FieldRules, swagger: ApiPropertyOptions) => field(reader, rules, swagger);
