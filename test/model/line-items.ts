import { BID, DAILY, statusOf, TOTAL } from './campaigns.js';
import { CENT, invalid, missing, unknown, wire, Reading, type RawParams } from './reading.js';
import type { Decision, Fields, ModelAccount, Resource } from './world.js';

/** What goes with each objective: its goals and how a bid counts, the first of them the default, and what is paid. */
const OBJECTIVES = {
  ENGAGEMENTS: { goals: ['ENGAGEMENT'], strategies: ['MAX', 'AUTO'], pay_by: 'ENGAGEMENT' },
  REACH: { goals: ['MAX_REACH', 'REACH_WITH_ENGAGEMENT'], strategies: ['TARGET', 'AUTO'], pay_by: 'IMPRESSION' },
  VIDEO_VIEWS: {
    ...{ goals: ['VIDEO_VIEW', 'VIEW_3S_100PCT', 'VIEW_6S', 'VIEW_15S'], strategies: ['MAX', 'AUTO'], pay_by: 'VIEW' },
  },
  WEBSITE_CLICKS: {
    ...{ goals: ['LINK_CLICKS', 'SITE_VISITS'], strategies: ['MAX', 'AUTO', 'TARGET'], pay_by: 'IMPRESSION' },
  },
  FOLLOWERS: { goals: ['FOLLOWERS'], strategies: ['TARGET', 'AUTO'], pay_by: 'FOLLOW' },
} as const;
type Objective = keyof typeof OBJECTIVES;
const GOALS = Object.values(OBJECTIVES).flatMap(({ goals }) => goals as readonly string[]);
const CAPPED = ['REACH', 'ENGAGEMENTS', 'VIDEO_VIEWS'];
export const PRODUCTS = ['PROMOTED_POSTS', 'PROMOTED_ACCOUNT'] as const;
export const PLACEMENTS = ['ALL_ON_PLATFORM', 'PLATFORM_TIMELINE', 'PLATFORM_PROFILE', 'PLATFORM_SEARCH'] as const;

/** Bounds of a bid in US dollars, as the service's bidding rules have them. */
export interface BidBounds {
  least: number;
  most: number;
}

export function createLineItem(account: ModelAccount, params: RawParams, now: number, bounds: BidBounds): Decision {
  const read = new Reading(params, false);
  const campaign_id = read.id('campaign_id');
  const objective = read.word('objective', Object.keys(OBJECTIVES) as Objective[]);
  const product_type = read.word('product_type', PRODUCTS);
  const placements = read.words('placements', PLACEMENTS);
  const campaign = account.find('CAMPAIGN', campaign_id);
  if (campaign_id !== undefined && !campaign) read.reject(unknown('campaign_id'));
  const fields = readLineItem(read, {
    ...UNSET,
    objective,
    product_type,
    placements,
    campaign_id,
    funding_instrument_id: campaign?.fields.funding_instrument_id,
    currency: campaign?.fields.currency,
    advertiser_user_id: account.fullUserId,
  });
  if (!campaign) read.forgetDenominations();
  if (objective && product_type && !fits(objective, product_type)) read.blame(invalid('product_type'));
  if (campaign && objective && product_type) {
    const [sibling] = account.siblings(campaign);
    if (sibling && sibling.fields.objective !== objective) read.blame(invalid('objective'));
    if (sibling && sibling.fields.product_type !== product_type) read.blame(invalid('product_type'));
  }
  if (read.knows('end_time') && fields.end !== undefined && Number(fields.end) <= now)
    read.blame(['INVALID_TIME_WINDOW', 'end_time']);
  checkLineItem(read, fields, {}, campaign, bounds);
  return read.problems.length > 0 ? { problems: read.problems } : { fields };
}

export function updateLineItem(account: ModelAccount, id: string, params: RawParams, bounds: BidBounds): Decision {
  const item = account.find('LINE_ITEM', id);
  const read = new Reading(params, true);
  const old = item?.fields ?? { bid_strategy: 'AUTO' };
  const fields = readLineItem(read, old);
  if (!item) {
    // whether a bid counts depends on the strategy of the line item; that it has an end is a rule of its terms
    const isKnown = (parameter: string) => parameter !== BID && !(parameter === 'end_time' && params.end_time === '');
    const others = read.unreadable().filter(([, parameter]) => isKnown(parameter));
    return { problems: [unknown('line_item_id'), ...others] };
  }
  for (const fixed of ['campaign_id', 'objective', 'product_type'])
    if (read.has(fixed) && params[fixed] !== old[fixed]) read.blame(invalid(fixed));
  checkLineItem(read, fields, old, account.parentOf(item), bounds);
  return read.problems.length > 0 ? { problems: read.problems } : { fields, of: item };
}

const UNSET: Fields = {
  name: null,
  advertiser_domain: null,
  categories: [],
  target_cpa_local_micro: null,
  primary_web_event_tag: null,
  automatic_post_promotion: null,
  android_app_store_identifier: null,
  ios_app_store_identifier: null,
  audience_expansion: null,
  creative_source: 'MANUAL',
  catalog_id: null,
  product_set_id: null,
  entity_status: 'ACTIVE',
  [BID]: null,
  [DAILY]: null,
  [TOTAL]: null,
  frequency_cap: null,
  duration_in_days: null,
};

const fits = (objective: Objective, product: string) =>
  (objective === 'FOLLOWERS') === (product === 'PROMOTED_ACCOUNT');

function readLineItem(read: Reading, old: Fields): Fields {
  const isNew = old.start === undefined;
  const sent: Fields = {
    // a name that there is stays one
    name: old.name ? read.text('name', 255) : read.has('name') ? read.optionalText('name', 255) : undefined,
    start: read.time('start_time'),
    end: read.time('end_time'),
    goal: read.has('goal') ? read.optionalWord('goal', GOALS) : undefined,
    bid_strategy: read.has('bid_strategy') ? read.optionalWord('bid_strategy', ['AUTO', 'MAX', 'TARGET']) : undefined,
    [DAILY]: read.has(DAILY) ? read.money(DAILY) : undefined,
    [TOTAL]: read.has(TOTAL) ? read.money(TOTAL) : undefined,
    entity_status: statusOf(read, isNew ? undefined : old.entity_status),
    frequency_cap: read.has('frequency_cap') ? read.whole('frequency_cap') : undefined,
    duration_in_days: read.has('duration_in_days') ? read.whole('duration_in_days') : undefined,
  };
  const isAuto = (sent.bid_strategy ?? old.bid_strategy) === 'AUTO';
  // a bid that is ignored may be anything
  if (read.has(BID) && !isAuto) sent[BID] = read.boundedMoney(BID);
  if (typeof sent.frequency_cap === 'number' && sent.frequency_cap < 1) read.reject(invalid('frequency_cap'));
  if (typeof sent.duration_in_days === 'number' && ![1, 7, 30].includes(sent.duration_in_days))
    read.reject(invalid('duration_in_days'));
  return { ...old, ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) };
}

function checkLineItem(
  read: Reading,
  fields: Fields,
  old: Fields,
  campaign: Resource | undefined,
  { least, most }: BidBounds,
): void {
  const isNew = old.start === undefined;
  const objective = fields.objective as Objective | undefined;
  const rules = objective && OBJECTIVES[objective];
  if (rules) {
    fields.goal ??= rules.goals[0];
    // an update does not choose visits
    const isVisits = !isNew && fields.goal === 'SITE_VISITS' && fields.goal !== old.goal;
    if (read.knows('goal') && (isVisits || !(rules.goals as readonly string[]).includes(String(fields.goal))))
      read.blame(invalid('goal'));
  }
  if (read.knows('start_time', 'end_time') && fields.start !== undefined && fields.end !== undefined)
    if (Number(fields.end) <= Number(fields.start)) read.blame(['INVALID_TIME_WINDOW', 'end_time']);
  fields.start_time = fields.start === undefined ? undefined : wire(Number(fields.start));
  fields.end_time = fields.end === undefined ? undefined : wire(Number(fields.end));

  if (rules && read.knows('bid_strategy', BID)) {
    fields.bid_strategy ??= fields[BID] === null ? 'AUTO' : rules.strategies[0];
    const strategy = String(fields.bid_strategy);
    if (!(rules.strategies as readonly string[]).includes(strategy)) read.blame(invalid('bid_strategy'));
    if (strategy === 'AUTO') fields[BID] = null;
    else if (fields[BID] === null) read.blame(missing(BID));
    const bid = fields[BID] as number | null;
    // what a currency allows is known with the campaign
    const isBeyond = bid !== null && campaign && bid % CENT === 0 && bid !== old[BID] && (bid < least || bid > most);
    if (isBeyond || Number(bid ?? 1) <= 0) read.blame(invalid(BID));
    else if (bid !== null) {
      const budgets = [campaign?.fields[DAILY], campaign?.fields[TOTAL]];
      if (budgets.some((budget) => typeof budget === 'number' && budget < bid)) read.blame(invalid(BID));
    }
  }
  if (objective) fields.pay_by = payBy(objective, String(fields.goal), String(fields.bid_strategy));

  const [cap, days] = [fields.frequency_cap, fields.duration_in_days];
  if (read.knows('frequency_cap', 'duration_in_days') && (cap === null) !== (days === null))
    read.blame(['INCLUSIVE_PARAMETERS', cap === null ? 'frequency_cap' : 'duration_in_days']);
  if (read.knows('frequency_cap') && cap !== null && objective && !CAPPED.includes(objective))
    read.blame(invalid('frequency_cap'));

  if (read.knows(DAILY, TOTAL) && Number(fields[DAILY]) > Number(fields[TOTAL] ?? Infinity))
    read.blame(invalid(fields[DAILY] === old[DAILY] ? TOTAL : DAILY));
  if (campaign && read.knows(DAILY, TOTAL)) {
    const ofLineItems = campaign.fields.budget_optimization === 'LINE_ITEM';
    const [daily, total] = [fields[DAILY] as number | null, fields[TOTAL] as number | null];
    const mayNot = !ofLineItems && daily !== null && daily !== old[DAILY];
    if (mayNot) read.blame(invalid(DAILY));
    if (ofLineItems && daily === null && total === null && (isNew || read.has(DAILY) || read.has(TOTAL)))
      read.blame(missing(DAILY));
    const most = (...names: string[]) => Math.min(...names.map((name) => Number(campaign.fields[name] ?? Infinity)));
    if (ofLineItems && daily !== old[DAILY] && Number(daily) > most(DAILY, TOTAL)) read.blame(invalid(DAILY));
    if (total !== old[TOTAL] && Number(total) > most(TOTAL)) read.blame(invalid(TOTAL));
  }
}

function payBy(objective: Objective, goal: string, strategy: string): string {
  if (objective === 'WEBSITE_CLICKS' && goal === 'LINK_CLICKS' && strategy === 'TARGET') return 'LINK_CLICK';
  if (goal === 'VIEW_6S' || goal === 'VIEW_15S') return 'IMPRESSION';
  return OBJECTIVES[objective].pay_by;
}
