import { closedSet } from '../../common/values/closed-set.js';

/** Rows store the targeting value of GENDER: the index in this list plus one. */
export const DIRECTORY_GENDERS = closedSet('DirectoryGender', ['MALE', 'FEMALE']);
export type Gender = (typeof DIRECTORY_GENDERS)[number];

/** The devices on which users use the platform. The targeting value of PLATFORM is the index in this list. */
export const DIRECTORY_PLATFORMS = closedSet('DirectoryPlatform', [
  'IOS',
  'ANDROID',
  'BLACKBERRY',
  'MOBILE_WEB',
  'DESKTOP',
]);
export type DirectoryPlatform = (typeof DIRECTORY_PLATFORMS)[number];

/** The smallest age ranges; they compose all targetable ones. Rows store the index in this list. */
export const AGE_BUCKETS = closedSet('DirectoryAgeBucket', [
  'AGE_13_TO_17',
  'AGE_18_TO_20',
  'AGE_21_TO_24',
  'AGE_25_TO_34',
  'AGE_35_TO_49',
  'AGE_50_TO_54',
  'AGE_OVER_55',
]);
export type AgeBucket = (typeof AGE_BUCKETS)[number];

const YOUNGEST = 13;
const OLDEST = 130;

/**
 * Traits of which a user can have any number, targetable by these values: the import field of each, and its letter in
 * rows.
 */
const LISTED = {
  INTEREST: ['interests', 'I'],
  KEYWORD: ['keywords', 'K'],
  LOCATION: ['locations', 'L'],
  CONVERSATION: ['conversations', 'C'],
  EVENT: ['events', 'E'],
  TV_SHOW: ['tv_shows', 'T'],
  DEVICE: ['devices', 'D'],
  PLATFORM_VERSION: ['platform_versions', 'V'],
  NETWORK_OPERATOR: ['network_operators', 'N'],
  APP_STORE_CATEGORY: ['app_store_categories', 'A'],
  IAB_CATEGORY: ['iab_categories', 'B'],
} as const;
export type ListTrait = keyof typeof LISTED;
export const LIST_TRAITS = Object.keys(LISTED) as ListTrait[];

/** The import field that lists the trait. */
export const fieldOf = (trait: ListTrait): string => LISTED[trait][0];

/** The letter that begins a trait of this kind in a row. */
export const letterOf = (trait: ListTrait): string => LISTED[trait][1];

/** A listed trait as rows store it, all kinds in one column. Words are case-insensitive. */
export const storedTrait = (trait: ListTrait, value: string): string =>
  `${letterOf(trait)}:${trait === 'KEYWORD' ? value.toLowerCase() : value}`;

/** Reverses `storedTrait`. */
export function readTrait(stored: string): { trait: ListTrait; value: string } {
  const trait = LIST_TRAITS.find((each) => letterOf(each) === stored[0]);
  if (!trait) throw new Error(`${stored} is not a trait`);
  return { trait, value: stored.slice(2) };
}

/** The bucket of an age in years; undefined if no user can have that age. */
export function ageBucketOf(years: number): AgeBucket | undefined {
  if (!Number.isInteger(years) || years < YOUNGEST || years > OLDEST) return undefined;
  return AGE_BUCKETS.find((bucket) => years <= boundsOf(bucket)!.last);
}

/** The buckets in a targeting value of AGE, such as AGE_18_TO_34 or AGE_OVER_21; undefined if the value is invalid. */
export function ageBucketsWithin(targetingValue: string): AgeBucket[] | undefined {
  const wanted = boundsOf(targetingValue);
  if (!wanted) return undefined;
  const within = AGE_BUCKETS.filter((bucket) => {
    const { first, last } = boundsOf(bucket)!;
    return first >= wanted.first && last <= wanted.last;
  });
  const covered = within.length > 0 && boundsOf(within[0])!.first === wanted.first;
  return covered && boundsOf(within.at(-1)!)!.last === wanted.last ? within : undefined;
}

/** The first and last year of an age range such as AGE_13_TO_17 or AGE_OVER_50. */
function boundsOf(age: string): { first: number; last: number } | undefined {
  const range = /^AGE_(\d{2})_TO_(\d{2})$/.exec(age);
  if (range) return { first: Number(range[1]), last: Number(range[2]) };
  const open = /^AGE_OVER_(\d{2})$/.exec(age);
  return open ? { first: Number(open[1]), last: OLDEST } : undefined;
}

/** Platforms as the bits that rows store. */
export const platformBits = (platforms: readonly DirectoryPlatform[]): number =>
  platforms.reduce((bits, each) => bits | (1 << DIRECTORY_PLATFORMS.indexOf(each)), 0);

/** Reverses `platformBits`. */
export const platformsOf = (bits: number): DirectoryPlatform[] =>
  DIRECTORY_PLATFORMS.filter((_, place) => bits & (1 << place));
