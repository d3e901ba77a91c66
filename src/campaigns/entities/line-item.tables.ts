import { closedSet } from '../../common/values/closed-set.js';

/** The values allowed by objective. The rules are in line-item.rules.ts and dynamic-products.rules.ts. */

export const OBJECTIVES = closedSet('Objective', [
  'APP_ENGAGEMENTS',
  'APP_INSTALLS',
  'REACH',
  'FOLLOWERS',
  'ENGAGEMENTS',
  'VIDEO_VIEWS',
  'PREROLL_VIEWS',
  'WEBSITE_CLICKS',
]);
export type Objective = (typeof OBJECTIVES)[number];

export const PRODUCT_TYPES = closedSet('ProductType', ['MEDIA', 'PROMOTED_ACCOUNT', 'PROMOTED_POSTS']);
export type ProductType = (typeof PRODUCT_TYPES)[number];

export const PLACEMENTS = closedSet('Placement', [
  'ALL_ON_PLATFORM',
  'PUBLISHER_NETWORK',
  'TAP_BANNER',
  'TAP_FULL',
  'TAP_FULL_LANDSCAPE',
  'TAP_NATIVE',
  'TAP_MRECT',
  'PLATFORM_PROFILE',
  'PLATFORM_REPLIES',
  'PLATFORM_SEARCH',
  'PLATFORM_TIMELINE',
]);
export type Placement = (typeof PLACEMENTS)[number];

export const GOALS = closedSet('Goal', [
  'APP_CLICKS',
  'APP_INSTALLS',
  'APP_PURCHASES',
  'ENGAGEMENT',
  'FOLLOWERS',
  'LINK_CLICKS',
  'MAX_REACH',
  'PREROLL',
  'PREROLL_STARTS',
  'REACH_WITH_ENGAGEMENT',
  'SITE_VISITS',
  'VIDEO_VIEW',
  'VIEW_3S_100PCT',
  'VIEW_6S',
  'VIEW_15S',
  'WEBSITE_CONVERSIONS',
]);
export type Goal = (typeof GOALS)[number];

export const BID_STRATEGIES = closedSet('BidStrategy', ['AUTO', 'MAX', 'TARGET']);
export type BidStrategy = (typeof BID_STRATEGIES)[number];

export const PAY_BYS = closedSet('PayBy', ['APP_CLICK', 'ENGAGEMENT', 'FOLLOW', 'IMPRESSION', 'LINK_CLICK', 'VIEW']);
export type PayBy = (typeof PAY_BYS)[number];

/** The periods of a frequency cap, in days. */
export const CAP_DAYS: readonly number[] = [1, 7, 30];

/** The billable events of a goal. */
export interface Payment {
  /** Unless the bid strategy is TARGET. */
  usually: PayBy;
  /** If the bid strategy is TARGET. Defaults to `usually`. */
  withTarget?: PayBy;
  /** The alternatives that a request may choose. */
  choices?: readonly PayBy[];
}

/** The terms that an objective determines. */
export interface ObjectiveTerms {
  /** The first one is the default. */
  goals: readonly [Goal, ...Goal[]];
  strategies: readonly BidStrategy[];
  /** The strategy of a line item with a bid and without a strategy. Without a bid it is AUTO. */
  withBid: BidStrategy;
  products: readonly ProductType[];
  payment: Partial<Record<Goal, Payment>>;
  /** Whether it supports a frequency cap. */
  capped?: true;
  /** Whether it requires an app store identifier. */
  app?: true;
}

/** Goal, bid strategy and payment by objective. */
export const TERMS: Record<Objective, ObjectiveTerms> = {
  ENGAGEMENTS: {
    goals: ['ENGAGEMENT'],
    strategies: ['AUTO', 'MAX'],
    withBid: 'MAX',
    products: ['PROMOTED_POSTS'],
    payment: { ENGAGEMENT: { usually: 'ENGAGEMENT' } },
    capped: true,
  },
  WEBSITE_CLICKS: {
    goals: ['LINK_CLICKS', 'SITE_VISITS', 'WEBSITE_CONVERSIONS'],
    strategies: ['AUTO', 'MAX', 'TARGET'],
    withBid: 'MAX',
    products: ['PROMOTED_POSTS', 'MEDIA'],
    payment: {
      LINK_CLICKS: { usually: 'IMPRESSION', withTarget: 'LINK_CLICK', choices: ['LINK_CLICK', 'IMPRESSION'] },
      SITE_VISITS: { usually: 'IMPRESSION' },
      WEBSITE_CONVERSIONS: { usually: 'IMPRESSION', withTarget: 'LINK_CLICK' },
    },
  },
  APP_INSTALLS: {
    goals: ['APP_CLICKS', 'APP_INSTALLS', 'APP_PURCHASES'],
    strategies: ['AUTO', 'MAX'],
    withBid: 'MAX',
    products: ['PROMOTED_POSTS', 'MEDIA'],
    payment: {
      APP_CLICKS: { usually: 'APP_CLICK' },
      APP_INSTALLS: { usually: 'IMPRESSION', choices: ['APP_CLICK', 'IMPRESSION'] },
      APP_PURCHASES: { usually: 'IMPRESSION' },
    },
    app: true,
  },
  APP_ENGAGEMENTS: {
    goals: ['APP_CLICKS', 'APP_INSTALLS'],
    strategies: ['AUTO', 'MAX'],
    withBid: 'MAX',
    products: ['PROMOTED_POSTS', 'MEDIA'],
    payment: { APP_CLICKS: { usually: 'APP_CLICK' }, APP_INSTALLS: { usually: 'APP_CLICK' } },
    app: true,
  },
  FOLLOWERS: {
    goals: ['FOLLOWERS'],
    strategies: ['AUTO', 'TARGET'],
    withBid: 'TARGET',
    products: ['PROMOTED_ACCOUNT'],
    payment: { FOLLOWERS: { usually: 'FOLLOW' } },
  },
  REACH: {
    goals: ['MAX_REACH', 'REACH_WITH_ENGAGEMENT'],
    strategies: ['AUTO', 'TARGET'],
    withBid: 'TARGET',
    products: ['PROMOTED_POSTS', 'MEDIA'],
    payment: { MAX_REACH: { usually: 'IMPRESSION' }, REACH_WITH_ENGAGEMENT: { usually: 'IMPRESSION' } },
    capped: true,
  },
  VIDEO_VIEWS: {
    goals: ['VIDEO_VIEW', 'VIEW_3S_100PCT', 'VIEW_6S', 'VIEW_15S'],
    strategies: ['AUTO', 'MAX'],
    withBid: 'MAX',
    products: ['PROMOTED_POSTS'],
    payment: {
      VIDEO_VIEW: { usually: 'VIEW' },
      VIEW_3S_100PCT: { usually: 'VIEW' },
      VIEW_6S: { usually: 'IMPRESSION' },
      VIEW_15S: { usually: 'IMPRESSION' },
    },
    capped: true,
  },
  PREROLL_VIEWS: {
    goals: ['VIEW_3S_100PCT', 'PREROLL', 'PREROLL_STARTS', 'VIEW_6S', 'VIEW_15S'],
    strategies: ['AUTO', 'MAX'],
    withBid: 'MAX',
    products: ['MEDIA'],
    payment: {
      VIEW_3S_100PCT: { usually: 'VIEW' },
      PREROLL: { usually: 'VIEW' },
      PREROLL_STARTS: { usually: 'VIEW' },
      VIEW_6S: { usually: 'VIEW' },
      VIEW_15S: { usually: 'VIEW' },
    },
    capped: true,
  },
};

const ON_PLATFORM: readonly Placement[] = [
  'ALL_ON_PLATFORM',
  'PLATFORM_PROFILE',
  'PLATFORM_REPLIES',
  'PLATFORM_SEARCH',
  'PLATFORM_TIMELINE',
];

/** The placements of in-stream videos, which are the media of PREROLL_VIEWS. */
export const IN_STREAM_PLACEMENTS: readonly Placement[] = ['ALL_ON_PLATFORM', 'PUBLISHER_NETWORK'];

/** The placements of image ads, which are the media of all other objectives: on the partner network. */
const IMAGE_PLACEMENTS: readonly Placement[] = [
  'PUBLISHER_NETWORK',
  'TAP_BANNER',
  'TAP_FULL',
  'TAP_FULL_LANDSCAPE',
  'TAP_MRECT',
];

/** The placements of each product type. */
export const PLACEMENTS_OF: Record<ProductType, readonly Placement[]> = {
  PROMOTED_ACCOUNT: ['ALL_ON_PLATFORM', 'PLATFORM_TIMELINE'],
  PROMOTED_POSTS: [...ON_PLATFORM, 'PUBLISHER_NETWORK'],
  MEDIA: [...new Set([...IN_STREAM_PLACEMENTS, ...IMAGE_PLACEMENTS])],
};

/** The placements of media for an objective. Each of them accepts a creative. */
export const mediaPlacementsOf = (objective: Objective): readonly Placement[] =>
  objective === 'PREROLL_VIEWS' ? IN_STREAM_PLACEMENTS : IMAGE_PLACEMENTS;
