import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, missing } from '../../common/errors/catalogue.js';
import { Expect } from '../../common/http/params/constraints.js';
import type { Kind } from '../../common/http/params/fields.js';
import { spellingHint } from '../../common/http/hints/nearest.js';
import { expectedError } from '../../common/http/params/refusals.js';
import { inSlices } from '../../common/concurrency/in-slices.js';
import { isObject } from '../../common/values/is-object.js';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../entities/audience-identifier.entity.js';
import { hashedKey, identifierKeyOf, type IdentifierKey } from './identifiers.js';

/** Maximum number of identifiers of a person; no real person has as many devices and addresses. */
export const MAX_IDENTIFIERS = 100;
/** Maximum length of an unhashed identifier. */
export const MAX_PLAIN_LENGTH = 512;
/** Maximum number of reported errors per operation. With more errors the client hashes incorrectly throughout. */
const MAX_REPORTED = 20;

/** The only identifier that clients send unhashed. */
const PLAIN_KIND = IDENTIFIER_KINDS.indexOf('partner_user_id');
const SHA_256 = /^[0-9a-f]{64}$/;
const ANY_CASE = /^[0-9A-Fa-f]{64}$/;

/** The identifiers of each person in an operation, in the order sent. */
export type ReadPeople = readonly (readonly IdentifierKey[])[];

/** The errors in the people of an operation. */
class Faults {
  constructor(readonly errors: ApiError[]) {}
}

/**
 * Reads `users` with the accepted identifier kinds. A request calls it for thousands of operations, so valid input is
 * cheap and errors are limited in number.
 */
export const readUsersOf = (kinds: readonly IdentifierKind[] = IDENTIFIER_KINDS): Kind => {
  const places = kinds.map((name) => ({ name, kind: IDENTIFIER_KINDS.indexOf(name) }));
  const nobody = `one of ${kinds.join(', ')} must contain at least one identifier`;
  const readUser: EachReader<IdentifierKey[]> = (user, place) => {
    if (!isObject(user)) return new Faults([expectedError('an object', user, place())]);
    const keys: IdentifierKey[] = [];
    const errors: ApiError[] = [];
    for (const { name, kind } of places) {
      const values = user[name];
      if (values === undefined || values === null || values === '') continue;
      errors.push(...readKeys(kind, values, keys, () => `${place()}.${name}`));
    }
    if (errors.length > 0) return new Faults(errors);
    if (keys.length === 0) {
      const sent = Object.keys(user).slice(0, MAX_REPORTED);
      const hint = () => sent.map((name) => spellingHint(name, kinds)).find((each) => each !== undefined);
      return new Faults([missing(place(), nobody).hinted(hint)]);
    }
    if (keys.length <= MAX_IDENTIFIERS) return keys;
    const problem = `A maximum of ${MAX_IDENTIFIERS} identifiers can be provided for ${place()}`;
    return new Faults([invalid(place(), problem)]);
  };
  return people(readUser);
};

/** Reads people identified by one hash of a kind: a list of hashes. */
export const hashesOf = (kind: IdentifierKind): Kind => {
  const place = IDENTIFIER_KINDS.indexOf(kind);
  return people((hash, at) => {
    const key = keyIn(place, hash, at);
    return typeof key === 'string' ? [key] : new Faults([key]);
  });
};

/** Lists up to this length are read at once. */
const SHORT = 16;

/** Reads a list of people with `read`; reads a long list ahead in slices. */
function people(read: EachReader<IdentifierKey[]>): Kind {
  const prepared = new WeakMap<object, ReadPeople | Faults>();
  const convert = (given: unknown, name = ''): ReadPeople | Faults => {
    if (!Array.isArray(given)) return new Faults([expectedError('an array', given, name)]);
    if (given.length === 0) return new Faults([missing(name, 'at least one user is required')]);
    const known = prepared.get(given);
    if (known) return known;
    const reading = new EachReading(name, read);
    for (let at = 0; at < given.length && !reading.isOver; at++) reading.take(at, given[at]);
    return reading.result();
  };
  const prepare = async (given: unknown, name: string) => {
    if (!Array.isArray(given) || given.length <= SHORT) return;
    const reading = new EachReading(name, read);
    await inSlices(given.entries(), ([at, each]) => {
      if (!reading.isOver) reading.take(at, each);
    });
    prepared.set(given, reading.result());
  };
  const isRead = Expect('people', Array.isArray, { error: (_given, _place, faults) => (faults as Faults).errors });
  return { convert, constraints: () => [isRead], prepare };
}

/** Reads the value at a place. The place is formatted only for errors. */
type EachReader<T> = (given: unknown, place: () => string) => T | Faults;

/** Reads all elements of a list, or the errors of the first invalid ones. */
class EachReading<T> {
  private readonly values: T[] = [];
  private readonly errors: ApiError[] = [];

  constructor(
    private readonly name: string,
    private readonly read: EachReader<T>,
  ) {}

  /** Whether the error limit is reached. */
  get isOver(): boolean {
    return this.errors.length >= MAX_REPORTED;
  }

  take(at: number, given: unknown): void {
    const value = this.read(given, () => `${this.name}[${at}]`);
    if (value instanceof Faults) this.errors.push(...value.errors);
    else this.values.push(value);
  }

  result(): T[] | Faults {
    return this.errors.length > 0 ? new Faults(this.errors.slice(0, MAX_REPORTED)) : this.values;
  }
}

/** Adds the identifiers of one kind, up to the number that shows there are too many; returns their errors. */
function readKeys(kind: number, values: unknown, keys: IdentifierKey[], place: () => string): ApiError[] {
  if (!Array.isArray(values)) return [expectedError('an array', values, place())];
  const errors: ApiError[] = [];
  for (let at = 0; at < values.length && keys.length <= MAX_IDENTIFIERS && errors.length < MAX_REPORTED; at++) {
    const key = keyIn(kind, values[at], () => `${place()}[${at}]`);
    if (typeof key === 'string') keys.push(key);
    else errors.push(key);
  }
  return errors;
}

function keyIn(kind: number, value: unknown, place: () => string): IdentifierKey | ApiError {
  if (kind === PLAIN_KIND) {
    if (typeof value === 'string' && value !== '' && value.length <= MAX_PLAIN_LENGTH && value.isWellFormed())
      return hashedKey('partner_user_id', value);
    return expectedError('a text', value, place(), `1 to ${MAX_PLAIN_LENGTH} characters`);
  }
  if (typeof value === 'string') {
    if (SHA_256.test(value)) return identifierKeyOf(kind, value);
    if (ANY_CASE.test(value)) return identifierKeyOf(kind, value.toLowerCase());
  }
  return expectedError('a SHA-256 hash', value, place(), '64 hexadecimal digits, of the normalised value');
}
