import { ApiProperty } from '@nestjs/swagger';
import { LOCATION_TYPES, type Location, type LocationType } from '../../audiences/locations/locations.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { TIME } from '../../common/http/answers/responses.js';
import type { Shipped } from '../../common/list/shipped-list.js';
import { EVENT_TYPES, type EventType, type TargetableEvent } from '../targeting-values/events.rules.js';
import {
  APP_STORES,
  CONVERSATION_TYPES,
  OS_TYPES,
  partsOf,
  type AppStore,
  type AppStoreCategory,
  type Conversation,
  type ConversationType,
  type Device,
  type NetworkOperator,
  type OsType,
  type Platform,
  type PlatformVersion,
  type TvShow,
} from '../targeting-values/targeting-lists.js';
import { TARGETING_TYPES, type TargetingType } from '../targeting-values/targeting-types.js';

const VALUE = { type: String } as const;
const COUNTRY = { type: String, example: 'US' } as const;

/** What line items can be targeted by. */
class OptionView {
  /** What it is called. */
  @ApiProperty() name: string;
  /** What a criterion gives as its `targeting_value`. */
  @ApiProperty(VALUE) targeting_value: string;
}

const present = ({ name, value }: Shipped): OptionView => ({ name, targeting_value: value });

export class AppStoreCategoryView extends OptionView {
  /** What a criterion gives as its `targeting_type`. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
  /** The store whose category it is. */
  @ApiProperty(enumSchema(APP_STORES)) os_type: AppStore;
}
export const presentAppStoreCategory = (category: AppStoreCategory): AppStoreCategoryView => ({
  targeting_type: 'APP_STORE_CATEGORY',
  os_type: category.osType,
  ...present(category),
});

export class ConversationView extends OptionView {
  /** What a criterion gives as its `targeting_type`. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
  /** What it is about. */
  @ApiProperty(enumSchema(CONVERSATION_TYPES)) conversation_type: ConversationType;
}
export const presentConversation = (conversation: Conversation): ConversationView => ({
  targeting_type: 'CONVERSATION',
  conversation_type: conversation.type,
  ...present(conversation),
});

export class DeviceView extends OptionView {
  /** Who makes it. */
  @ApiProperty({ example: 'Apple' }) manufacturer: string;
  /** What it runs. */
  @ApiProperty(enumSchema(OS_TYPES)) os_type: OsType;
  /** What a criterion gives as its `targeting_type`. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentDevice = (device: Device): DeviceView => ({
  manufacturer: device.manufacturer,
  os_type: device.osType,
  targeting_type: 'DEVICE',
  ...present(device),
});

export class EventReachView {
  /** How many people it reaches; null, as it is not measured. */
  @ApiProperty({ type: 'integer', nullable: true }) total_reach: number | null;
}

const TOP = { type: String, isArray: true } as const;
const SHARES = { type: Object } as const;

/** Something that happens in the world. What the platform does not measure of it is empty. */
export class TargetingEventView {
  /** How many people it reaches. */
  @ApiProperty({ type: EventReachView }) reach: EventReachView;
  /** What it is called. */
  @ApiProperty() name: string;
  /** Midnight in UTC of its first day, whatever the zone it takes place in. */
  @ApiProperty(TIME) start_time: string;
  /** The ids of the users who post most about it; not measured. */
  @ApiProperty(TOP) top_users: string[];
  /** The ids of the posts about it that are seen most; not measured. */
  @ApiProperty(TOP) top_posts: string[];
  /** What is tagged most with it; not measured. */
  @ApiProperty(TOP) top_hashtags: string[];
  /** By gender, in percent; not measured. */
  @ApiProperty(SHARES) gender_breakdown_percentage: object;
  /** Midnight in UTC of the day after its last. */
  @ApiProperty(TIME) end_time: string;
  /** Where it takes place: ISO 3166-1 alpha-2, null where that is the whole world. */
  @ApiProperty({ ...COUNTRY, nullable: true }) country_code: string | null;
  /** By device, in percent; not measured. */
  @ApiProperty(SHARES) device_breakdown_percentage: object;
  /** What a criterion of EVENT gives as its `targeting_value`. */
  @ApiProperty(VALUE) targeting_value: string;
  /** Whether it is the whole world's. */
  @ApiProperty() is_global: boolean;
  /** Its kind. */
  @ApiProperty(enumSchema(EVENT_TYPES)) event_type: EventType;
  /** By country, in percent; not measured. */
  @ApiProperty(SHARES) country_breakdown_percentage: object;
}
const inSeconds = (time: Date) => `${time.toISOString().slice(0, 19)}Z`;

export const presentEvent = ({ value, name, type, country, start, end }: TargetableEvent): TargetingEventView => ({
  reach: { total_reach: null },
  name,
  start_time: inSeconds(start),
  top_users: [],
  top_posts: [],
  top_hashtags: [],
  gender_breakdown_percentage: {},
  end_time: inSeconds(end),
  country_code: country === '' ? null : country,
  device_breakdown_percentage: {},
  targeting_value: value,
  is_global: country === '',
  event_type: type,
  country_breakdown_percentage: {},
});

export class InterestView extends OptionView {
  /** What a criterion gives as its `targeting_type`. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentInterest = (interest: Shipped): InterestView => ({
  targeting_type: 'INTEREST',
  ...present(interest),
});

export class TargetingLanguageView extends OptionView {
  /** What a criterion gives as its `targeting_type`. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentLanguage = (language: Shipped): TargetingLanguageView => ({
  targeting_type: 'LANGUAGE',
  ...present(language),
});

export class TargetingLocationView extends OptionView {
  /** Where it is: ISO 3166-1 alpha-2. */
  @ApiProperty(COUNTRY) country_code: string;
  /** What kind of place it is; a criterion says it in the singular. */
  @ApiProperty(enumSchema(LOCATION_TYPES)) location_type: LocationType;
  /** What a criterion gives as its `targeting_type`. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentLocation = (location: Location): TargetingLocationView => ({
  country_code: location.countryCode,
  location_type: location.type,
  targeting_type: 'LOCATION',
  ...present(location),
});

export class NetworkOperatorView extends OptionView {
  /** Where it operates: ISO 3166-1 alpha-2. */
  @ApiProperty(COUNTRY) country_code: string;
  /** What a criterion gives as its `targeting_type`. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentNetworkOperator = (operator: NetworkOperator): NetworkOperatorView => ({
  country_code: operator.countryCode,
  targeting_type: 'NETWORK_OPERATOR',
  ...present(operator),
});

export class PlatformVersionView extends OptionView {
  /** The version, such as 4.4. */
  @ApiProperty({ example: '4.4' }) number: string;
  /** The system that it is a version of. */
  @ApiProperty(enumSchema(OS_TYPES)) os_type: OsType;
  /** What a criterion gives as its `targeting_type`. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentPlatformVersion = (version: PlatformVersion): PlatformVersionView => ({
  number: version.number,
  os_type: version.osType,
  targeting_type: 'PLATFORM_VERSION',
  ...present(version),
});

export class PlatformView extends OptionView {
  /** What a criterion gives as its `targeting_type`. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
  /** What it is called in the language that was asked for; absent where that is not known. */
  @ApiProperty({ required: false }) localized_name?: string;
}
export const presentPlatform = (platform: Platform, lang?: string): PlatformView => {
  const localized = lang === undefined ? undefined : platform.localized.get(lang);
  return {
    targeting_type: 'PLATFORM',
    ...(localized !== undefined && { localized_name: localized }),
    ...present(platform),
  };
};

export class TvMarketView {
  /** What it is called. */
  @ApiProperty() name: string;
  /** Where it is: ISO 3166-1 alpha-2. */
  @ApiProperty(COUNTRY) country_code: string;
  /** By which its shows are looked up: language and country. */
  @ApiProperty({ example: 'en-US' }) locale: string;
}
export const presentTvMarket = ({ value, name }: Shipped): TvMarketView => ({
  name,
  country_code: partsOf(value).country,
  locale: value,
});

export class TvLocaleView {
  /** ISO 639-1. */
  @ApiProperty({ example: 'en' }) language: string;
  /** ISO 3166-1 alpha-2. */
  @ApiProperty(COUNTRY) country: string;
}

export class TvShowView {
  /** What it is called. */
  @ApiProperty() name: string;
  /** What a criterion of TV_SHOW gives as its `targeting_value`: a number. */
  @ApiProperty({ type: 'integer', format: 'int64' }) targeting_value: number;
  /** What kind of show it is. */
  @ApiProperty({ example: 'NEWS' }) genre: string;
  /** The markets where it is shown. */
  @ApiProperty({ type: TvLocaleView, isArray: true }) locales: TvLocaleView[];
}
export const presentTvShow = ({ value, name, genre, locales }: TvShow): TvShowView => ({
  name,
  targeting_value: Number(value),
  genre,
  locales: locales.map(partsOf),
});
