import { closedSet } from '../../common/values/closed-set.js';
import { ShippedList, shippedTable, type ShippedItem } from '../../common/list/shipped-list.js';

/** The targeting lists that ship with the service, except for locations and events. */

/** The app stores. */
export const APP_STORES = closedSet('AppStore', ['ANDROID', 'IOS']);
export type AppStore = (typeof APP_STORES)[number];

export const CONVERSATION_TYPES = closedSet('ConversationType', [
  'ACTORS',
  'ATHLETES',
  'BOOK_GENRES',
  'BOOKS',
  'BRAND_CATEGORIES',
  'BRANDS',
  'CELEBRITIES',
  'COACHES',
  'DIGITAL_CREATORS',
  'ENTERTAINMENT_BRANDS',
  'ENTERTAINMENT_PERSONALITIES',
  'FICTIONAL_CHARACTERS',
  'JOURNALISTS',
  'LIFESTYLES',
  'MOVIE_GENRES',
  'MOVIES',
  'MUSIC_GENRES',
  'MUSICIANS',
  'NEWS_STORIES',
  'NEWS',
  'PERSONS',
  'PLACES',
  'PODCASTS',
  'POLITICAL_AFFILIATIONS',
  'POLITICIANS',
  'PRODUCTS',
  'RADIO_STATIONS',
  'SPORTS_LEAGUES',
  'SPORTS_PERSONALITIES',
  'SPORTS_TEAMS',
  'SPORTS',
  'TRENDS',
  'TV_SHOWS',
  'VIDEO_GAME_PLATFORMS',
  'VIDEO_GAME_PUBLISHERS',
  'VIDEO_GAMES',
]);
export type ConversationType = (typeof CONVERSATION_TYPES)[number];

/** The operating systems of devices, in their usual spelling. */
export const TARGETING_OS_TYPES = closedSet('OsType', ['iOS', 'Android', 'BlackBerry']);
export type TargetingOsType = (typeof TARGETING_OS_TYPES)[number];

const table = (name: string) => shippedTable(`targeting/${name}.tsv`);
const listOf = (name: string) =>
  new ShippedList<ShippedItem>(() => table(name).map(([value, called]) => ({ value, name: called })));

/** Named "Parent/Child". */
export const INTERESTS = listOf('interests');

/** By ISO 639-1 code. */
export const LANGUAGES = listOf('languages');

export interface Conversation extends ShippedItem {
  type: ConversationType;
}
export const CONVERSATIONS = new ShippedList<Conversation>(() =>
  table('conversations').map(([value, type, name]) => ({ value, name, type: type as ConversationType })),
);

export interface Device extends ShippedItem {
  manufacturer: string;
  osType: TargetingOsType;
}
export const DEVICES = new ShippedList<Device>(() =>
  table('devices').map(([value, osType, manufacturer, name]) => ({
    value,
    name,
    manufacturer,
    osType: osType as TargetingOsType,
  })),
);

export interface PlatformVersion extends ShippedItem {
  /** Such as 4.4. */
  number: string;
  osType: TargetingOsType;
}
export const PLATFORM_VERSIONS = new ShippedList<PlatformVersion>(() =>
  table('platform_versions').map(([value, osType, number, name]) => ({
    value,
    name,
    number,
    osType: osType as TargetingOsType,
  })),
);

export interface Platform extends ShippedItem {
  /** The names in other languages, by ISO 639-1 code. */
  localized: ReadonlyMap<string, string>;
}
const PLATFORM_LANGUAGES = ['de', 'es', 'fr', 'it', 'ja', 'nl', 'pt'];
/** 0 iOS, 1 Android, 2 BlackBerry, 3 mobile web, 4 desktop. */
export const PLATFORMS = new ShippedList<Platform>(() =>
  table('platforms').map(([value, name, ...localized]) => ({
    value,
    name,
    localized: new Map([['en', name], ...PLATFORM_LANGUAGES.map((lang, i) => [lang, localized[i]] as const)]),
  })),
);
/** The platform of all devices with an operating system. */
export const PLATFORM_OF: Record<TargetingOsType, string> = { iOS: '0', Android: '1', BlackBerry: '2' };

export interface NetworkOperator extends ShippedItem {
  /** An ISO 3166-1 alpha-2 code. */
  countryCode: string;
}
export const NETWORK_OPERATORS = new ShippedList<NetworkOperator>(() =>
  table('network_operators').map(([value, countryCode, name]) => ({ value, name, countryCode })),
);

export interface AppStoreCategory extends ShippedItem {
  osType: AppStore;
}
export const APP_STORE_CATEGORIES = new ShippedList<AppStoreCategory>(() =>
  table('app_store_categories').map(([value, osType, name]) => ({ value, name, osType: osType as AppStore })),
);

/** The markets where shows can be targeted, by locale, such as en-US. */
export const TV_MARKETS = listOf('tv_markets');

export interface TvShow extends ShippedItem {
  genre: string;
  /** The markets of the show. */
  locales: readonly string[];
}
export const TV_SHOWS = new ShippedList<TvShow>(() =>
  table('tv_shows').map(([value, name, genre, locales]) => ({ value, name, genre, locales: locales.split(',') })),
);

/** Language and country of a locale such as en-US. */
export function interestPartsOf(locale: string): { language: string; country: string } {
  const [language, country] = locale.split('-');
  return { language, country };
}
