import type { ApiError } from '../errors/api-error.js';
import { missing } from '../errors/catalogue.js';
import { expected, InvalidParts, InvalidValue } from './invalid-value.js';
import { readOneOf, type Reader } from './readers.js';

/**
 * Readers of what JSON bodies have inside of parameters. Every fault is told with its place, such as
 * `slides[2][1].destination.url`; lists are bounded, so that what is read and told is bounded, too.
 */

/** How many parts a list has. */
export interface Bounds {
  min: number;
  max: number;
}

/** A member of an object. */
export interface Member<T = unknown> {
  read: Reader<T>;
  /** May be left out; null and the empty text are as if it was. */
  optional?: boolean;
}

/** Something that has to hold between members of an object; it is asked where none of those it needs is faulty. */
export interface MembersRule<T> {
  needs: readonly (keyof T & string)[];
  check: (members: Partial<T>, name: string) => ApiError[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/** An object with these members; others are ignored, as unknown parameters are. */
export function readObject<T extends object>(
  members: { [K in keyof T & string]-?: Member<T[K]> },
  ...rules: MembersRule<T>[]
): Reader<T> {
  const list = Object.entries<Member>(members);
  return (given, name) => {
    if (!isObject(given)) return expected('an object', given, name);
    const value: Record<string, unknown> = {};
    const errors: ApiError[] = [];
    const faulty = new Set<string>();
    for (const [key, { read, optional }] of list) {
      const own = Object.hasOwn(given, key) ? given[key] : undefined;
      if (optional && isEmpty(own)) continue;
      const place = `${name}.${key}`;
      const part = own === undefined ? undefined : read(own, place);
      if (part !== undefined && !(part instanceof InvalidValue)) {
        value[key] = part;
        continue;
      }
      faulty.add(key);
      errors.push(...(part?.toErrors(place) ?? [missing(place)]));
    }
    for (const { needs, check } of rules) {
      if (!needs.some((key) => faulty.has(key))) errors.push(...check(value as Partial<T>, name));
    }
    return errors.length > 0 ? new InvalidParts(errors) : (value as T);
  };
}

/** An object whose `type` says how the rest of it is read. */
export function readKinds<T extends { type: string }>(kinds: {
  [Type in T['type']]: Reader<Omit<Extract<T, { type: Type }>, 'type'>>;
}): Reader<T> {
  const readers = kinds as Record<string, Reader<object>>;
  const readType = readOneOf(Object.keys(readers));
  return (given, name) => {
    if (!isObject(given)) return expected('an object', given, name);
    const place = `${name}.type`;
    const own = Object.hasOwn(given, 'type') ? given.type : undefined;
    if (own === undefined) return new InvalidParts([missing(place)]);
    const type = readType(own, place);
    if (type instanceof InvalidValue) return new InvalidParts(type.toErrors(place));
    const rest = readers[type](given, name);
    return rest instanceof InvalidValue ? rest : ({ type, ...rest } as unknown as T);
  };
}

/** An array whose elements are all read alike. */
export function readList<T>(element: Reader<T>, { min, max }: Bounds): Reader<T[]> {
  return (given, name) => {
    if (!Array.isArray(given)) return expected('an array', given, name);
    if (given.length > max) return tooMany(given, name, max);
    if (given.length < min) return new InvalidValue(`A minimum of ${min} items must be provided for ${name}`, given);
    return inPlaces(given, name, () => element);
  };
}

/** An array with one element for each of these readers, in their order. */
export function readTuple<T>(elements: readonly { read: Reader<T>; what: string }[]): Reader<T[]> {
  return (given, name) => {
    if (!Array.isArray(given)) return expected('an array', given, name);
    if (given.length > elements.length) return tooMany(given, name, elements.length);
    const errors = elements.slice(given.length).map(({ what }, i) => missing(`${name}[${given.length + i}]`, what));
    const read = inPlaces(given, name, (at) => elements[at].read);
    if (read instanceof InvalidParts) return new InvalidParts([...read.toErrors(), ...errors]);
    return errors.length > 0 ? new InvalidParts(errors) : read;
  };
}

const tooMany = (given: unknown[], name: string, max: number) =>
  new InvalidValue(`A maximum of ${max} items can be provided for ${name}`, undefined, `${given.length} were given`);

function inPlaces<T>(given: unknown[], name: string, readerAt: (at: number) => Reader<T>): T[] | InvalidParts {
  const values: T[] = [];
  const errors: ApiError[] = [];
  for (const [at, each] of given.entries()) {
    const place = `${name}[${at}]`;
    const value = readerAt(at)(each, place);
    if (value instanceof InvalidValue) errors.push(...value.toErrors(place));
    else values.push(value);
  }
  return errors.length > 0 ? new InvalidParts(errors) : values;
}
