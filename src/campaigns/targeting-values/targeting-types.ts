import { closedSet } from '../../common/values/closed-set.js';

/** The targeting types. */
export const TARGETING_TYPES = closedSet('TargetingType', [
  'AGE',
  'APP_LIST',
  'APP_STORE_CATEGORY',
  'APP_STORE_CATEGORY_LOOKALIKE',
  'BROAD_KEYWORD',
  'CAMPAIGN_ENGAGEMENT',
  'CAMPAIGN_ENGAGEMENT_LOOKALIKE',
  'CONTENT_PUBLISHER_USER',
  'CONVERSATION',
  'CUSTOM_AUDIENCE',
  'CUSTOM_AUDIENCE_EXPANDED',
  'DEVICE',
  'ENGAGEMENT_TYPE',
  'EVENT',
  'EXACT_KEYWORD',
  'FOLLOWERS_OF_USER',
  'GENDER',
  'IAB_CATEGORY',
  'INTEREST',
  'LANGUAGE',
  'LIVE_TV_EVENT',
  'LOCATION',
  'NETWORK_ACTIVATION_DURATION',
  'NETWORK_OPERATOR',
  'PHRASE_KEYWORD',
  'PLATFORM',
  'PLATFORM_VERSION',
  'SIMILAR_TO_FOLLOWERS_OF_USER',
  'TV_SHOW',
  'UNORDERED_KEYWORD',
  'USER_ENGAGEMENT',
  'USER_ENGAGEMENT_LOOKALIKE',
  'WIFI_ONLY',
]);
export type TargetingType = (typeof TARGETING_TYPES)[number];

/** The kinds of rows that values refer to by id. */
export type TargetingReferenceKind =
  'app list' | 'audience' | 'campaign' | 'IAB category' | 'own user' | 'publisher' | 'user';

/** The kind of row that the values of a type refer to, if any. */
export const TARGETING_REFERENCE_KINDS: Partial<Record<TargetingType, TargetingReferenceKind>> = {
  APP_LIST: 'app list',
  CAMPAIGN_ENGAGEMENT: 'campaign',
  CAMPAIGN_ENGAGEMENT_LOOKALIKE: 'campaign',
  CONTENT_PUBLISHER_USER: 'publisher',
  CUSTOM_AUDIENCE: 'audience',
  CUSTOM_AUDIENCE_EXPANDED: 'audience',
  FOLLOWERS_OF_USER: 'own user',
  IAB_CATEGORY: 'IAB category',
  SIMILAR_TO_FOLLOWERS_OF_USER: 'user',
  USER_ENGAGEMENT: 'own user',
  USER_ENGAGEMENT_LOOKALIKE: 'own user',
};

/** How a criterion applies: is, is not, is at least, is below. */
export const OPERATOR_TYPES = closedSet('OperatorType', ['EQ', 'NE', 'GTE', 'LT']);
export type OperatorType = (typeof OPERATOR_TYPES)[number];

/**
 * How criteria combine. Users must match any criterion of any PRIMARY type and the criteria of each SECONDARY type.
 * PLACEMENT determines the content next to an ad, not its audience.
 */
type TargetingFamily = 'PRIMARY' | 'SECONDARY' | 'PLACEMENT';

/** Groups of types whose criteria share one limit per line item. */
export type LimitName =
  | 'age buckets'
  | 'events'
  | 'interests'
  | 'users whose followers are targeted'
  | 'locations'
  | 'keywords'
  | 'engagement types'
  | 'criteria of each other type';

/** Maximum number of criteria per line item. */
export const LIMITS: Record<LimitName, number> = {
  'age buckets': 1,
  events: 1,
  interests: 100,
  'users whose followers are targeted': 100,
  locations: 2_000,
  keywords: 1_000,
  'engagement types': 5,
  'criteria of each other type': 500,
};

/** Maximum number of criteria of all types per line item. */
export const MAX_CRITERIA = 4_000;

interface TypeRules {
  family: TargetingFamily;
  /** The first one is the default. */
  operators: readonly [OperatorType, ...OperatorType[]];
  limit: LimitName;
  /** The type that this type is a lookalike of. */
  lookalikeOf?: TargetingType;
}

const IS = ['EQ'] as const;
const IS_OR_NOT = ['EQ', 'NE'] as const;
const NOT = ['NE'] as const;
const SINCE = ['GTE', 'LT'] as const;
const OTHER = 'criteria of each other type';
const SEEDS = 'users whose followers are targeted';

const is = (
  family: TargetingFamily,
  operators: TypeRules['operators'],
  limit: LimitName = OTHER,
  lookalikeOf?: TargetingType,
): TypeRules => ({ family, operators, limit, ...(lookalikeOf && { lookalikeOf }) });

/** No type depends on a feature of the account. */
export const TARGETING: Record<TargetingType, TypeRules> = {
  AGE: is('SECONDARY', IS, 'age buckets'),
  APP_LIST: is('PLACEMENT', NOT),
  APP_STORE_CATEGORY: is('SECONDARY', IS_OR_NOT),
  APP_STORE_CATEGORY_LOOKALIKE: is('SECONDARY', IS, OTHER, 'APP_STORE_CATEGORY'),
  BROAD_KEYWORD: is('PRIMARY', IS_OR_NOT, 'keywords'),
  CAMPAIGN_ENGAGEMENT: is('PRIMARY', IS_OR_NOT),
  CAMPAIGN_ENGAGEMENT_LOOKALIKE: is('PRIMARY', IS, OTHER, 'CAMPAIGN_ENGAGEMENT'),
  CONTENT_PUBLISHER_USER: is('PLACEMENT', NOT),
  CONVERSATION: is('PRIMARY', IS_OR_NOT),
  CUSTOM_AUDIENCE: is('PRIMARY', IS_OR_NOT),
  CUSTOM_AUDIENCE_EXPANDED: is('PRIMARY', IS, OTHER, 'CUSTOM_AUDIENCE'),
  DEVICE: is('SECONDARY', IS_OR_NOT),
  ENGAGEMENT_TYPE: is('SECONDARY', IS, 'engagement types'),
  EVENT: is('PRIMARY', IS, 'events'),
  EXACT_KEYWORD: is('PRIMARY', IS_OR_NOT, 'keywords'),
  FOLLOWERS_OF_USER: is('PRIMARY', IS_OR_NOT, SEEDS),
  GENDER: is('SECONDARY', IS),
  IAB_CATEGORY: is('PLACEMENT', IS_OR_NOT),
  INTEREST: is('PRIMARY', IS_OR_NOT, 'interests'),
  LANGUAGE: is('SECONDARY', IS_OR_NOT),
  LIVE_TV_EVENT: is('PRIMARY', IS),
  LOCATION: is('SECONDARY', IS_OR_NOT, 'locations'),
  NETWORK_ACTIVATION_DURATION: is('SECONDARY', SINCE),
  NETWORK_OPERATOR: is('SECONDARY', IS_OR_NOT),
  PHRASE_KEYWORD: is('PRIMARY', IS_OR_NOT, 'keywords'),
  PLATFORM: is('SECONDARY', IS_OR_NOT),
  PLATFORM_VERSION: is('SECONDARY', IS_OR_NOT),
  SIMILAR_TO_FOLLOWERS_OF_USER: is('PRIMARY', IS, SEEDS),
  TV_SHOW: is('PRIMARY', IS),
  UNORDERED_KEYWORD: is('PRIMARY', IS_OR_NOT, 'keywords'),
  USER_ENGAGEMENT: is('PRIMARY', IS_OR_NOT),
  USER_ENGAGEMENT_LOOKALIKE: is('PRIMARY', IS, OTHER, 'USER_ENGAGEMENT'),
  WIFI_ONLY: is('SECONDARY', IS),
};

/** The default operator of a type: EQ, unless the type does not allow it. Audiences require an explicit one. */
export const defaultOperator = (type: TargetingType): OperatorType => TARGETING[type].operators[0];

/** The keyword types. */
export const KEYWORD_TYPES = ['BROAD_KEYWORD', 'EXACT_KEYWORD', 'PHRASE_KEYWORD', 'UNORDERED_KEYWORD'] as const;
export const isKeywordType = (type: TargetingType): type is (typeof KEYWORD_TYPES)[number] =>
  TARGETING[type].limit === 'keywords';

/** The types that target users who engaged with something. ENGAGEMENT_TYPE narrows them down. */
export const ENGAGEMENT_TYPES_OF = [
  'CAMPAIGN_ENGAGEMENT',
  'CAMPAIGN_ENGAGEMENT_LOOKALIKE',
  'USER_ENGAGEMENT',
  'USER_ENGAGEMENT_LOOKALIKE',
] as const satisfies readonly TargetingType[];
