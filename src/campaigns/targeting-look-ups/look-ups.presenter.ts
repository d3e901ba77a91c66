import { inSeconds } from '../../common/time/in-seconds.js';
import { ApiProperty } from '@nestjs/swagger';
import { LOCATION_TYPES, type Location, type LocationType } from '../../audiences/locations/locations.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { TIME } from '../../common/http/answers/responses.js';
import type { ShippedItem } from '../../common/list/shipped-list.js';
import { EVENT_TYPES, type TargetingEventType, type TargetableEvent } from '../targeting-values/events.rules.js';
import {
  APP_STORES,
  CONVERSATION_TYPES,
  TARGETING_OS_TYPES,
  interestPartsOf,
  type AppStore,
  type AppStoreCategory,
  type Conversation,
  type ConversationType,
  type Device,
  type NetworkOperator,
  type TargetingOsType,
  type Platform,
  type PlatformVersion,
  type TvShow,
} from '../targeting-values/targeting-lists.js';
import { TARGETING_TYPES, type TargetingType } from '../targeting-values/targeting-types.js';

const VALUE = { type: String } as const;
const COUNTRY = { type: String, example: 'US' } as const;

/** A value that line items can target. */
class OptionView {
  /** The display name. */
  @ApiProperty() name: string;
  /** The value to send as `targeting_value` of a criterion. */
  @ApiProperty(VALUE) targeting_value: string;
}

const present = ({ name, value }: ShippedItem): OptionView => ({ name, targeting_value: value });

export class AppStoreCategoryView extends OptionView {
  /** The value to send as `targeting_type` of a criterion. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
  /** The app store of the category. */
  @ApiProperty(enumSchema(APP_STORES)) os_type: AppStore;
}
export const presentAppStoreCategory = (category: AppStoreCategory): AppStoreCategoryView => ({
  targeting_type: 'APP_STORE_CATEGORY',
  os_type: category.osType,
  ...present(category),
});

export class ConversationView extends OptionView {
  /** The value to send as `targeting_type` of a criterion. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
  /** The type of the conversation. */
  @ApiProperty(enumSchema(CONVERSATION_TYPES)) conversation_type: ConversationType;
}
export const presentConversation = (conversation: Conversation): ConversationView => ({
  targeting_type: 'CONVERSATION',
  conversation_type: conversation.type,
  ...present(conversation),
});

export class DeviceView extends OptionView {
  /** The manufacturer. */
  @ApiProperty({ example: 'Apple' }) manufacturer: string;
  /** The operating system. */
  @ApiProperty(enumSchema(TARGETING_OS_TYPES)) os_type: TargetingOsType;
  /** The value to send as `targeting_type` of a criterion. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentDevice = (device: Device): DeviceView => ({
  manufacturer: device.manufacturer,
  os_type: device.osType,
  targeting_type: 'DEVICE',
  ...present(device),
});

export class EventReachView {
  /** Number of users that the event reaches. Null, because it is not measured. */
  @ApiProperty({ type: 'integer', nullable: true }) total_reach: number | null;
}

const TOP = { type: String, isArray: true } as const;
const SHARES = { type: Object } as const;

/** An event that can be targeted. Fields that the platform does not measure are empty. */
export class TargetingEventView {
  /** Number of users that the event reaches. */
  @ApiProperty({ type: EventReachView }) reach: EventReachView;
  /** The event's name. */
  @ApiProperty() name: string;
  /** Midnight UTC of the event's first day, regardless of its time zone. */
  @ApiProperty(TIME) start_time: string;
  /** Ids of the users who post most about the event. Not measured. */
  @ApiProperty(TOP) top_users: string[];
  /** Ids of the most viewed posts about the event. Not measured. */
  @ApiProperty(TOP) top_posts: string[];
  /** The most used hashtags. Not measured. */
  @ApiProperty(TOP) top_hashtags: string[];
  /** Percentages by gender. Not measured. */
  @ApiProperty(SHARES) gender_breakdown_percentage: object;
  /** Midnight UTC of the day after the event's last day. */
  @ApiProperty(TIME) end_time: string;
  /** The country of the event, as an ISO 3166-1 alpha-2 code. Null for a global event. */
  @ApiProperty({ ...COUNTRY, nullable: true }) country_code: string | null;
  /** Percentages by device. Not measured. */
  @ApiProperty(SHARES) device_breakdown_percentage: object;
  /** The value to send as `targeting_value` of an EVENT criterion. */
  @ApiProperty(VALUE) targeting_value: string;
  /** Whether the event is global. */
  @ApiProperty() is_global: boolean;
  /** The event type. */
  @ApiProperty(enumSchema(EVENT_TYPES)) event_type: TargetingEventType;
  /** Percentages by country. Not measured. */
  @ApiProperty(SHARES) country_breakdown_percentage: object;
}
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
  /** The value to send as `targeting_type` of a criterion. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentInterest = (interest: ShippedItem): InterestView => ({
  targeting_type: 'INTEREST',
  ...present(interest),
});

export class TargetingLanguageView extends OptionView {
  /** The value to send as `targeting_type` of a criterion. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentLanguage = (language: ShippedItem): TargetingLanguageView => ({
  targeting_type: 'LANGUAGE',
  ...present(language),
});

export class TargetingLocationView extends OptionView {
  /** The country, as an ISO 3166-1 alpha-2 code. */
  @ApiProperty(COUNTRY) country_code: string;
  /** The location type. Criteria use the singular form. */
  @ApiProperty(enumSchema(LOCATION_TYPES)) location_type: LocationType;
  /** The value to send as `targeting_type` of a criterion. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentLocation = (location: Location): TargetingLocationView => ({
  country_code: location.countryCode,
  location_type: location.type,
  targeting_type: 'LOCATION',
  ...present(location),
});

export class NetworkOperatorView extends OptionView {
  /** The country of the network operator, as an ISO 3166-1 alpha-2 code. */
  @ApiProperty(COUNTRY) country_code: string;
  /** The value to send as `targeting_type` of a criterion. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentNetworkOperator = (operator: NetworkOperator): NetworkOperatorView => ({
  country_code: operator.countryCode,
  targeting_type: 'NETWORK_OPERATOR',
  ...present(operator),
});

export class PlatformVersionView extends OptionView {
  /** The version number, such as 4.4. */
  @ApiProperty({ example: '4.4' }) number: string;
  /** The operating system of the version. */
  @ApiProperty(enumSchema(TARGETING_OS_TYPES)) os_type: TargetingOsType;
  /** The value to send as `targeting_type` of a criterion. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
}
export const presentPlatformVersion = (version: PlatformVersion): PlatformVersionView => ({
  number: version.number,
  os_type: version.osType,
  targeting_type: 'PLATFORM_VERSION',
  ...present(version),
});

export class PlatformView extends OptionView {
  /** The value to send as `targeting_type` of a criterion. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) targeting_type: TargetingType;
  /** The name in the requested language. Absent if it is not known. */
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

@Noun('TV market')
export class TvMarketView {
  /** The display name. */
  @ApiProperty() name: string;
  /** The country, as an ISO 3166-1 alpha-2 code. */
  @ApiProperty(COUNTRY) country_code: string;
  /** Language and country. The TV show look-up takes this value. */
  @ApiProperty({ example: 'en-US' }) locale: string;
}
export const presentTvMarket = ({ value, name }: ShippedItem): TvMarketView => ({
  name,
  country_code: interestPartsOf(value).country,
  locale: value,
});

export class TvLocaleView {
  /** An ISO 639-1 language code. */
  @ApiProperty({ example: 'en' }) language: string;
  /** An ISO 3166-1 alpha-2 country code. */
  @ApiProperty(COUNTRY) country: string;
}

@Noun('TV show')
export class TvShowView {
  /** The display name. */
  @ApiProperty() name: string;
  /** The value to send as `targeting_value` of a TV_SHOW criterion, as a number. */
  @ApiProperty({ type: 'integer', format: 'int64' }) targeting_value: number;
  /** The genre of the show. */
  @ApiProperty({ example: 'NEWS' }) genre: string;
  /** The markets of the show. */
  @ApiProperty({ type: TvLocaleView, isArray: true }) locales: TvLocaleView[];
}
export const presentTvShow = ({ value, name, genre, locales }: TvShow): TvShowView => ({
  name,
  targeting_value: Number(value),
  genre,
  locales: locales.map(interestPartsOf),
});
