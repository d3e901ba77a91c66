import { isISO31661Alpha2 } from 'class-validator';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../entities/audience-identifier.entity.js';
import {
  AGE_BUCKETS,
  ageBucketOf,
  fieldOf,
  DIRECTORY_GENDERS,
  LIST_TRAITS,
  DIRECTORY_PLATFORMS,
  type AgeBucket,
  type Gender,
  type ListTrait,
  type DirectoryPlatform,
} from './directory-traits.rules.js';
import { hashOf } from './identifier.rules.js';

/** An import's data about one user. Absent fields stay unchanged; null or an empty list clears a field. */
export interface DirectoryEntry {
  /** The platform's id of the user. A new user without one receives one. */
  userId?: string;
  username?: string;
  /** The display name of a new user. */
  name?: string;
  activeAt?: string;
  country?: string | null;
  language?: string | null;
  gender?: Gender | null;
  ageBucket?: AgeBucket | null;
  platforms?: DirectoryPlatform[];
  lists: Partial<Record<ListTrait, string[]>>;
  /** User ids and usernames. Unknown usernames create users. */
  follows?: string[];
  identifiers: Partial<Record<IdentifierKind, Buffer[]>>;
}

/** The error of a field, with the values allowed. */
export interface EntryProblem {
  field: string;
  /** The invalid value; absent if a value is missing. */
  given?: unknown;
  allowed: string;
}

const MAX_VALUES = 1_000;
const MAX_FOLLOWS = 10_000;
const MAX_IDENTIFIERS = 100;
const MAX_VALUE_LENGTH = 255;

/** The rule of `marquee user create`. A username of digits only would look like an id. */
const USERNAME = /^(?!\d+$)\w{1,30}$/;
const USER_ID = /^[1-9]\d{0,15}$/;

type Reader = (entry: DirectoryEntry, value: unknown, refuse: Refuse) => void;
type Refuse = (allowed: string, given?: unknown) => void;

/** Reads a line of an import and reports all its errors. */
export function readEntry(given: unknown): { entry: DirectoryEntry } | { problems: EntryProblem[] } {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { problems: [{ field: 'line', given, allowed: 'a JSON object' }] };
  const entry: DirectoryEntry = { lists: {}, identifiers: {} };
  const problems: EntryProblem[] = [];
  for (const [field, value] of Object.entries(given as Record<string, unknown>)) {
    const read = READERS.get(field);
    if (read) read(entry, value, (allowed, wrong = value) => void problems.push({ field, given: wrong, allowed }));
    else problems.push({ field, allowed: `one of ${[...READERS.keys()].join(', ')}` });
  }
  if ('age' in given && 'age_bucket' in given) problems.push({ field: 'age', allowed: 'either age or age_bucket' });
  if (!('user_id' in given) && !('username' in given))
    problems.push({ field: 'username', allowed: 'required, unless user_id is given' });
  return problems.length > 0 ? { problems } : { entry };
}

const READERS = new Map<string, Reader>([
  ['user_id', text('userId', userIdOf, 'a decimal number from 1 to 9007199254740991')],
  ['username', text('username', matching(USERNAME), '1 to 30 letters, digits and underscores, not digits alone')],
  ['name', text('name', matching(/^[^]{1,50}$/), '1 to 50 characters')],
  ['active_at', text('activeAt', timeOf, 'a time such as 2027-01-31T12:00:00Z')],
  ['country', optional('country', countryOf, 'a country in ISO 3166-1 alpha-2, such as US')],
  ['language', optional('language', languageOf, 'a language in ISO 639-1 or BCP 47, such as en')],
  [
    'gender',
    optional('gender', wordOf(DIRECTORY_GENDERS, 1), `${DIRECTORY_GENDERS.join(' or ')}, or their numbers 1 and 2`),
  ],
  ['age', optional('ageBucket', (value) => ageBucketOf(Number(value)), 'years, 13 to 130')],
  ['age_bucket', optional('ageBucket', wordOf(AGE_BUCKETS), `one of ${AGE_BUCKETS.join(', ')}`)],
  [
    'platforms',
    (entry, value, refuse) => {
      const allowed = `a list of ${DIRECTORY_PLATFORMS.join(', ')}, or their numbers 0 to 4`;
      const found = listOf(value, {
        max: DIRECTORY_PLATFORMS.length * 2,
        read: wordOf(DIRECTORY_PLATFORMS, 0),
        allowed,
        refuse,
      });
      if (found) entry.platforms = found;
    },
  ],
  ...LIST_TRAITS.map((trait): [string, Reader] => [
    fieldOf(trait),
    (entry, value, refuse) => {
      const allowed = `a list of at most ${MAX_VALUES} targeting values of 1 to ${MAX_VALUE_LENGTH} characters`;
      const found = listOf(value, { max: MAX_VALUES, read: valueOf, allowed, refuse });
      if (found) entry.lists[trait] = found;
    },
  ]),
  [
    'follows',
    (entry, value, refuse) => {
      const allowed = `a list of at most ${MAX_FOLLOWS} ids and names of users`;
      const found = listOf(value, { max: MAX_FOLLOWS, read: followedOf, allowed, refuse });
      if (found) entry.follows = found;
    },
  ],
  ...IDENTIFIER_KINDS.map((kind): [string, Reader] => [
    kind,
    (entry, value, refuse) => {
      const hashes: Buffer[] = [];
      const values = listOf(value, {
        max: MAX_IDENTIFIERS,
        read: (each) => each,
        allowed: `a text, or a list of at most ${MAX_IDENTIFIERS}`,
        refuse,
        untrimmed: true,
      });
      if (!values) return;
      for (const each of values) {
        const hashed = hashOf(kind, each);
        if ('problem' in hashed) return refuse(hashed.problem, each);
        hashes.push(hashed.hash);
      }
      entry.identifiers[kind] = hashes;
    },
  ]),
]);

/** Reads a text field, or a number used as text. */
function text<F extends 'userId' | 'username' | 'name' | 'activeAt'>(
  field: F,
  read: (given: string) => string | undefined,
  allowed: string,
): Reader {
  return (entry, value, refuse) => {
    const found = read(textOf(value)?.trim() ?? '');
    if (found === undefined) refuse(allowed);
    else entry[field] = found;
  };
}

/** The same for a field that can be cleared. */
function optional<F extends 'country' | 'language' | 'gender' | 'ageBucket'>(
  field: F,
  read: (given: string) => DirectoryEntry[F] | undefined,
  allowed: string,
): Reader {
  return (entry, value, refuse) => {
    const given = value === null ? '' : textOf(value)?.trim();
    const found = given === '' ? null : given === undefined ? undefined : read(given);
    if (found === undefined) refuse(allowed);
    else entry[field] = found;
  };
}

interface Listed<V> {
  max: number;
  read: (given: string) => V | undefined;
  allowed: string;
  refuse: Refuse;
  /** Whether surrounding spaces are part of the value. */
  untrimmed?: boolean;
}

/** Reads the distinct values of a list. A single value counts as a list of one. */
function listOf<V>(value: unknown, { max, read, allowed, refuse, untrimmed }: Listed<V>): V[] | undefined {
  const values: unknown[] = value === null ? [] : Array.isArray(value) ? value : [value];
  if (values.length > max) return void refuse(allowed, `${values.length} values`);
  const found = new Set<V>();
  for (const each of values) {
    const given = untrimmed ? textOf(each) : textOf(each)?.trim();
    const one = given === undefined ? undefined : read(given);
    if (one === undefined) return void refuse(allowed, each);
    found.add(one);
  }
  return [...found];
}

/** PostgreSQL rejects texts with a zero byte or half a surrogate pair. */
function textOf(value: unknown): string | undefined {
  const given = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof given === 'string' && !given.includes('\0') && given.isWellFormed() ? given : undefined;
}

function matching(form: RegExp): (given: string) => string | undefined {
  return (given) => (form.test(given) ? given : undefined);
}

function userIdOf(given: string): string | undefined {
  return USER_ID.test(given) && Number.isSafeInteger(Number(given)) ? given : undefined;
}

function followedOf(given: string): string | undefined {
  const name = given.replace(/^@/, '');
  return USERNAME.test(name) ? name : userIdOf(given);
}

function valueOf(given: string): string | undefined {
  return given.length >= 1 && given.length <= MAX_VALUE_LENGTH ? given : undefined;
}

/** Requires an offset, Z or a day. `Date` would parse local times differently on each machine. */
function timeOf(given: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/.test(given)) return undefined;
  const time = new Date(given);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function countryOf(given: string): string | undefined {
  const country = given.toUpperCase();
  return isISO31661Alpha2(country) ? country : undefined;
}

function languageOf(given: string): string | undefined {
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,2}$/i.test(given)) return undefined;
  try {
    return Intl.getCanonicalLocales(given)[0];
  } catch {
    return undefined;
  }
}

/**
 * Reads a word of a list, case-insensitive, or its targeting value; `first` is the targeting value of the first word.
 */
function wordOf<W extends string>(words: readonly W[], first?: number): (given: string) => W | undefined {
  return (given) =>
    first !== undefined && /^\d$/.test(given)
      ? words[Number(given) - first]
      : words.find((each) => each === given.toUpperCase());
}
