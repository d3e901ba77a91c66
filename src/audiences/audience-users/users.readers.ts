import { missing } from '../../common/errors/catalogue.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { expected, InvalidParts, InvalidValue } from '../../common/http/invalid-value.js';
import type { Reader } from '../../common/http/readers.js';
import { IDENTIFIER_KINDS } from './audience-identifier.entity.js';
import { hashedKey, keyOf, type IdentifierKey } from './identifiers.js';

/** How many identifiers a person can have: far more devices and addresses than anybody has. */
export const MOST_IDENTIFIERS = 100;
/** How long an identifier can be that is sent as it is. */
export const LONGEST_PLAIN = 512;
/** How many faults an operation is told; beyond them somebody hashed wrongly throughout. */
const MOST_TOLD = 20;

/** The one identifier that is not hashed by those who send it. */
const PLAIN_KIND = IDENTIFIER_KINDS.indexOf('partner_user_id');
const SHA_256 = /^[0-9a-f]{64}$/;
const ANY_CASE = /^[0-9A-Fa-f]{64}$/;

/** The identifiers of each person that an operation names, in the order sent. */
export type People = readonly (readonly IdentifierKey[])[];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads `users`, of kinds of identifiers that are taken (Part 1, 4.7). It is called for thousands of operations in a request,
 * so what is right costs little, and what is wrong is told up to a bound.
 */
export const readUsers = (kinds: readonly string[] = IDENTIFIER_KINDS): Reader<People> => {
  const places = kinds.map((name) => [name, (IDENTIFIER_KINDS as readonly string[]).indexOf(name)] as const);
  return (given, name) => {
    if (!Array.isArray(given)) return expected('an array', given, name);
    if (given.length === 0) return new InvalidParts([missing(name, 'at least one user has to be named')]);
    const people: IdentifierKey[][] = [];
    const errors: ApiError[] = [];
    for (const [at, user] of (given as unknown[]).entries()) {
      const keys: IdentifierKey[] = [];
      const before = errors.length;
      if (isObject(user)) readIdentifiers(user, places, `${name}[${at}]`, keys, errors);
      else errors.push(...expected('an object', user, `${name}[${at}]`).toErrors(`${name}[${at}]`));
      if (errors.length === before) judge(keys, kinds, `${name}[${at}]`, errors);
      if (errors.length >= MOST_TOLD) return new InvalidParts(errors.slice(0, MOST_TOLD));
      people.push(keys);
    }
    return errors.length > 0 ? new InvalidParts(errors) : people;
  };
};

function readIdentifiers(
  user: Record<string, unknown>,
  kinds: readonly (readonly [name: string, kind: number])[],
  place: string,
  keys: IdentifierKey[],
  errors: ApiError[],
): void {
  for (const [name, kind] of kinds) {
    const values = user[name];
    if (values === undefined || values === null) continue;
    if (!Array.isArray(values)) {
      errors.push(...expected('an array', values, `${place}.${name}`).toErrors(`${place}.${name}`));
      continue;
    }
    for (let at = 0; at < values.length && errors.length < MOST_TOLD && keys.length <= MOST_IDENTIFIERS; at++) {
      const key = kind === PLAIN_KIND ? plainKey(values[at]) : hashKey(kind, values[at]);
      if (typeof key === 'string') keys.push(key);
      else errors.push(...key(`${place}.${name}[${at}]`).toErrors(`${place}.${name}[${at}]`));
    }
  }
}

function judge(keys: readonly string[], kinds: readonly string[], place: string, errors: ApiError[]): void {
  if (keys.length === 0) {
    errors.push(missing(place, `one of ${kinds.join(', ')} has to name at least one identifier`));
  } else if (keys.length > MOST_IDENTIFIERS) {
    const many = new InvalidValue(`A maximum of ${MOST_IDENTIFIERS} identifiers can be provided for ${place}`);
    errors.push(...many.toErrors(place));
  }
}

/** What is wrong with a value, once its place is known: paths are made for those alone. */
type Fault = (place: string) => InvalidValue;

function hashKey(kind: number, value: unknown): IdentifierKey | Fault {
  if (typeof value === 'string') {
    if (SHA_256.test(value)) return keyOf(kind, value);
    if (ANY_CASE.test(value)) return keyOf(kind, value.toLowerCase());
  }
  return (place) => expected('a SHA-256 hash', value, place, '64 hexadecimal digits, of the normalised value');
}

function plainKey(value: unknown): IdentifierKey | Fault {
  if (typeof value === 'string' && value !== '' && value.length <= LONGEST_PLAIN && value.isWellFormed())
    return hashedKey('partner_user_id', value);
  return (place) => expected('a text', value, place, `1 to ${LONGEST_PLAIN} characters`);
}
