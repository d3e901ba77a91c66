import { BID, BUDGET, checkStatus, DAILY, STATUS, TOTAL } from './campaigns.js';
import type { Plain } from './plain.js';
import { between, CENT, invalid, missing, money, number, optional, text, time, wire, word, words } from './reading.js';

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
const PLACEMENTS = ['ALL_ON_PLATFORM', 'PLATFORM_TIMELINE', 'PLATFORM_PROFILE', 'PLATFORM_SEARCH'];

/** Bounds of a bid in US dollars, as the service's bidding rules have them. */
export interface BidBounds {
  least: number;
  most: number;
}

/** A bid that is ignored may be anything. */
export const BIDS = { [BID]: optional(money((amount) => amount > 0)) };

export const LINE_ITEM: Plain = {
  fits: true,
  fixed: {
    objective: word(Object.keys(OBJECTIVES), ['ENGAGEMENTS', ...Object.keys(OBJECTIVES)]),
    product_type: word(['PROMOTED_POSTS', 'PROMOTED_ACCOUNT'], ['PROMOTED_POSTS']),
    placements: words(PLACEMENTS, PLACEMENTS.slice(0, 2)),
  },
  said: {
    start_time: time([-48, -1, 24], 720),
    end_time: { ...time([48, 72, 24 * 30], -72), unset: { is: null } },
    name: optional(text(255)),
    goal: optional(word(GOALS, ['ENGAGEMENT', 'LINK_CLICKS', 'SITE_VISITS', 'MAX_REACH', 'VIEW_6S'])),
    bid_strategy: optional(word(['AUTO', 'MAX', 'TARGET'])),
    [DAILY]: BUDGET,
    [TOTAL]: BUDGET,
    entity_status: STATUS,
    frequency_cap: optional(between(1, Infinity, [1, 5])),
    duration_in_days: optional(number([1, 7, 30])),
  },
  added: ({ fullUserId }, _, campaign) => ({
    ...{ advertiser_domain: null, categories: [], target_cpa_local_micro: null, primary_web_event_tag: null },
    ...{ automatic_post_promotion: null, android_app_store_identifier: null, ios_app_store_identifier: null },
    ...{ audience_expansion: null, creative_source: 'MANUAL', catalog_id: null, product_set_id: null, [BID]: null },
    ...{ advertiser_user_id: fullUserId, currency: campaign?.fields.currency },
    funding_instrument_id: campaign?.fields.funding_instrument_id,
  }),
  check: (read, fields, { account, now, above, bounds: { least, most } }, item) => {
    const [old, campaign] = [item?.fields ?? {}, item ? account.parentOf(item) : above];
    const { bid_strategy: strategy } = read.has('bid_strategy') ? fields : old;
    if (strategy !== 'AUTO') Object.assign(fields, read.all(BIDS));
    if (!campaign) read.forgetDenominations();
    // a name that there is stays one
    if (old.name && fields.name === null) read.reject(invalid('name'));
    checkStatus(read, fields, item);
    const objective = fields.objective as Objective | undefined;
    const product = fields.product_type as string | undefined;
    const rules = objective && OBJECTIVES[objective];
    if (!item) {
      const isForAccounts = product === 'PROMOTED_ACCOUNT';
      if (objective && product && (objective === 'FOLLOWERS') !== isForAccounts) read.blame(invalid('product_type'));
      const [sibling] = campaign ? account.siblings(campaign) : [];
      for (const name of ['objective', 'product_type'])
        if (sibling && read.knows(name) && sibling.fields[name] !== fields[name]) read.blame(invalid(name));
    }
    if (rules) {
      fields.goal ??= rules.goals[0];
      // an update does not choose visits
      const isVisits = item && fields.goal === 'SITE_VISITS' && fields.goal !== old.goal;
      if (read.knows('goal') && (isVisits || !(rules.goals as readonly string[]).includes(String(fields.goal))))
        read.blame(invalid('goal'));
    }
    const [start, end] = [String(fields.start_time), String(fields.end_time)];
    if (fields.end_time === null) read.reject(invalid('end_time'));
    if (!item && read.knows('end_time') && end <= wire(now)) read.blame(['INVALID_TIME_WINDOW', 'end_time']);
    if (read.knows('start_time', 'end_time') && end <= start) read.blame(['INVALID_TIME_WINDOW', 'end_time']);

    const strategies = rules?.strategies as readonly unknown[] | undefined;
    if (read.knows('bid_strategy') && fields.bid_strategy && strategies && !strategies.includes(fields.bid_strategy))
      read.blame(invalid('bid_strategy'));
    if (rules && read.knows('bid_strategy', BID)) {
      fields.bid_strategy ??= fields[BID] === null ? 'AUTO' : rules.strategies[0];
      if (fields.bid_strategy === 'AUTO') fields[BID] = null;
      else if (fields[BID] === null) read.blame(missing(BID));
      const bid = fields[BID] as number | null;
      // what a currency allows is known with the campaign
      const isBeyond = bid !== null && campaign && bid % CENT === 0 && bid !== old[BID] && (bid < least || bid > most);
      const budgets = [campaign?.fields[DAILY], campaign?.fields[TOTAL]].map((budget) => budget ?? Infinity);
      if (isBeyond || (bid !== null && budgets.some((budget) => Number(budget) < bid))) read.blame(invalid(BID));
    }
    if (objective) fields.pay_by = payBy(objective, String(fields.goal), String(fields.bid_strategy));

    const [cap, days] = [fields.frequency_cap, fields.duration_in_days];
    if (read.knows('frequency_cap', 'duration_in_days') && (cap === null) !== (days === null))
      read.blame(['INCLUSIVE_PARAMETERS', cap === null ? 'frequency_cap' : 'duration_in_days']);
    if (read.knows('frequency_cap') && cap !== null && objective && !CAPPED.includes(objective))
      read.blame(invalid('frequency_cap'));

    if (!read.knows(DAILY, TOTAL)) return;
    const [daily, total] = [fields[DAILY] as number | null, fields[TOTAL] as number | null];
    if (Number(daily) > Number(total ?? Infinity)) read.blame(invalid(daily === old[DAILY] ? TOTAL : DAILY));
    if (!campaign) return;
    const ofLineItems = campaign.fields.budget_optimization === 'LINE_ITEM';
    if (!ofLineItems && daily !== null && daily !== old[DAILY]) read.blame(invalid(DAILY));
    if (ofLineItems && daily === null && total === null && (!item || read.has(DAILY) || read.has(TOTAL)))
      read.blame(missing(DAILY));
    const budgetOf = (...names: string[]) =>
      Math.min(...names.map((name) => Number(campaign.fields[name] ?? Infinity)));
    if (ofLineItems && daily !== old[DAILY] && Number(daily) > budgetOf(DAILY, TOTAL)) read.blame(invalid(DAILY));
    if (total !== old[TOTAL] && Number(total) > budgetOf(TOTAL)) read.blame(invalid(TOTAL));
  },
};

function payBy(objective: Objective, goal: string, strategy: string): string {
  if (objective === 'WEBSITE_CLICKS' && goal === 'LINK_CLICKS' && strategy === 'TARGET') return 'LINK_CLICK';
  if (goal === 'VIEW_6S' || goal === 'VIEW_15S') return 'IMPRESSION';
  return OBJECTIVES[objective].pay_by;
}
