import { CRITERION_LOCATION_TYPES, criterionTypeOf, LOCATIONS } from '../../audiences/locations/locations.js';
import type { ApiError, Hint } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { closedSet } from '../../common/values/closed-set.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { didYouMean } from '../../common/http/hints/nearest.js';
import type { ShippedList, ShippedItem } from '../../common/list/shipped-list.js';
import { countOf } from '../../common/text/nouns.js';
import { eventAt, type TargetingEventType } from './events.rules.js';
import { readKeyword } from './keywords.rules.js';
import {
  APP_STORE_CATEGORIES,
  CONVERSATIONS,
  DEVICES,
  INTERESTS,
  LANGUAGES,
  NETWORK_OPERATORS,
  PLATFORM_VERSIONS,
  PLATFORMS,
  TV_SHOWS,
} from './targeting-lists.js';
import { KEYWORD_TYPES, type TargetingType } from './targeting-types.js';

/** A resolved targeting value, as it is stored and shown. */
export interface ResolvedValue {
  /** The value in its canonical stored form. */
  value: string;
  /** The display name: the keyword itself or the display name of a location. */
  name: string;
  /** The kind of location, in the singular. Only for LOCATION. */
  locationType?: (typeof CRITERION_LOCATION_TYPES)[number];
}

/** Age ranges that can be targeted. */
export const AGE_BUCKETS = closedSet('TargetedAge', [
  'AGE_13_TO_24',
  'AGE_13_TO_34',
  'AGE_13_TO_49',
  'AGE_13_TO_54',
  'AGE_OVER_13',
  'AGE_18_TO_34',
  'AGE_18_TO_49',
  'AGE_18_TO_54',
  'AGE_OVER_18',
  'AGE_21_TO_34',
  'AGE_21_TO_49',
  'AGE_21_TO_54',
  'AGE_OVER_21',
  'AGE_25_TO_49',
  'AGE_25_TO_54',
  'AGE_OVER_25',
  'AGE_35_TO_49',
  'AGE_35_TO_54',
  'AGE_OVER_35',
  'AGE_OVER_50',
]);

/** How users engaged with an ad. */
const ENGAGEMENTS = closedSet('TargetedEngagement', [
  'IMPRESSION',
  'ENGAGEMENT',
  'VIDEO_VIEW',
  'VIDEO_VIEW_PARTIAL',
  'VIDEO_VIEW_COMPLETE',
]);

/** In months since a device was first seen with its network operator. */
const MAX_ACTIVATION_LENGTH = 12;

/** Event types that can be watched live. */
const LIVE: readonly TargetingEventType[] = ['MUSIC_AND_ENTERTAINMENT', 'POLITICS', 'SPORTS'];

/** Rejects a value that is not allowed for its type; `what` describes the allowed values. */
export const notAValue = (what: string, given: string, { details, hint }: { details?: string; hint?: Hint } = {}) =>
  invalid('targeting_value', `Expected ${what}, got ${quotedValue(given)} for targeting_value`, {
    value: given,
    ...(details !== undefined && { details }),
  }).hinted(hint);

type Resolve = (given: string) => ResolvedValue | ApiError;

/** A value of a list; `path` is the look-up endpoint. */
const listedValue =
  <T extends ShippedItem>(list: ShippedList<T>, what: string, path: string): Resolve =>
  (given) => {
    const found = list.at(given.toLowerCase());
    if (found) return { value: found.value, name: found.name };
    return notAValue(`the targeting value of ${what}`, given, {
      details: `GET /12/targeting_criteria/${path} lists them`,
      hint: list.meantBy(given),
    });
  };

const location: Resolve = (given) => {
  const found = LOCATIONS.at(given.toLowerCase());
  if (found) return { value: found.value, name: found.name, locationType: criterionTypeOf(found) };
  return notAValue('the targeting value of a location', given, {
    details: 'GET /12/targeting_criteria/locations lists them',
    hint: LOCATIONS.meantBy(given),
  });
};

/** A word of a closed set. */
const word =
  (words: readonly string[], nameOf: (one: string) => string): Resolve =>
  (given) => {
    const found = words.find((each) => each === given.toUpperCase());
    if (found !== undefined) return { value: found, name: nameOf(found) };
    return notAValue(`a value in ${words.join(', ')}`, given, { hint: () => didYouMean(given, words) });
  };

const event =
  (what: string, types?: readonly TargetingEventType[]): Resolve =>
  (given) => {
    const found = eventAt(given.toLowerCase());
    if (found && (!types || types.includes(found.type))) return { value: found.value, name: found.name };
    return notAValue(`the targeting value of ${what}`, given, {
      details: 'GET /12/targeting_criteria/events lists them',
    });
  };

const spoken = (age: string) => age.replace(/^AGE_/, '').toLowerCase().replaceAll('_', ' ');

const genders: Record<string, string> = { 1: 'Male', 2: 'Female' };
const gender: Resolve = (given) =>
  Object.hasOwn(genders, given) ? { value: given, name: genders[given] } : notAValue('1 (male) or 2 (female)', given);

const wifiOnly: Resolve = (given) =>
  ['1', 'true'].includes(given.toLowerCase()) ? { value: '1', name: 'Wi-Fi only' } : notAValue('1', given);

const months: Resolve = (given) => {
  const count = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (count < 1 || count > MAX_ACTIVATION_LENGTH)
    return notAValue(`a number of months between 1 and ${MAX_ACTIVATION_LENGTH}`, given);
  return { value: `${count}`, name: countOf(count, 'month') };
};

const keyword =
  (type: TargetingType): Resolve =>
  (given) => {
    const read = readKeyword(type, given);
    return 'keyword' in read ? { value: read.keyword, name: read.keyword } : notAValue(read.allowed, given);
  };

/** Parsers of the types whose values do not depend on stored data. */
export const VALUES: Partial<Record<TargetingType, Resolve>> = {
  AGE: word(AGE_BUCKETS, spoken),
  APP_STORE_CATEGORY: listedValue(APP_STORE_CATEGORIES, 'an app store category', 'app_store_categories'),
  APP_STORE_CATEGORY_LOOKALIKE: listedValue(APP_STORE_CATEGORIES, 'an app store category', 'app_store_categories'),
  CONVERSATION: listedValue(CONVERSATIONS, 'a conversation', 'conversations'),
  DEVICE: listedValue(DEVICES, 'a device', 'devices'),
  ENGAGEMENT_TYPE: word(ENGAGEMENTS, (one) => one),
  EVENT: event('an event'),
  GENDER: gender,
  INTEREST: listedValue(INTERESTS, 'an interest', 'interests'),
  LANGUAGE: listedValue(LANGUAGES, 'a language', 'languages'),
  LIVE_TV_EVENT: event(`an event of ${LIVE.join(', ')}`, LIVE),
  LOCATION: location,
  NETWORK_ACTIVATION_DURATION: months,
  NETWORK_OPERATOR: listedValue(NETWORK_OPERATORS, 'a network operator', 'network_operators'),
  PLATFORM: listedValue(PLATFORMS, 'a platform', 'platforms'),
  PLATFORM_VERSION: listedValue(PLATFORM_VERSIONS, 'a platform version', 'platform_versions'),
  TV_SHOW: listedValue(TV_SHOWS, 'a TV show', 'tv_shows'),
  WIFI_ONLY: wifiOnly,
  ...Object.fromEntries(KEYWORD_TYPES.map((type) => [type, keyword(type)])),
};

/** The name of a platform, language or country in an ISO 639-1 language; undefined if it is not known. */
export function localizedName(type: TargetingType, value: string, lang: string): string | undefined {
  if (type === 'PLATFORM') return PLATFORMS.at(value)?.localized.get(lang);
  if (type === 'LANGUAGE') return LANGUAGES.at(value) && displayed(value, 'language', lang);
  if (type !== 'LOCATION') return undefined;
  const found = LOCATIONS.at(value);
  return found?.type === 'COUNTRIES' ? displayed(found.countryCode, 'region', lang) : undefined;
}

function displayed(code: string, type: 'language' | 'region', lang: string): string | undefined {
  if (Intl.DisplayNames.supportedLocalesOf([lang]).length === 0) return undefined;
  return new Intl.DisplayNames([lang], { type, fallback: 'none' }).of(code);
}
