import type { AppOsType } from '../accounts/account-apps/account-app.entity.js';
import type { PromotableUserType } from '../accounts/promotable-users/promotable-user.entity.js';
import type { AccessLevel, ClientType } from '../auth/credentials/application.entity.js';
import type { Scope } from '../auth/credentials/scopes.js';
import type { FundingType } from '../campaigns/funding-instruments/funding-instrument.entity.js';
import type { ReferenceName } from '../campaigns/reference/reference-kind.js';
import type { MetricGroup, StatisticsEntity } from '../statistics/account-statistics/metrics.js';
import type { SegmentationType } from '../statistics/account-statistics/segmentation.js';
import type { Granularity } from '../statistics/account-statistics/statistics-window.rules.js';
import type { FactPlacement } from '../measurement/entities/conversion-fact.entity.js';
import type { AdsEnvironment } from '../common/http/urls/public-urls.js';

// These values are repeated here because importing the entities that define them would load the database layer, which takes
// `--help` a second. The types ensure that the lists agree.
const namesOf = <T extends string>(all: Record<T, true>) => Object.keys(all) as T[];

export const ACCESS_LEVEL_CHOICES = namesOf<AccessLevel>({ read: true, write: true });
/** What an application may use of the advertising endpoints. */
export const ADS_ACCESS_CHOICES = ['none', 'conversions', 'standard'] as const;
export const CLIENT_TYPE_CHOICES = namesOf<ClientType>({ public: true, confidential: true });
export const SCOPE_CHOICES = namesOf<Scope>({
  'ads.read': true,
  'ads.write': true,
  'media.write': true,
  'offline.access': true,
  'users.read': true,
  'tweet.read': true,
});
export const ENVIRONMENTS = namesOf<AdsEnvironment>({ production: true, sandbox: true });
export const PROMOTABLE_USER_TYPE_CHOICES = namesOf<PromotableUserType>({ FULL: true, RETWEETS_ONLY: true });
export const OS_TYPE_CHOICES = namesOf<AppOsType>({ Android: true, iOS: true });
export const REFERENCE_NAMES = namesOf<ReferenceName>({
  iab_categories: true,
  advertiser_business_categories: true,
  content_categories: true,
  bidding_rules: true,
});
export const FUNDING_TYPE_CHOICES = namesOf<FundingType>({
  AGENCY_CREDIT_LINE: true,
  CREDIT_CARD: true,
  CREDIT_LINE: true,
  INSERTION_ORDER: true,
  PARTNER_MANAGED: true,
});
/** Organic posts are not delivered, so they have no figures. */
export const REPORTED_ENTITIES = namesOf<Exclude<StatisticsEntity, 'ORGANIC_POST'>>({
  ACCOUNT: true,
  CAMPAIGN: true,
  FUNDING_INSTRUMENT: true,
  LINE_ITEM: true,
  MEDIA_CREATIVE: true,
  PROMOTED_ACCOUNT: true,
  PROMOTED_POST: true,
});
export const GRANULARITIES = namesOf<Granularity>({ HOUR: true, DAY: true, TOTAL: true });
export const METRIC_GROUP_CHOICES = namesOf<MetricGroup>({
  BILLING: true,
  ENGAGEMENT: true,
  LIFE_TIME_VALUE_MOBILE_CONVERSION: true,
  MEDIA: true,
  MOBILE_CONVERSION: true,
  VIDEO: true,
  WEB_CONVERSION: true,
});
export const DELIVERY_PLACEMENTS = namesOf<FactPlacement>({ ALL_ON_PLATFORM: true, PUBLISHER_NETWORK: true });
export const SEGMENTATION_TYPE_CHOICES = namesOf<SegmentationType>({
  AGE: true,
  APP_STORE_CATEGORY: true,
  AUDIENCES: true,
  CITIES: true,
  CONVERSATIONS: true,
  CONVERSION_TAGS: true,
  DEVICES: true,
  EVENTS: true,
  GENDER: true,
  INTERESTS: true,
  KEYWORDS: true,
  LANGUAGES: true,
  LOCATIONS: true,
  METROS: true,
  PLATFORMS: true,
  PLATFORM_VERSIONS: true,
  POSTAL_CODES: true,
  REGIONS: true,
  SIMILAR_TO_FOLLOWERS_OF_USER: true,
  TV_SHOWS: true,
});
