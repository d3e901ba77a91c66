import {
  DIRECTORY_GENDERS,
  LIST_TRAITS,
  DIRECTORY_PLATFORMS,
  ageBucketsWithin,
  type Gender,
  type ListTrait,
  type DirectoryPlatform,
} from './directory-traits.rules.js';

/** The kinds of user sets, named after targeting types where one exists. */
export type SetKind =
  | 'COUNTRY'
  | 'LANGUAGE'
  | 'GENDER'
  | 'AGE'
  | 'PLATFORM'
  | ListTrait
  | 'FOLLOWERS_OF_USER'
  | 'SIMILAR_TO_FOLLOWERS_OF_USER'
  | 'CUSTOM_AUDIENCE'
  | 'USER';

/**
 * The active users with any of these values:
 *
 * - `COUNTRY`: ISO 3166-1 alpha-2; `LOCATION` has smaller places, by targeting value
 * - `LANGUAGE`: `en` includes `en-GB`
 * - `GENDER`, `PLATFORM`: words of GENDERS and PLATFORMS, or their targeting values
 * - `AGE`: targeting values such as `AGE_18_TO_34`, or buckets
 * - `FOLLOWERS_OF_USER`, `SIMILAR_TO_FOLLOWERS_OF_USER`, `USER`: ids of users
 * - `CUSTOM_AUDIENCE`: ids of audiences with uploaded people (not flexible ones), in their current state
 * - others: targeting values; keywords are case-insensitive
 */
export interface UserSet {
  kind: SetKind;
  values: readonly string[];
}

/** Users in at least one set of each group, and in none of `without` (union, intersection, `NE`). */
export interface UserSets {
  groups: readonly (readonly UserSet[])[];
  without?: readonly UserSet[];
}

/** The users to estimate: in a primary set, in one set of each group, and in none of `without`. */
export interface EstimatedUsers {
  /** Nobody is in no set. `everybody` has all users of the directory. */
  primary: readonly UserSet[] | 'everybody';
  groups: readonly (readonly UserSet[])[];
  without: readonly UserSet[];
}

/** More than a line item can target, and few enough for one query. */
export const MAX_SETS = 1_000;
export const MAX_SET_VALUES = 10_000;

export const SET_KINDS: readonly SetKind[] = [
  'COUNTRY',
  'LANGUAGE',
  'GENDER',
  'AGE',
  'PLATFORM',
  ...LIST_TRAITS,
  'FOLLOWERS_OF_USER',
  'SIMILAR_TO_FOLLOWERS_OF_USER',
  'CUSTOM_AUDIENCE',
  'USER',
];

/** Whether a user can have this value. */
export function isSetValue(kind: SetKind, value: string): boolean {
  switch (kind) {
    case 'COUNTRY':
      return /^[A-Z]{2}$/i.test(value);
    case 'LANGUAGE':
      return /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,2}$/i.test(value);
    case 'GENDER':
      return setPlaceOf(DIRECTORY_GENDERS, value, 1) >= 0;
    case 'AGE':
      return ageBucketsWithin(value) !== undefined;
    case 'PLATFORM':
      return setPlaceOf(DIRECTORY_PLATFORMS, value, 0) >= 0;
    case 'FOLLOWERS_OF_USER':
    case 'SIMILAR_TO_FOLLOWERS_OF_USER':
    case 'USER':
      return /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value));
    default:
      return value.length > 0;
  }
}

/** The index of a word or targeting value; -1 if there is none. */
export const setPlaceOf = (words: readonly (Gender | DirectoryPlatform)[], value: string, first: number): number =>
  /^\d$/.test(value) ? (words[Number(value) - first] ? Number(value) - first : -1) : words.indexOf(value as Gender);
