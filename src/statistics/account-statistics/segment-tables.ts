import {
  TARGETING_OS_TYPES,
  PLATFORM_OF,
  type TargetingOsType,
} from '../../campaigns/targeting-values/targeting-lists.js';
import type { TargetingType } from '../../campaigns/targeting-values/targeting-types.js';
import type { SegmentationType } from './segmentation.js';

/** The division of users without any targeting. docs/delivery.md, "Segments", has these tables, too. */

/** The smallest age ranges, in years, and how many of 1,000 users are in each. */
export const SEGMENT_AGES = [
  { value: 'AGE_13_TO_17', name: '13 to 17', first: 13, last: 17, weight: 50 },
  { value: 'AGE_18_TO_20', name: '18 to 20', first: 18, last: 20, weight: 80 },
  { value: 'AGE_21_TO_24', name: '21 to 24', first: 21, last: 24, weight: 130 },
  { value: 'AGE_25_TO_34', name: '25 to 34', first: 25, last: 34, weight: 290 },
  { value: 'AGE_35_TO_49', name: '35 to 49', first: 35, last: 49, weight: 260 },
  { value: 'AGE_50_TO_54', name: '50 to 54', first: 50, last: 54, weight: 50 },
  { value: 'AGE_OVER_55', name: 'over 55', first: 55, last: Infinity, weight: 80 },
] as const;
/** Users of unknown age among 1,000. */
export const UNKNOWN_AGE = 60;

/** Users of each gender among 1,000, by targeting value. */
export const SEGMENT_GENDERS = [
  { value: '1', name: 'Male', weight: 540 },
  { value: '2', name: 'Female', weight: 390 },
] as const;
/** Users of unknown gender among 1,000. */
export const UNKNOWN_GENDER = 70;

/** Users of each platform among 1,000, by targeting value. */
export const PLATFORM_WEIGHTS: Readonly<Record<string, number>> = { 0: 380, 1: 420, 2: 1, 3: 59, 4: 140 };

/** The weights of languages; those of all others are 1. */
export const LANGUAGE_WEIGHTS: Readonly<Record<string, number>> = {
  ...{ en: 460, ja: 120, es: 110, pt: 60, ar: 45, fr: 30, id: 30, tr: 25, th: 15, ko: 20, de: 15, hi: 12, it: 10 },
  ...{ ru: 8, nl: 6, pl: 5, fa: 4, fil: 4, zh: 4, ur: 3 },
};

/** The weights of countries, by code; those of all others are 1. */
export const COUNTRY_WEIGHTS: Readonly<Record<string, number>> = {
  ...{ US: 220, JP: 120, IN: 60, BR: 50, ID: 45, GB: 42, TR: 35, MX: 35, SA: 30, FR: 26, TH: 25, ES: 22, CA: 21 },
  ...{ PH: 20, DE: 19, KR: 18, AR: 15, EG: 14, NG: 13, CO: 12, MY: 12, IT: 12, PK: 12, AU: 10, NL: 8, PL: 8, VN: 8 },
  ...{ CL: 7, ZA: 7, KE: 6, AE: 6, PE: 5, SE: 4, VE: 4, EC: 4, UA: 4, IQ: 4, SG: 4, TW: 4, PT: 3, BE: 3, CH: 3, IE: 3 },
};

/** The people of the states of the US among 1,000, by the code of the region; those of all its other regions are 1. */
export const STATE_WEIGHTS: Readonly<Record<string, number>> = {
  ...{ CA: 117, TX: 91, FL: 68, NY: 58, PA: 38, IL: 37, OH: 35, GA: 33, NC: 33, MI: 30, NJ: 28, VA: 26, WA: 23 },
  ...{ AZ: 22, TN: 21, MA: 21, IN: 20, MD: 18, MO: 18, WI: 18, CO: 18, MN: 17, SC: 16, AL: 15, LA: 14, KY: 13 },
  ...{ OR: 13, OK: 12, CT: 11, UT: 10, IA: 10, NV: 10, AR: 9, MS: 9, KS: 9, NM: 6, NE: 6, ID: 6, WV: 5, HI: 4 },
  ...{ NH: 4, ME: 4, MT: 3, RI: 3, DE: 3, SD: 3, ND: 2, AK: 2, DC: 2, VT: 2, WY: 2 },
};

/** The nth metro of the list has this part of 1,000 people of its country, rounded. */
export const metroWeight = (place: number): number => Math.round(260 / (place + 3));
/** The nth city of a country in the list has this part of 1,000 people, rounded, but at least 1. */
export const cityWeight = (place: number): number => Math.max(1, Math.round(60 / (place + 2)));
/** Newer versions have more users: the nth version of a platform in the list has this weight. */
export const versionWeight = (place: number): number => place * place;

/** The operating system of a platform, if it has one. */
export const osOf = (platform: string): TargetingOsType | undefined =>
  TARGETING_OS_TYPES.find((os) => PLATFORM_OF[os] === platform);

/** The types of targeting whose values divide the users. */
export const TARGETED: Partial<Record<SegmentationType, readonly TargetingType[]>> = {
  APP_STORE_CATEGORY: ['APP_STORE_CATEGORY', 'APP_STORE_CATEGORY_LOOKALIKE'],
  AUDIENCES: ['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED'],
  CONVERSATIONS: ['CONVERSATION'],
  EVENTS: ['EVENT', 'LIVE_TV_EVENT'],
  INTERESTS: ['INTEREST'],
  KEYWORDS: ['BROAD_KEYWORD', 'EXACT_KEYWORD', 'PHRASE_KEYWORD', 'UNORDERED_KEYWORD'],
  SIMILAR_TO_FOLLOWERS_OF_USER: ['SIMILAR_TO_FOLLOWERS_OF_USER'],
  TV_SHOWS: ['TV_SHOW'],
};

const PLATFORM_TYPES = ['PLATFORM', 'DEVICE', 'PLATFORM_VERSION'] as const;

/** The types of targeting that decide how the users divide by their traits. */
export const TRAITS: Partial<Record<SegmentationType, readonly TargetingType[]>> = {
  AGE: ['AGE'],
  CITIES: ['LOCATION'],
  DEVICES: PLATFORM_TYPES,
  GENDER: ['GENDER'],
  LANGUAGES: ['LANGUAGE'],
  LOCATIONS: ['LOCATION'],
  METROS: ['LOCATION'],
  PLATFORMS: PLATFORM_TYPES,
  PLATFORM_VERSIONS: PLATFORM_TYPES,
  POSTAL_CODES: ['LOCATION'],
  REGIONS: ['LOCATION'],
};
