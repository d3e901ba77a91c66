import {
  GENDERS,
  LIST_TRAITS,
  PLATFORMS,
  ageBucketsWithin,
  type Gender,
  type ListTrait,
  type Platform,
} from './directory-traits.rules.js';

/** What users are chosen by: the names are those of targeting types where there is one. */
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
 * The active users that any of these values holds for:
 *
 * - `COUNTRY`: ISO 3166-1 alpha-2; smaller places are `LOCATION`, by their targeting values
 * - `LANGUAGE`: `en` takes in `en-GB`
 * - `GENDER`, `PLATFORM`: words of GENDERS and PLATFORMS, or their targeting values
 * - `AGE`: targeting values such as `AGE_18_TO_34`, or buckets
 * - `FOLLOWERS_OF_USER`, `SIMILAR_TO_FOLLOWERS_OF_USER`, `USER`: ids of users
 * - `CUSTOM_AUDIENCE`: ids of audiences with people in them (not flexible ones), as they are now
 * - others: targeting values; keywords without case
 */
export interface UserSet {
  kind: SetKind;
  values: readonly string[];
}

/** Those who are in one set at least of each group, and in none of `without` (union, intersection, `NE`). */
export interface UserSets {
  groups: readonly (readonly UserSet[])[];
  without?: readonly UserSet[];
}

/** Who is estimated: who is in a primary set, in one set of each group besides, and in none of `without`. */
export interface EstimatedUsers {
  primary: readonly UserSet[];
  groups: readonly (readonly UserSet[])[];
  without: readonly UserSet[];
}

/** More than a line item can be targeted with, and few enough to be looked for at once. */
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

/** Whether somebody can have this value. */
export function isSetValue(kind: SetKind, value: string): boolean {
  switch (kind) {
    case 'COUNTRY':
      return /^[A-Z]{2}$/i.test(value);
    case 'LANGUAGE':
      return /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,2}$/i.test(value);
    case 'GENDER':
      return placeOf(GENDERS, value, 1) >= 0;
    case 'AGE':
      return ageBucketsWithin(value) !== undefined;
    case 'PLATFORM':
      return placeOf(PLATFORMS, value, 0) >= 0;
    case 'FOLLOWERS_OF_USER':
    case 'SIMILAR_TO_FOLLOWERS_OF_USER':
    case 'USER':
      return /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value));
    default:
      return value.length > 0;
  }
}

/** The place of a word, or of the one that has this targeting value; -1 where there is none. */
export const placeOf = (words: readonly (Gender | Platform)[], value: string, first: number): number =>
  /^\d$/.test(value) ? (words[Number(value) - first] ? Number(value) - first : -1) : words.indexOf(value as Gender);
