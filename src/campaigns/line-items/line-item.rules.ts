import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { featureNotAvailable } from '../../accounts/accounts.errors.js';
import type { Feature } from '../../accounts/accounts.features.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { isInForce } from '../../common/as-of/dated-changes.js';
import { inclusive, invalid, invalidTimeWindow, missing } from '../../common/errors/catalogue.js';
import { webEventTagNotFound } from '../../measurement/measurement.errors.js';
import { invalidDenomination, notSettable, spendExceedsBudget } from '../campaigns.errors.js';
import { OPEN_END } from '../open-end.js';
import type { Campaign } from '../entities/campaign.entity.js';
import { DYNAMIC_PRODUCT_CONDITIONS } from './dynamic-products.rules.js';
import { condition, goalOf, lasting, notOf, type Condition, type Term, type Terms } from './line-item.terms.js';
import {
  GOALS,
  mediaPlacementsOf,
  PLACEMENTS_OF,
  TERMS,
  type BidStrategy,
  type Objective,
  type PayBy,
  type Payment,
} from '../entities/line-item.tables.js';

const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';
const BID = 'bid_amount_local_micro';

export const strategyOf = (terms: Pick<Terms, 'bid_strategy' | 'objective' | typeof BID>): BidStrategy =>
  terms.bid_strategy ?? ((terms[BID] ?? null) === null ? 'AUTO' : TERMS[terms.objective].withBid);

type PaymentTerms = Pick<Terms, 'goal' | 'objective' | 'bid_strategy' | typeof BID>;

const paymentFor = (terms: PaymentTerms): Payment | undefined => TERMS[terms.objective].payment[goalOf(terms)];

/** The billable events that are allowed. TARGET leaves no choice. */
function payableBy(terms: PaymentTerms): readonly PayBy[] {
  const payment = paymentFor(terms);
  if (!payment) return [];
  if (strategyOf(terms) === 'TARGET') return [payment.withTarget ?? payment.usually];
  return payment.choices ?? [payment.usually];
}

/** The default billable event. */
function paidBy(terms: PaymentTerms): PayBy {
  const payment = paymentFor(terms)!;
  return strategyOf(terms) === 'TARGET' ? (payment.withTarget ?? payment.usually) : payment.usually;
}

/** The resulting `pay_by`: the requested or stored one, if it is still allowed. */
export const payByOf = (terms: Terms): PayBy =>
  terms.pay_by && payableBy(terms).includes(terms.pay_by) ? terms.pay_by : paidBy(terms);

/** The goals that an update may choose. */
const UPDATED_GOALS = GOALS.filter((goal) => goal !== 'SITE_VISITS');

/** The conditions of a line item, in the order of its parameters. */
export const CONDITIONS: readonly Condition[] = [
  // Objective, product and placements
  lasting(['objective', 'product_type'], ({ objective, product_type }) => {
    const { products } = TERMS[objective];
    return products.includes(product_type)
      ? undefined
      : notOf('product_type', product_type, products, `with the objective ${objective}`);
  }),
  condition(['campaign_id', 'objective'], ({ objective, campaign_id }, { campaign }) =>
    campaign?.objective && campaign.objective !== objective
      ? invalid(
          'objective',
          `Line items with different objectives are not allowed under the same campaign (campaign_id=${campaign_id})`,
          { value: objective, details: `the others have ${campaign.objective}` },
        )
      : undefined,
  ),
  condition(['campaign_id', 'product_type'], ({ product_type, campaign_id }, { campaign }) =>
    campaign?.productType && campaign.productType !== product_type
      ? invalid(
          'product_type',
          `Line items with different product types are not allowed under the same campaign (campaign_id=${campaign_id})`,
          { value: product_type, details: `the others have ${campaign.productType}` },
        )
      : undefined,
  ),
  lasting(['product_type', 'placements'], ({ product_type, placements }) => {
    const allowed = PLACEMENTS_OF[product_type];
    const strange = placements.filter((placement) => !allowed.includes(placement));
    return strange.length > 0
      ? invalid(
          'placements',
          `LineItem PromotedProductType ${product_type} is not compatible with placements ${strange.join(', ')}`,
          { value: placements, details: `allowed are ${allowed.join(', ')}` },
        )
      : undefined;
  }),
  lasting(['objective', 'product_type', 'placements'], ({ objective, product_type, placements }) => {
    if (product_type !== 'MEDIA' || !TERMS[objective].products.includes('MEDIA')) return undefined;
    const allowed = mediaPlacementsOf(objective);
    const useless = placements.filter((each) => PLACEMENTS_OF.MEDIA.includes(each) && !allowed.includes(each));
    return useless.length > 0
      ? invalid(
          'placements',
          `LineItem PromotedProductType MEDIA with the objective ${objective} is not compatible with placements ${useless.join(', ')}`,
          { value: placements, details: `allowed are ${allowed.join(', ')}` },
        )
      : undefined;
  }),
  lasting(['placements'], ({ placements }) =>
    placements.length === 1 && placements[0] === 'PLATFORM_PROFILE'
      ? invalid('placements', 'PLATFORM_PROFILE requires another placement', { value: placements })
      : undefined,
  ),
  lasting(['objective', 'product_type', 'placements'], ({ objective, product_type, placements }) =>
    objective === 'REACH' &&
    product_type === 'PROMOTED_POSTS' &&
    !placements.some((placement) => placement === 'ALL_ON_PLATFORM' || placement === 'PLATFORM_TIMELINE')
      ? invalid('placements', 'the objective REACH requires PLATFORM_TIMELINE or ALL_ON_PLATFORM', {
          value: placements,
        })
      : undefined,
  ),

  // Times
  lasting(['start_time', 'end_time'], ({ start_time, end_time }) =>
    end_time <= start_time ? invalidTimeWindow('end_time', 'end_time must be after start_time', end_time) : undefined,
  ),
  condition(['end_time'], ({ end_time }, { stored, now }) =>
    !stored && new Date(end_time) <= now
      ? invalidTimeWindow('end_time', 'end_time must be in the future', end_time)
      : undefined,
  ),

  // Requirements of the partner network and of in-stream videos
  lasting(['placements', 'advertiser_domain'], ({ placements, advertiser_domain }) =>
    placements.includes('PUBLISHER_NETWORK') && !advertiser_domain
      ? missing('advertiser_domain', 'the placement PUBLISHER_NETWORK requires it')
      : undefined,
  ),
  lasting(['placements', 'objective', 'categories'], ({ placements, objective, categories }) =>
    (placements.includes('PUBLISHER_NETWORK') || objective === 'PREROLL_VIEWS') && !categories?.length
      ? invalid('categories', 'A minimum of 1 items must be provided for categories', {
          value: categories ?? [],
          details: `${objective === 'PREROLL_VIEWS' ? 'the objective PREROLL_VIEWS' : 'the placement PUBLISHER_NETWORK'} requires them`,
        })
      : undefined,
  ),
  condition(['categories'], ({ categories }, context) => {
    const unknown = categories ? context.categories.unknown(categories) : [];
    return unknown.length > 0
      ? invalid('categories', `Expected ids of IAB categories, got ${quoted(unknown)} for categories`, {
          value: categories,
          details: 'GET iab_categories lists them',
        })
      : undefined;
  }),
  condition(['objective', 'categories'], ({ objective, categories }, context) => {
    if (objective !== 'PREROLL_VIEWS' || !categories?.length || context.categories.unknown(categories).length > 0)
      return undefined;
    const groups = context.categories.groups(categories);
    return groups.length < 1 || groups.length > 2
      ? invalid('categories', 'the objective PREROLL_VIEWS requires one or two advertiser business categories', {
          value: categories,
          details:
            groups.length === 0 ? 'these belong to none' : `these belong to ${groups.length}: ${groups.join(', ')}`,
        })
      : undefined;
  }),

  // Apps
  lasting(
    ['objective', 'android_app_store_identifier', 'ios_app_store_identifier'],
    ({ objective, android_app_store_identifier: android, ios_app_store_identifier: ios }) =>
      TERMS[objective].app && !android && !ios
        ? missing('android_app_store_identifier', `${objective} requires it or ios_app_store_identifier`)
        : undefined,
  ),

  // Goal, bids and billable event
  condition(['objective', 'goal'], ({ objective, goal }, { stored }) => {
    if (stored && goal === 'SITE_VISITS') return notOf('goal', goal, UPDATED_GOALS, 'in an update');
    const { goals } = TERMS[objective];
    return goal && !goals.includes(goal) ? notOf('goal', goal, goals, `with the objective ${objective}`) : undefined;
  }),
  condition(['goal', 'objective', 'primary_web_event_tag'], (terms) =>
    goalOf(terms) === 'WEBSITE_CONVERSIONS' && !terms.primary_web_event_tag
      ? missing('primary_web_event_tag', 'the goal WEBSITE_CONVERSIONS requires it')
      : undefined,
  ),
  condition(['primary_web_event_tag'], ({ primary_web_event_tag: tag }, { account, tags }) =>
    tag && !tags.has(tag) ? webEventTagNotFound('Web Event Tag', 'primary_web_event_tag', tag, account.id) : undefined,
  ),
  lasting(['objective', 'bid_strategy'], ({ objective, bid_strategy }) => {
    const { strategies } = TERMS[objective];
    return bid_strategy && !strategies.includes(bid_strategy)
      ? notOf('bid_strategy', bid_strategy, strategies, `with the objective ${objective}`)
      : undefined;
  }),
  lasting([BID, 'bid_strategy', 'objective'], (terms) =>
    strategyOf(terms) !== 'AUTO' && (terms[BID] ?? null) === null
      ? missing(BID, `the bid strategy ${strategyOf(terms)} requires it`)
      : undefined,
  ),
  condition([BID, 'bid_strategy', 'objective', 'campaign_id'], (terms, { bids, campaign }) => {
    const bid = terms[BID];
    if (!bid || !bids || !campaign || strategyOf(terms) === 'AUTO') return undefined;
    const { minimum, maximum, denomination } = bids;
    if (bid % denomination !== 0) return invalidDenomination(BID, bid, campaign.currency, denomination);
    return bid < minimum || bid > maximum
      ? invalid(BID, `Expected a bid from ${minimum} to ${maximum}, got ${bid} for ${BID}`, {
          value: bid,
          details: `the bidding rules of ${campaign.currency}`,
        })
      : undefined;
  }),
  condition([BID, 'bid_strategy', 'objective', 'campaign_id'], (terms, { campaign }) => {
    const bid = terms[BID];
    if (!bid || !campaign || strategyOf(terms) === 'AUTO') return undefined;
    const budgets = [campaign.dailyBudgetAmountLocalMicro, campaign.totalBudgetAmountLocalMicro];
    const min = Math.min(...budgets.filter((budget) => budget !== null));
    return bid > min
      ? invalid(BID, `${BID} must be at most the budgets of the campaign`, {
          value: bid,
          details: `the smallest is ${min}`,
        })
      : undefined;
  }),
  condition(['pay_by', 'goal', 'objective', 'bid_strategy', BID], (terms, { stored }) => {
    const { pay_by } = terms;
    // If the request does not send pay_by again, the default of the new goal replaces it.
    if (!pay_by || pay_by === stored?.terms.pay_by) return undefined;
    const payable = payableBy(terms);
    return payable.length === 0 || payable.includes(pay_by)
      ? undefined
      : notOf('pay_by', pay_by, payable, `with the goal ${goalOf(terms)} and the bid strategy ${strategyOf(terms)}`);
  }),

  // Budgets
  condition(['campaign_id', DAILY, TOTAL], (terms, { campaign }) => {
    const [daily, total] = [terms[DAILY] ?? null, terms[TOTAL] ?? null];
    if (!campaign) return undefined;
    if (campaign.budgetOptimization === 'LINE_ITEM')
      return daily === null && total === null
        ? missing(DAILY, `the line items of the campaign have the budgets: send it, ${TOTAL} or both`)
        : undefined;
    return daily === null ? undefined : onlyWithOwnBudgets(DAILY, daily, campaign);
  }),
  condition(['campaign_id', 'standard_delivery'], ({ standard_delivery }, { campaign }) =>
    campaign?.budgetOptimization === 'CAMPAIGN' && (standard_delivery ?? null) !== null
      ? onlyWithOwnBudgets('standard_delivery', standard_delivery, campaign)
      : undefined,
  ),
  condition([DAILY, TOTAL], (terms, { stored }) => {
    const [daily, total] = [terms[DAILY] ?? null, terms[TOTAL] ?? null];
    if (daily === null || total === null || daily <= total) return undefined;
    return stored && !isChanged(DAILY, terms, stored.terms)
      ? invalid(TOTAL, `${TOTAL} must be at least ${DAILY}`, {
          value: total,
          details: `${DAILY} of the line item is ${daily}`,
        })
      : invalid(DAILY, `${DAILY} must be at most ${TOTAL}`, { value: daily, details: `${TOTAL} is ${total}` });
  }),
  condition(['campaign_id', DAILY], (terms, { campaign }) => {
    const daily = terms[DAILY] ?? null;
    if (daily === null || campaign?.budgetOptimization !== 'LINE_ITEM') return undefined;
    const { dailyBudgetAmountLocalMicro: ofDay, totalBudgetAmountLocalMicro: inAll } = campaign;
    if (ofDay !== null && daily > ofDay) return aboveCampaign(DAILY, daily, DAILY, ofDay);
    return inAll !== null && daily > inAll ? aboveCampaign(DAILY, daily, TOTAL, inAll) : undefined;
  }),
  condition(['campaign_id', TOTAL], (terms, { campaign }) => {
    const [total, max] = [terms[TOTAL] ?? null, campaign?.totalBudgetAmountLocalMicro ?? null];
    return total !== null && max !== null && total > max ? aboveCampaign(TOTAL, total, TOTAL, max) : undefined;
  }),
  condition(['campaign_id', DAILY, TOTAL, 'end_time'], (terms, { account, campaign, stored }) => {
    if (!stored && !isInForce('OPEN_FLIGHTS', account.asOf)) return undefined; // the missing end is an error by itself
    if (terms.end_time !== OPEN_END || (terms[DAILY] ?? null) !== null || !campaign) return undefined;
    const { budgetOptimization, dailyBudgetAmountLocalMicro, totalBudgetAmountLocalMicro } = campaign;
    const hasOwn = budgetOptimization === 'LINE_ITEM' && (terms[TOTAL] ?? null) !== null;
    const isSpread = hasOwn || (dailyBudgetAmountLocalMicro === null && totalBudgetAmountLocalMicro !== null);
    return isSpread
      ? missing('end_time', 'a total budget without a daily budget is spread over the flight, so it needs an end')
      : undefined;
  }),
  condition([TOTAL], (terms, { stored }) => {
    const total = terms[TOTAL] ?? null;
    return total !== null && stored && total < stored.spent
      ? spendExceedsBudget(TOTAL, `${TOTAL} is below the amount that is already spent`, total)
      : undefined;
  }),
  ...([DAILY, TOTAL] as const).map((name) =>
    condition(['campaign_id', name], (terms, { campaign, bids }) => {
      const amount = terms[name];
      return amount && bids && campaign && amount % bids.denomination !== 0
        ? invalidDenomination(name, amount, campaign.currency, bids.denomination)
        : undefined;
    }),
  ),

  // Frequency cap
  lasting(['frequency_cap', 'duration_in_days'], ({ frequency_cap, duration_in_days }) => {
    const [cap, days] = [frequency_cap ?? null, duration_in_days ?? null];
    if ((cap === null) === (days === null)) return undefined;
    return cap === null
      ? inclusive('duration_in_days', 'frequency_cap')
      : inclusive('frequency_cap', 'duration_in_days');
  }),
  condition(['objective', 'frequency_cap'], ({ objective, frequency_cap }, { account }) => {
    if ((frequency_cap ?? null) === null) return undefined;
    if (TERMS[objective].capped) return lacking(account, 'REACH_FREQUENCY_CAP', 'frequency_cap');
    const capped = (Object.keys(TERMS) as Objective[]).filter((each) => TERMS[each].capped);
    return invalid('frequency_cap', `frequency_cap cannot be set with the objective ${objective}`, {
      value: frequency_cap,
      details: `it is only for ${capped.join(', ')}`,
    });
  }),

  ...DYNAMIC_PRODUCT_CONDITIONS,

  // Advertiser
  condition(['advertiser_user_id'], ({ advertiser_user_id: sent }, { advertiser, stored }) => {
    const own = stored ? (stored.terms.advertiser_user_id ?? null) : advertiser;
    return sent && sent !== own ? notSettable('advertiser_user_id', sent) : undefined;
  }),
];

/** Undefined, null and an empty text or list are equal. The order of a list does not matter. */
export function sameValue(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((value) =>
    Array.isArray(value) ? value.toSorted().join(',') : ((value as string | null | undefined) ?? ''),
  );
  return a === b;
}

const isChanged = (name: Term, terms: Terms, stored: Terms): boolean => !sameValue(terms[name], stored[name]);

const aboveCampaign = (name: string, value: number, limit: string, max: number): ApiError =>
  invalid(name, `${name} must be at most ${limit === name ? 'the value' : limit} of the campaign`, {
    value,
    details: `${limit} of the campaign is ${max}`,
  });

const quoted = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(', ');

const onlyWithOwnBudgets = (name: string, value: unknown, { budgetOptimization }: Row<Campaign>): ApiError =>
  invalid(name, `${name} can only be set when budget_optimization of the campaign is LINE_ITEM`, {
    value,
    details: `it is ${budgetOptimization}`,
  });

const lacking = (account: Pick<ActingAccount, 'features'>, feature: Feature, parameter: string) =>
  account.features.includes(feature) ? undefined : featureNotAvailable(feature, parameter);
