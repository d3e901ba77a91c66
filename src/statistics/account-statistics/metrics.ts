import { closedSet } from '../../common/values/closed-set.js';
import type { DeliveryCounts } from '../facts/delivery-counts.entity.js';
import { attributedColumns, type AttributedColumn } from './attributed-columns.js';

/** The entities of statistics. */
export const STATISTICS_ENTITIES_OF = closedSet('StatisticsEntity', [
  'ACCOUNT',
  'CAMPAIGN',
  'FUNDING_INSTRUMENT',
  'LINE_ITEM',
  'MEDIA_CREATIVE',
  'ORGANIC_POST',
  'PROMOTED_ACCOUNT',
  'PROMOTED_POST',
]);
export type StatisticsEntity = (typeof STATISTICS_ENTITIES_OF)[number];

export const METRIC_GROUPS = closedSet('MetricGroup', [
  'BILLING',
  'ENGAGEMENT',
  'LIFE_TIME_VALUE_MOBILE_CONVERSION',
  'MEDIA',
  'MOBILE_CONVERSION',
  'VIDEO',
  'WEB_CONVERSION',
]);
export type MetricGroup = (typeof METRIC_GROUPS)[number];

/** A column that is summed: of what was delivered, or of the conversions that are attributed to it. */
export type FactColumn = StoredColumn | AttributedColumn;
export type StoredColumn = keyof DeliveryCounts;

/** A part of the statistics of an entity, such as an age group. */
export interface StatisticsSegment {
  /** In English; null for users of whom the trait is unknown. */
  name: string | null;
  /** The targeting value, such as a metro code; null for users of whom the trait is unknown. */
  value: string | null;
}

/** The counts of an entity, or of a segment of it, for each unit of time. Columns without any count are absent. */
export interface Counts {
  /** Null for the whole entity. */
  segment: StatisticsSegment | null;
  counts: Map<FactColumn, number[]>;
}

/** The counts of an entity: one element for the whole, or one for each segment with counts. */
export interface Series {
  id: string;
  parts: Counts[];
}

/** A value: the sum of columns, times a factor. Nothing counts a value without columns. */
export interface MetricSum {
  columns: readonly FactColumn[];
  factor?: number;
}

/** A metric: a value, or for conversions an object with a value for each member. */
type Metric = MetricSum | { members: Readonly<Record<string, MetricSum>> };
export type StatisticsMetrics = Readonly<Record<string, Metric>>;

const sum = (columns: FactColumn | readonly FactColumn[] = []): MetricSum => ({ columns: [columns].flat() });

const sumsOf = (columns: Record<string, FactColumn>): StatisticsMetrics =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, sum(column)]));
const uncounted = (names: readonly string[]): Record<string, MetricSum> =>
  Object.fromEntries(names.map((name) => [name, sum()]));

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Engagements of every entity. */
const BASIC_ENGAGEMENT = sumsOf({
  engagements: 'engagements',
  impressions: 'impressions',
  retweets: 'retweets',
  replies: 'replies',
  likes: 'likes',
  follows: 'follows',
});

const ENGAGEMENT: StatisticsMetrics = {
  ...BASIC_ENGAGEMENT,
  ...sumsOf({
    card_engagements: 'cardEngagements',
    clicks: 'clicks',
    app_clicks: 'appClicks',
    url_clicks: 'urlClicks',
    qualified_impressions: 'qualifiedImpressions',
    carousel_swipes: 'carouselSwipes',
  }),
  ...uncounted(['posts_send', 'poll_card_vote', 'unfollows']),
};

const BILLING = sumsOf({
  billed_engagements: 'billedEngagements',
  billed_charge_local_micro: 'billedChargeLocalMicro',
});

const VIDEO = sumsOf({
  video_total_views: 'videoTotalViews',
  video_views_25: 'videoViews25',
  video_views_50: 'videoViews50',
  video_views_75: 'videoViews75',
  video_views_100: 'videoViews100',
  video_cta_clicks: 'videoCtaClicks',
  video_content_starts: 'videoContentStarts',
  video_3s100pct_views: 'video3s100pctViews',
  video_6s_views: 'video6sViews',
  video_15s_views: 'video15sViews',
});

const MEDIA = sumsOf({ media_views: 'mediaViews', media_engagements: 'mediaEngagements' });

/** The columns of a kind of conversion. */
interface Conversion {
  /** After a view, and after an engagement. */
  counts: readonly [FactColumn, FactColumn];
  /** The amounts of purchases: after a view and after an engagement, or of both. */
  sales?: readonly FactColumn[];
}
type Conversions = Readonly<Record<string, Conversion>>;

/** The kinds that the simulation counts on websites. */
const ON_WEBSITES: Conversions = {
  site_visits: { counts: ['webSiteVisitsAfterView', 'webSiteVisitsAfterEngagement'] },
  content_views: { counts: ['webContentViewsAfterView', 'webContentViewsAfterEngagement'] },
  add_to_carts: { counts: ['webAddToCartsAfterView', 'webAddToCartsAfterEngagement'] },
  purchases: {
    counts: ['webPurchasesAfterView', 'webPurchasesAfterEngagement'],
    sales: ['webSalesAfterView', 'webSalesAfterEngagement'],
  },
  sign_ups: { counts: ['webSignUpsAfterView', 'webSignUpsAfterEngagement'] },
};

/** The kinds that are counted in apps. */
const IN_APPS: Conversions = {
  installs: { counts: ['mobileInstallsAfterView', 'mobileInstallsAfterEngagement'] },
  re_engages: { counts: ['mobileReEngagesAfterView', 'mobileReEngagesAfterEngagement'] },
  purchases: { counts: ['mobilePurchasesAfterView', 'mobilePurchasesAfterEngagement'], sales: ['mobileSales'] },
  sign_ups: { counts: ['mobileSignUpsAfterView', 'mobileSignUpsAfterEngagement'] },
};

/** Each purchase orders one item, and quantities are in millionths. */
const quantity = (purchases?: FactColumn | readonly FactColumn[]): MetricSum => ({
  ...sum(purchases),
  factor: 1_000_000,
});

/** Simulated conversions, and those that are attributed. */
function webMembersOf(kind: string): Record<string, MetricSum> {
  const { counts = [], sales = [] } = ON_WEBSITES[kind] ?? {};
  const both = (stored: readonly FactColumn[], measure: Parameters<typeof attributedColumns>[1]) => {
    const attributed = attributedColumns(kind, measure) ?? [];
    return [0, 1].map((i) => [stored[i], attributed[i]].filter((column) => column !== undefined));
  };
  const [viewed, engaged] = both(counts, 'conversions');
  const [valueAfterView, valueAfterEngagement] = both(sales, 'amount');
  const [orderedAfterView, orderedAfterEngagement] = both(sales.length > 0 ? counts : [], 'items');
  return {
    metric: sum([...viewed, ...engaged]),
    post_view: sum(viewed),
    post_engagement: sum(engaged),
    assisted: sum(),
    order_quantity: quantity([...orderedAfterView, ...orderedAfterEngagement]),
    order_quantity_view: quantity(orderedAfterView),
    order_quantity_engagement: quantity(orderedAfterEngagement),
    sale_amount: sum([...valueAfterView, ...valueAfterEngagement]),
    sale_amount_view: sum(valueAfterView),
    sale_amount_engagement: sum(valueAfterEngagement),
  };
}

/** The columns of a kind in apps: simulated ones, and those of events that partners report. */
function appColumnsOf(kind: string) {
  const { counts = [], sales = [] } = IN_APPS[kind] ?? {};
  const attributed = (measure: Parameters<typeof attributedColumns>[1]) =>
    attributedColumns(`app_${kind}`, measure) ?? [];
  const conversions = attributed('conversions');
  const [viewed, engaged] = [0, 1].map((i) => [counts[i], conversions[i]].filter((column) => column !== undefined));
  return {
    viewed,
    engaged,
    ordered: [...(sales.length > 0 ? counts : []), ...attributed('items')],
    values: [...sales, ...attributed('amount')],
  };
}

function mobileMembersOf(kind: string): Record<string, MetricSum> {
  const { viewed, engaged, ordered, values } = appColumnsOf(kind);
  return {
    post_view: sum(viewed),
    post_engagement: sum(engaged),
    assisted: sum(),
    order_quantity: quantity(ordered),
    sale_amount: sum(values),
  };
}

function lifetimeMembersOf(kind: string): Record<string, MetricSum> {
  const { viewed, engaged, ordered, values } = appColumnsOf(kind);
  return { metric: sum([...viewed, ...engaged]), order_quantity: quantity(ordered), sale_amount: sum(values) };
}

/** The metrics of kinds of conversions: objects, whose members are null where nothing is counted. */
const conversions = (
  prefix: string,
  names: string,
  membersOf: (kind: string) => Record<string, MetricSum>,
): StatisticsMetrics =>
  Object.fromEntries(words(names).map((kind) => [`${prefix}${kind}`, { members: membersOf(kind) }]));

/** A click on a link shows the landing page, which no tag reports. */
const LANDING_PAGE_VIEWS = {
  ...webMembersOf('landing_page_views'),
  metric: sum('urlClicks'),
  post_engagement: sum('urlClicks'),
};

const WEB_CONVERSION: StatisticsMetrics = {
  ...Object.fromEntries(
    words(
      `purchases sign_ups site_visits downloads custom add_to_carts checkouts_initiated content_views payment_info_additions
        add_to_wishlists searches landing_page_views subscriptions`,
    ).map((kind) => [`conversion_${kind}`, { members: webMembersOf(kind) }]),
  ),
  conversion_landing_page_views: { members: LANDING_PAGE_VIEWS },
  ...uncounted(['auto_created_conversion_session', 'auto_created_conversion_landing_page_view']),
};

const MOBILE_CONVERSION: StatisticsMetrics = {
  ...conversions(
    'mobile_conversion_',
    `spent_credits installs content_views add_to_wishlists checkouts_initiated reservations tutorials_completed
      achievements_unlocked searches add_to_carts payment_info_additions re_engages shares rates logins updates
      levels_achieved invites downloads purchases sign_ups site_visits`,
    mobileMembersOf,
  ),
  mobile_conversion_key_page_views: { members: { post_view: sum(), post_engagement: sum() } },
};

const LIFE_TIME_VALUE_MOBILE_CONVERSION = conversions(
  'mobile_conversion_lifetime_value_',
  `purchases sign_ups updates tutorials_completed reservations add_to_carts add_to_wishlists checkouts_initiated
    levels_achieved achievements_unlocked shares invites payment_info_additions spent_credits rates`,
  lifetimeMembersOf,
);

type Groups = Readonly<Partial<Record<MetricGroup, StatisticsMetrics>>>;

const ALL: Groups = {
  BILLING,
  ENGAGEMENT,
  LIFE_TIME_VALUE_MOBILE_CONVERSION,
  MEDIA,
  MOBILE_CONVERSION,
  VIDEO,
  WEB_CONVERSION,
};

/** The groups of each entity, with its metrics in each. */
export const GROUPS: Readonly<Record<StatisticsEntity, Groups>> = {
  ACCOUNT: { ENGAGEMENT: BASIC_ENGAGEMENT },
  CAMPAIGN: ALL,
  FUNDING_INSTRUMENT: { ENGAGEMENT: BASIC_ENGAGEMENT, BILLING },
  LINE_ITEM: ALL,
  MEDIA_CREATIVE: ALL,
  ORGANIC_POST: { ENGAGEMENT, VIDEO },
  PROMOTED_ACCOUNT: ALL,
  PROMOTED_POST: ALL,
};

/** The metrics of these groups of an entity. Nothing counts those of groups that are not in `counted`. */
export const metricsOf = (
  entity: StatisticsEntity,
  groups: readonly MetricGroup[],
  counted: readonly MetricGroup[] = groups,
): StatisticsMetrics =>
  Object.assign(
    {},
    ...groups.map((group) => {
      const metrics = GROUPS[entity][group] ?? {};
      return counted.includes(group) ? metrics : withoutCounts(metrics);
    }),
  ) as StatisticsMetrics;

const withoutCounts = (metrics: StatisticsMetrics): StatisticsMetrics =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, metric]) => [
      name,
      'members' in metric ? { members: uncounted(Object.keys(metric.members)) } : sum(),
    ]),
  );

/** The columns that these metrics sum. */
export const columnsOf = (metrics: StatisticsMetrics): FactColumn[] => [
  ...new Set(
    Object.values(metrics)
      .flatMap((metric) => ('members' in metric ? Object.values(metric.members) : [metric]))
      .flatMap(({ columns }) => columns),
  ),
];

/** A number for each unit of time; null if nothing was counted in any. Sums end at the largest number that responses have. */
export function valueOf({ columns, factor = 1 }: MetricSum, counts: Counts['counts']): readonly number[] | null {
  const series = columns.map((column) => counts.get(column)).filter((each) => each !== undefined);
  if (series.length === 0) return null;
  return series.length === 1 && factor === 1
    ? series[0]
    : series[0].map((_, unit) =>
        Math.min(Number.MAX_SAFE_INTEGER, factor * series.reduce((sum, each) => sum + each[unit], 0)),
      );
}
