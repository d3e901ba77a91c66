import type { Type } from '@nestjs/common';
import { IsDefined, ValidateNested } from 'class-validator';
import type { ApiError } from '../../errors/api-error.js';
import { invalid, missing } from '../../errors/catalogue.js';
import { instantiate } from './compiled-validation.js';
import { Expect } from './constraints.js';
import { fieldsOf } from './dto-metadata.js';
import { Field, oneOf, type Kind } from './fields.js';
import { expected, type Problem } from './refusals.js';

/**
 * What JSON bodies have inside of parameters: objects of classes with fields of their own, and lists of these. Every fault is
 * told with its place, such as `slides[2][1].destination.url`; lists are bounded, so that what is read and told is bounded, too.
 */

/** Stands where something else is than what is expected, which no constraint of a class could tell. */
export class Misfit {
  @Expect('something else', () => false)
  readonly problem: Problem;

  constructor(problem: Problem) {
    this.problem = problem;
  }
}

/** Makes an instance, or a list of these, of what was sent; or a Misfit. */
export type Part = (given: unknown) => object;

/** How many parts a list has. */
export interface Bounds {
  min: number;
  max: number;
}

/** A parameter, or a member of an object, that has parts. */
export const nested = (part: Part): Kind => ({
  convert: (given) => (given === undefined ? undefined : part(given)),
  constraints: () => [IsDefined(), ValidateNested()],
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const own = (given: object, name: string): unknown =>
  Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined;

/** An object of a class; members that the class does not have are ignored, as unknown parameters are. */
export const part =
  (kind: Type<object>): Part =>
  (given) =>
    isObject(given)
      ? instantiate(
          kind,
          Object.fromEntries(fieldsOf(kind.prototype as object).map(({ name }) => [name, own(given, name)])),
        )
      : new Misfit((place, sent) => expected('an object', sent, place));

/** An object whose `type` says which of these classes it is of. */
export function partByType(kinds: Record<string, Type<object>>): Part {
  class Untyped {
    @Field(oneOf(Object.keys(kinds))) type: string;
  }
  return (given) => {
    const type = isObject(given) ? own(given, 'type') : undefined;
    return part(typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : Untyped)(given);
  };
}

const notAnArray = new Misfit((place, sent) => expected('an array', sent, place));

const tooMany = (max: number) =>
  new Misfit((place, sent) =>
    invalid(place, `A maximum of ${max} items can be provided for ${place}`, {
      details: `${(sent as unknown[]).length} were given`,
    }),
  );

const tooFew = (min: number) =>
  new Misfit((place, sent) =>
    invalid(place, `A minimum of ${min} items must be provided for ${place}`, { value: sent }),
  );

/** An array whose elements are all alike. */
export const partList =
  (element: Part, { min, max }: Bounds): Part =>
  (given) => {
    if (!Array.isArray(given)) return notAnArray;
    if (given.length > max) return tooMany(max);
    return given.length < min ? tooFew(min) : given.map(element);
  };

/** An array with one element for each of these, in their order. */
export const partTuple =
  (...elements: { part: Part; what: string }[]): Part =>
  (given) => {
    if (!Array.isArray(given)) return notAnArray;
    if (given.length > elements.length) return tooMany(elements.length);
    return elements.map((element, i) =>
      i < given.length ? element.part(given[i]) : new Misfit((place) => missing(place, element.what)),
    );
  };

/** A member that is not allowed to be there, and why. */
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
