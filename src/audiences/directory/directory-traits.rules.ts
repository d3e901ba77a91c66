import { closedSet } from '../../common/closed-set.js';

/** Rows keep the targeting value of GENDER, which is the place in this list and one. */
export const GENDERS = closedSet('DirectoryGender', ['MALE', 'FEMALE']);
export type Gender = (typeof GENDERS)[number];

/** What somebody uses the platform on. The targeting value of PLATFORM is the place in this list. */
export const PLATFORMS = closedSet('DirectoryPlatform', ['IOS', 'ANDROID', 'BLACKBERRY', 'MOBILE_WEB', 'DESKTOP']);
export type Platform = (typeof PLATFORMS)[number];

/** The narrowest ages of which all that can be targeted are made. Rows keep the place in this list. */
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
 * What can be known of a user in any number, and be targeted by these values: the field by which an import
 * names it, and the letter by which rows do.
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

/** The field of an import that lists them. */
export const fieldOf = (trait: ListTrait): string => LISTED[trait][0];

/** The letter that begins a trait of this kind in a row. */
export const letterOf = (trait: ListTrait): string => LISTED[trait][1];

/** A trait of a list as rows keep it, all kinds in one column. Words are known without their case. */
export const storedTrait = (trait: ListTrait, value: string): string =>
  `${letterOf(trait)}:${trait === 'KEYWORD' ? value.toLowerCase() : value}`;

/** What `storedTrait` made it of. */
export function readTrait(stored: string): { trait: ListTrait; value: string } {
  const trait = LIST_TRAITS.find((each) => letterOf(each) === stored[0]);
  if (!trait) throw new Error(`${stored} is no trait`);
  return { trait, value: stored.slice(2) };
}

/** The bucket of an age in years; undefined where nobody has it, or may use the platform with it. */
export function ageBucketOf(years: number): AgeBucket | undefined {
  if (!Number.isInteger(years) || years < YOUNGEST || years > OLDEST) return undefined;
  return AGE_BUCKETS.find((bucket) => years <= boundsOf(bucket)!.last);
}

/** The buckets that a targeting value of AGE takes in, such as AGE_18_TO_34 or AGE_OVER_21; undefined where it is none. */
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

/** The first and last year of an age such as AGE_13_TO_17 or AGE_OVER_50. */
function boundsOf(age: string): { first: number; last: number } | undefined {
  const range = /^AGE_(\d{2})_TO_(\d{2})$/.exec(age);
  if (range) return { first: Number(range[1]), last: Number(range[2]) };
  const open = /^AGE_OVER_(\d{2})$/.exec(age);
  return open ? { first: Number(open[1]), last: OLDEST } : undefined;
}

/** Platforms as the bits that rows keep. */
export const platformBits = (platforms: readonly Platform[]): number =>
  platforms.reduce((bits, each) => bits | (1 << PLATFORMS.indexOf(each)), 0);

/** What `platformBits` made them of. */
export const platformsOf = (bits: number): Platform[] => PLATFORMS.filter((_, place) => bits & (1 << place));
