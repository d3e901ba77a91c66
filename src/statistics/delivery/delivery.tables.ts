import type { Objective, PayBy } from '../../campaigns/entities/line-item.tables.js';

/** The share of a day's impressions in each local hour, in thousandths. The sum is 1,000. */
export const SHAPE_OF_DAY: readonly number[] = [
  22, 15, 11, 9, 9, 13, 22, 34, 43, 47, 49, 51, 55, 53, 50, 49, 50, 54, 60, 66, 71, 69, 57, 41,
];

/** Impressions per user of the audience and day, unless the frequency cap is lower. */
export const IMPRESSIONS_PER_USER = 4;

/** The spend of a day without a daily budget, in micro-units of a currency with cents. */
export const DAILY_WITHOUT_BUDGET = 50_000_000;

/** The usual prices of 1,000 billable events, in micro-units of a currency with cents. */
export const USUAL_PRICES: Record<PayBy, number> = {
  APP_CLICK: 900_000_000,
  ENGAGEMENT: 120_000_000,
  FOLLOW: 1_500_000_000,
  IMPRESSION: 6_000_000,
  LINK_CLICK: 450_000_000,
  VIEW: 25_000_000,
};

/** The kinds of engagement. A fact has an engagement in exactly one of them. */
export const ENGAGEMENT_KINDS = [
  'urlClicks',
  'appClicks',
  'follows',
  'likes',
  'retweets',
  'replies',
  'details',
] as const;
export type EngagementKind = (typeof ENGAGEMENT_KINDS)[number];

/** The number of engagements of each kind per 1,000,000 impressions. */
export type EngagementRates = Record<EngagementKind, number>;

const PLAIN: EngagementRates = {
  urlClicks: 2_000,
  appClicks: 0,
  follows: 200,
  likes: 5_000,
  retweets: 900,
  replies: 400,
  details: 6_000,
};

const APP: EngagementRates = { ...PLAIN, urlClicks: 300, appClicks: 7_000 };
const VIDEO: EngagementRates = { ...PLAIN, urlClicks: 1_200, details: 8_000 };

/** The rates of posts on the platform. */
export const RATES: Record<Objective, EngagementRates> = {
  APP_ENGAGEMENTS: APP,
  APP_INSTALLS: APP,
  ENGAGEMENTS: { ...PLAIN, likes: 11_000, retweets: 2_500, replies: 1_100, details: 12_000 },
  FOLLOWERS: { ...PLAIN, urlClicks: 0, follows: 4_000, likes: 0, retweets: 0, replies: 0, details: 3_000 },
  PREROLL_VIEWS: VIDEO,
  REACH: PLAIN,
  VIDEO_VIEWS: VIDEO,
  WEBSITE_CLICKS: { ...PLAIN, urlClicks: 9_000 },
};

/** The share of a line item's budget for the partner network if it uses the platform, too, in thousandths. */
export const NETWORK_SHARE = 200;

/** Rates on the partner network, in thousandths of those on the platform. */
export const NETWORK_RATES = 600;

/** Steps of watching a video, each in thousandths of the step before it. The first is of the impressions. */
export const VIDEO_STEPS = {
  starts: 650,
  quarter: 560,
  half: 700,
  threeQuarters: 760,
  whole: 820,
  /** Of the starts. */
  views: 520,
  /** Of the views. */
  threeSeconds: 800,
  /** Of the views that end before. */
  clicksToPlay: 250,
  /** Of the views of three seconds. */
  sixSeconds: 700,
  /** Of the views of six seconds. */
  fifteenSeconds: 600,
} as const;

/** Impressions that users have in view for a second, in thousandths. */
export const QUALIFIED = 700;

/**
 * Visits of the website, installs and re-engagements after 1,000,000 impressions on the platform that users saw without an
 * engagement.
 */
export const AFTER_VIEW = { siteVisits: 1_500, installs: 250, reEngages: 500 } as const;

/** The same after 1,000 clicks on links, or on apps. */
export const AFTER_CLICK = { siteVisits: 850, installs: 300, reEngages: 450 } as const;

/** The steps of a conversion, each in thousandths of the step before it. The first is of the visits of the website. */
export const CONVERSION_STEPS = {
  contentViews: 650,
  addToCarts: 250,
  purchases: 400,
  /** Of the visits of the website. */
  signUps: 60,
  /** Of the installs or the re-engagements. */
  purchasesInApp: 120,
  /** Of the installs or the re-engagements. */
  signUpsInApp: 350,
} as const;

/** The lowest and the highest price of what a line item sells, in the smallest amount of its currency. */
export const ITEM_PRICES = { lowest: 500, highest: 10_000 };
