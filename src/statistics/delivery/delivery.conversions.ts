import type { ConversionColumn } from '../facts/delivery-counts.entity.js';
import { rounded, share, type Draws } from './draw.js';
import type { CountedEvents } from './delivery.events.js';
import { AFTER_CLICK, AFTER_VIEW, CONVERSION_STEPS, ITEM_PRICES, NETWORK_RATES } from './delivery.tables.js';
import type { SimulatedLineItem } from './simulated-line-item.js';

/** The conversions of a fact, as its columns: all that its line item counts, or none. */
export type CountedConversions = Readonly<Partial<Record<ConversionColumn, number>>>;

/** Events that users convert after. */
export interface Converting {
  item: Pick<SimulatedLineItem, 'objective' | 'isAppTracked' | 'reportsOwn'>;
  /** The price of what the line item sells, in micro-units. */
  itemPrice: number;
  network: boolean;
  events: Pick<CountedEvents, 'impressions' | 'engagements' | 'urlClicks' | 'appClicks'>;
}

const NONE: CountedConversions = {};

/** The price of what a line item sells, in micro-units. The draws are those of the line item, so that it never changes. */
export const itemPriceOf = ({ denomination }: Pick<SimulatedLineItem, 'denomination'>, draws: Draws): number =>
  draws.between(ITEM_PRICES.lowest, ITEM_PRICES.highest, 'item price') * denomination;

/** The conversions on the website or in the app of a line item. */
export function conversionsOf(converting: Converting, draws: Draws): CountedConversions {
  const { objective, isAppTracked, reportsOwn } = converting.item;
  if (objective === 'WEBSITE_CLICKS') return reportsOwn ? NONE : onWebsite(converting, draws);
  if (!isAppTracked) return NONE;
  if (objective === 'APP_INSTALLS') return inInstalledApp(converting, draws);
  return objective === 'APP_ENGAGEMENTS' ? inReopenedApp(converting, draws) : NONE;
}

function onWebsite(converting: Converting, draws: Draws): CountedConversions {
  const [view, engagement] = afterBoth(converting, 'siteVisits', draws).map(visitStep);
  return {
    webSiteVisitsAfterView: view.siteVisits,
    webSiteVisitsAfterEngagement: engagement.siteVisits,
    webContentViewsAfterView: view.contentViews,
    webContentViewsAfterEngagement: engagement.contentViews,
    webAddToCartsAfterView: view.addToCarts,
    webAddToCartsAfterEngagement: engagement.addToCarts,
    webPurchasesAfterView: view.purchases,
    webPurchasesAfterEngagement: engagement.purchases,
    webSignUpsAfterView: view.signUps,
    webSignUpsAfterEngagement: engagement.signUps,
    webSalesAfterView: view.purchases * converting.itemPrice,
    webSalesAfterEngagement: engagement.purchases * converting.itemPrice,
  };
}

function visitStep({ count: siteVisits, draws }: Step) {
  const contentViews = part(siteVisits, 'contentViews', draws);
  const addToCarts = part(contentViews, 'addToCarts', draws);
  const purchases = part(addToCarts, 'purchases', draws);
  return { siteVisits, contentViews, addToCarts, purchases, signUps: part(siteVisits, 'signUps', draws) };
}

function inInstalledApp(converting: Converting, draws: Draws): CountedConversions {
  const [view, engagement] = afterBoth(converting, 'installs', draws);
  return {
    mobileInstallsAfterView: view.count,
    mobileInstallsAfterEngagement: engagement.count,
    ...inApp([view, engagement], converting.itemPrice),
  };
}

function inReopenedApp(converting: Converting, draws: Draws): CountedConversions {
  const [view, engagement] = afterBoth(converting, 'reEngages', draws);
  return {
    mobileReEngagesAfterView: view.count,
    mobileReEngagesAfterEngagement: engagement.count,
    ...inApp([view, engagement], converting.itemPrice),
  };
}

function inApp(steps: readonly [Step, Step], itemPrice: number): CountedConversions {
  const [view, engagement] = steps.map(({ count, draws }) => ({
    purchases: part(count, 'purchasesInApp', draws),
    signUps: part(count, 'signUpsInApp', draws),
  }));
  return {
    mobilePurchasesAfterView: view.purchases,
    mobilePurchasesAfterEngagement: engagement.purchases,
    mobileSignUpsAfterView: view.signUps,
    mobileSignUpsAfterEngagement: engagement.signUps,
    mobileSales: (view.purchases + engagement.purchases) * itemPrice,
  };
}

/** The number of users who did the first step, and the draws for the next ones. */
interface Step {
  count: number;
  draws: Draws;
}

/** The first step after a view without an engagement, and after a click. */
function afterBoth({ network, events }: Converting, first: keyof typeof AFTER_VIEW, draws: Draws): [Step, Step] {
  const viewed = events.impressions - events.engagements;
  const clicks = first === 'siteVisits' ? events.urlClicks : events.appClicks;
  const rate = network ? share(AFTER_VIEW[first], NETWORK_RATES, 1_000) : AFTER_VIEW[first];
  const [afterView, afterClick] = [draws.and('after view'), draws.and('after click')];
  return [
    { count: rounded(viewed, rate, 1_000_000, afterView.and(first)), draws: afterView },
    { count: rounded(clicks, AFTER_CLICK[first], 1_000, afterClick.and(first)), draws: afterClick },
  ];
}

const part = (of: number, step: keyof typeof CONVERSION_STEPS, draws: Draws): number =>
  of === 0 ? 0 : rounded(of, CONVERSION_STEPS[step], 1_000, draws.and(step));
