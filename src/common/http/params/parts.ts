import type { Type } from '@nestjs/common';
import { IsDefined, ValidateNested } from 'class-validator';
import type { ApiError } from '../../errors/api-error.js';
import { invalid, missing } from '../../errors/catalogue.js';
import { isObject } from '../../values/is-object.js';
import { instantiate } from './compiled-validation.js';
import { Expect } from './constraints.js';
import { declaredFields } from './dto-metadata.js';
import { Field, oneOf, type Kind } from './fields.js';
import { expectedError, type NestedProblem } from './refusals.js';

/**
 * Nested values of parameters in JSON bodies: objects of classes with their own fields, and lists of these. Every error
 * has its place, such as `slides[2][1].destination.url`. Lists are bounded, so that reading and reporting are bounded,
 * too.
 */

/** Replaces a value of an unexpected type, which constraints of a class could not report. */
export class ValidationProblem {
  @Expect('something else', () => false)
  readonly problem: NestedProblem;

  constructor(problem: NestedProblem) {
    this.problem = problem;
  }
}

/** Creates an instance, or a list of instances, from the sent value; or a Misfit. */
export type Part = (given: unknown) => object;

/** Minimum and maximum length of a list. */
export interface ListBounds {
  min: number;
  max: number;
}

/** A parameter or object member with nested values. */
export const nested = (part: Part): Kind => ({
  convert: (given) => (given === undefined ? undefined : part(given)),
  constraints: () => [IsDefined(), ValidateNested()],
});

const own = (given: object, name: string): unknown =>
  Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined;

const kinds = new WeakMap<object, Type<object>>();

/** The class as which a nested value was read; undefined for what is no object of one. */
export const kindOfPart = (given: object): Type<object> | undefined => kinds.get(given);

/** An object of a class; unknown members are ignored, as unknown parameters are. */
export const part =
  (kind: Type<object>): Part =>
  (given) => {
    if (!isObject(given)) return new ValidationProblem((place, sent) => expectedError('an object', sent, place));
    kinds.set(given, kind);
    return instantiate(
      kind,
      Object.fromEntries(declaredFields(kind.prototype as object).map(({ name }) => [name, own(given, name)])),
    );
  };

/** An object whose `type` selects one of these classes. */
export function partByType(kinds: Record<string, Type<object>>): Part {
  class Untyped {
    @Field(oneOf(Object.keys(kinds))) type: string;
  }
  return (given) => {
    const type = isObject(given) ? own(given, 'type') : undefined;
    return part(typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : Untyped)(given);
  };
}

const notAnArray = new ValidationProblem((place, sent) => expectedError('an array', sent, place));

const tooMany = (max: number) =>
  new ValidationProblem((place, sent) =>
    invalid(place, `A maximum of ${max} items can be provided for ${place}`, {
      details: `${(sent as unknown[]).length} were given`,
    }),
  );

const tooFew = (min: number) =>
  new ValidationProblem((place, sent) =>
    invalid(place, `A minimum of ${min} items must be provided for ${place}`, { value: sent }),
  );

/** An array of elements of the same kind. */
export const partList =
  (element: Part, { min, max }: ListBounds): Part =>
  (given) => {
    if (!Array.isArray(given)) return notAnArray;
    if (given.length > max) return tooMany(max);
    return given.length < min ? tooFew(min) : given.map(element);
  };

/** An array with one element for each of these, in order. */
export const partTuple =
  (...elements: { part: Part; what: string }[]): Part =>
  (given) => {
    if (!Array.isArray(given)) return notAnArray;
    if (given.length > elements.length) return tooMany(elements.length);
    return elements.map((element, i) =>
      i < given.length ? element.part(given[i]) : new ValidationProblem((place) => missing(place, element.what)),
    );
  };

/** A member that is not allowed, with the reason. */
export const Forbidden = (details: string) =>
  Field(
    {
      constraints: () => [
        Expect('nothing', () => false, {
          error: (_, place): ApiError => invalid(place, `setting ${place} is not allowed`, { details }),
        }),
      ],
    },
    { absentIfEmpty: true },
  );
