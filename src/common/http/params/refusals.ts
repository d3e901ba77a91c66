import type { Type } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { truncate, type ApiError } from '../../errors/api-error.js';
import { invalid, missing } from '../../errors/catalogue.js';
import { propertiesOf, type Constraint, type Property } from './compiled-validation.js';
import { codePointLength, type ConstraintContext } from './constraints.js';
import { looksLikeTime } from './conversions.js';
import { declaredFields, declaredRules } from './dto-metadata.js';
import { spellingHint } from '../hints/nearest.js';
import { countOf } from '../../text/nouns.js';

/**
 * An unreadable value of a parameter that is ignored in some cases: the rules for these cases drop it or throw its
 * error. It is not echoed.
 */
export class UnreadableValue {
  constructor(readonly problems: ApiError[]) {}
}

/** The values of a query or form key that was repeated with different values, where one is allowed. */
export class RepeatedValues {
  constructor(private readonly sent: readonly unknown[]) {}

  refusal(name: string): ApiError {
    const values = [...new Set(this.sent)];
    const times = this.sent.length === 2 ? 'twice' : `${this.sent.length} times`;
    const some = values.slice(0, 5).map(quotedValue).join(', ');
    const more = values.length > 5 ? ' and others' : '';
    return invalid(name, `${name} was sent ${times} with different values: ${some}${more}`, { value: this.sent });
  }
}

/** The format of type errors: the expected type, the received value, and its place. */
export const expectedError = (what: string, given: unknown, name: string, details?: string): ApiError =>
  invalid(name, `Expected ${what}, got ${quotedValue(given)} for ${name}`, {
    ...(details && { details }),
    value: given,
  });

/** A given value as a message quotes it, truncated when it is long. */
export function quotedValue(given: unknown): string {
  const text = typeof given === 'string' ? `"${given}"` : (JSON.stringify(given) ?? String(given));
  return truncate(text, 120);
}

/** The error for a JSON value that is not a string. Numbers are rejected too: long ones lose digits in parsing. */
export function notAString(given: unknown, name: string): ApiError {
  const refused = expectedError('String', given, name);
  return typeof given === 'object' ? refused : refused.hinted(`${name} is a string: put it in quotation marks.`);
}

function lengthWords(min: number, max: number): string {
  if (max === Infinity) return `String of at least ${countOf(min, 'character')}`;
  return min > 0 ? `String of ${min} to ${max} characters` : `String of at most ${max} characters`;
}

/** A failed constraint. */
interface Failure {
  place: string;
  /** The received value; for a list, that of the element. */
  given: unknown;
  /** The whole received value. */
  whole: unknown;
  /** The converted value. */
  value: unknown;
  /** The arguments of the constraint. */
  args: never[];
  said: ConstraintContext;
}

/** The error of each constraint. When several fail, the first one here is reported. */
const CATALOGUE: Record<string, (failure: Failure) => ApiError> = {
  isArray: ({ given, place }) => expectedError('an array', given, place),
  noEmptyElement: ({ whole, place }) => expectedError('a list without empty elements', whole, place),
  isString: ({ given, place }) => notAString(given, place),
  isStorable: ({ place }) =>
    invalid(place, `${place} contains characters that cannot be stored`, { details: 'NUL or half a surrogate pair' }),
  codePoints: ({ args: [min, max], value, place }) =>
    expectedError(lengthWords(min, max), value, place, `${codePointLength(value as string)} characters`),
  isVisible: ({ value, place }) => expectedError('a text with visible characters', value, place),
  matches: ({ value, place, said }) => expectedError(said.what!, value, place),
  isInt: ({ given, place, said }) => expectedError(said.what ?? 'Integer', given, place),
  min: outOfBounds,
  max: outOfBounds,
  isBoolean: ({ given, place }) => expectedError('Boolean', given, place, 'true or false'),
  isIso8601: ({ given, place }) =>
    expectedError(
      'time',
      given,
      place,
      looksLikeTime(given) ? 'invalid date' : 'ISO 8601, such as 2026-01-31T08:00:00Z',
    ),
  isIn: ({ given, value, place, args: [taken], said: { offered = taken } }) => {
    const word = typeof value === 'string' ? value : given;
    return expectedError(`a value in ${(offered as string[]).join(', ')}`, word, place).hinted(() =>
      spellingHint(word, offered),
    );
  },
  arrayMaxSize: ({ value, place, args: [max] }) =>
    invalid(place, `A maximum of ${max as number} items can be provided for ${place}`, {
      details: `${(value as unknown[]).length} were given`,
    }),
  arrayMinSize: ({ given, place, said, args: [min] }) =>
    invalid(place, `A minimum of ${min as number} items must be provided for ${place}`, {
      ...(said.hasPlaces && { value: given }),
    }),
};

function outOfBounds({ given, place, said: { between } }: Failure): ApiError {
  return expectedError(`a value between ${between![0]} and ${between![1]}`, given, place);
}

const RANKS = new Map(Object.keys(CATALOGUE).map((name, rank) => [name, rank]));
const rankOf = ({ name }: Constraint) => RANKS.get(name) ?? Infinity;

/** The errors for the first failed constraint of a property; for a list, of its first invalid element or of each. */
function constraintProblems(property: Property, error: ValidationError, whole: unknown, place: string): ApiError[] {
  const value: unknown = error.value;
  const constraints = error.constraints ?? {};
  const failed = property.constraints.filter(({ name }) => name in constraints).sort((a, b) => rankOf(a) - rankOf(b));
  const hasPlaces = property.constraints.some(({ said }) => said.hasPlaces);
  const ofElements = Array.isArray(value) ? failed.filter(({ each }) => each) : [];
  if (ofElements.length === 0 || (hasPlaces && !failed[0].each))
    return toErrors(failed[0], { given: whole, value, whole, place });
  const problems = (value as unknown[]).flatMap((element, i) => {
    const first = ofElements.find(({ validator, args }) => !validator.validate(element, args));
    const own = hasPlaces ? `${place}[${i}]` : place;
    return first ? toErrors(first, { given: element, value: element, whole, place: own }) : [];
  });
  return hasPlaces ? problems : problems.slice(0, 1);
}

function toErrors({ name, args, said }: Constraint, failure: Omit<Failure, 'args' | 'said'>): ApiError[] {
  const { given, place, value } = failure;
  if (said.error) return [said.error(given, place, value)].flat();
  const details = typeof said.details === 'function' ? said.details(given) : said.details;
  const told = (CATALOGUE[name] ?? (() => expectedError(said.what!, given, place, details)))({
    ...failure,
    args: args.constraints as never[],
    said,
  });
  return [said.hint ? told.hinted(() => said.hint!(given, place)) : told];
}

/** The errors of one parameter, or those between several. */
export interface ParameterErrors {
  /** The parameter; undefined for errors between several. */
  name?: string;
  problems: ApiError[];
}

type Placed = (name: string) => string;

/** Converts class-validator's errors: those of parameters in their order, then those between them. */
export function parameterErrorsOf(
  kind: Type<object>,
  found: readonly ValidationError[],
  given: Record<string, unknown>,
  at: Placed = (name) => name,
): ParameterErrors[] {
  const byProperty = new Map(found.map((error) => [error.property, error]));
  const prototype = kind.prototype as object;
  const refusals: ParameterErrors[] = [];
  for (const { name } of declaredFields(prototype)) {
    const error = byProperty.get(name);
    if (error)
      refusals.push({
        name,
        problems: problemsOf(
          propertiesOf(kind).get(name)!,
          error,
          Object.hasOwn(given, name) ? given[name] : undefined,
          at(name),
        ),
      });
  }
  for (const { name, check } of declaredRules(prototype)) {
    const error = byProperty.get(name);
    if (error) refusals.push({ problems: [check(error.target as never, at) ?? []].flat() });
  }
  return refusals;
}

function problemsOf(property: Property, error: ValidationError, given: unknown, place: string): ApiError[] {
  if (given === undefined) return [missing(place)];
  if (given instanceof RepeatedValues) return [given.refusal(place)];
  if (error.constraints && Object.keys(error.constraints).length > 0)
    return constraintProblems(property, error, given, place);
  return nestedProblems(error, given, place);
}

/** Creates the error of a nested value, other than a failed constraint of its fields. */
export type NestedProblem = (place: string, given: unknown) => ApiError;

function nestedProblems({ value, children = [] }: ValidationError, given: unknown, place: string): ApiError[] {
  if (Array.isArray(value))
    return children.flatMap((child) =>
      nestedProblems(child, (given as unknown[])[Number(child.property)], `${place}[${child.property}]`),
    );
  const { problem } = value as { problem?: NestedProblem };
  if (typeof problem === 'function') return [problem(place, given)];
  const kind = (value as object).constructor as Type<object>;
  return parameterErrorsOf(kind, children, given as Record<string, unknown>, (name) => `${place}.${name}`).flatMap(
    ({ problems }) => problems,
  );
}
