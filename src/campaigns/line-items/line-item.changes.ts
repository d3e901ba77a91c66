import type { Campaign } from '../entities/campaign.entity.js';
import type { NewFields } from '../../accounts/resources/unit-of-work.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { UnreadValue } from '../../common/http/params/refusals.js';
import { Parsed } from '../../common/http/params/parsed.js';
import { noDraftAgain } from '../campaigns.errors.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { FIXED, fixedProblems, isFirstTag } from './line-item.fixed.rules.js';
import {
  CONDITIONS,
  goalOf,
  payByOf,
  sameValue,
  strategyOf,
  type LineItemContext,
  type Term,
  type Terms,
} from './line-item.rules.js';
import type { BidStrategy } from '../entities/line-item.tables.js';
import type { CreateLineItem, UpdateLineItem } from './line-items.dto.js';

/** A line item as the terms of a request. */
const termsOf = (item: Row<LineItem>): Terms => ({
  campaign_id: item.campaignId,
  start_time: wireTime(item.startTime),
  end_time: wireTime(item.endTime),
  objective: item.objective,
  placements: item.placements,
  product_type: item.productType,
  name: item.name,
  advertiser_domain: item.advertiserDomain,
  advertiser_user_id: item.advertiserUserId,
  android_app_store_identifier: item.androidAppStoreIdentifier,
  ios_app_store_identifier: item.iosAppStoreIdentifier,
  audience_expansion: item.audienceExpansion,
  bid_amount_local_micro: item.bidAmountLocalMicro,
  bid_strategy: item.bidStrategy,
  categories: item.categories,
  daily_budget_amount_local_micro: item.dailyBudgetAmountLocalMicro,
  duration_in_days: item.durationInDays,
  frequency_cap: item.frequencyCap,
  goal: item.goal,
  pay_by: item.payBy,
  primary_web_event_tag: item.primaryWebEventTag,
  standard_delivery: item.standardDelivery,
  total_budget_amount_local_micro: item.totalBudgetAmountLocalMicro,
});

/** The names of all terms. Each one is a column. */
const TERM_NAMES = Object.keys(
  termsOf({ startTime: '2026-01-01 00:00:00+00', endTime: '2026-01-01 00:00:00+00' } as Row<LineItem>),
) as Term[];

/** The columns of terms, including derived ones. */
function columnsOf(terms: Terms, categories: readonly string[]) {
  const strategy = strategyOf(terms);
  return {
    name: terms.name || null,
    goal: goalOf(terms),
    bidStrategy: strategy,
    // AUTO ignores a bid.
    bidAmountLocalMicro: strategy === 'AUTO' ? null : (terms.bid_amount_local_micro ?? null),
    payBy: payByOf(terms),
    categories: [...categories],
    startTime: terms.start_time,
    endTime: terms.end_time,
    durationInDays: terms.duration_in_days ?? null,
    frequencyCap: terms.frequency_cap ?? null,
    dailyBudgetAmountLocalMicro: terms.daily_budget_amount_local_micro ?? null,
    totalBudgetAmountLocalMicro: terms.total_budget_amount_local_micro ?? null,
    advertiserDomain: terms.advertiser_domain || null,
    primaryWebEventTag: terms.primary_web_event_tag || null,
    androidAppStoreIdentifier: terms.android_app_store_identifier || null,
    iosAppStoreIdentifier: terms.ios_app_store_identifier || null,
    audienceExpansion: terms.audience_expansion ?? null,
  };
}

/** Completes categories: a part of an advertiser business category is stored as the whole, where that applies. */
export type CompleteCategories = (ids: readonly string[]) => string[];

const categoriesOf = ({ objective, categories }: Terms, whole: CompleteCategories): string[] =>
  objective === 'PREROLL_VIEWS' ? whole(categories ?? []) : (categories ?? []);

/** A new line item with these parameters and the defaults. */
export function newLineItem(
  params: CreateLineItem,
  { account, advertiser, campaign, now }: LineItemContext & { campaign: Row<Campaign> },
  whole: CompleteCategories,
): NewFields<LineItem> {
  const entityStatus = params.entity_status ?? 'ACTIVE';
  return {
    accountId: account.id,
    campaignId: campaign.id,
    fundingInstrumentId: campaign.fundingInstrumentId,
    currency: campaign.currency,
    productType: params.product_type,
    objective: params.objective,
    placements: params.placements,
    ...columnsOf(params, categoriesOf(params, whole)),
    standardDelivery: campaign.budgetOptimization === 'LINE_ITEM' ? (params.standard_delivery ?? true) : null,
    spentLocalMicro: 0,
    advertiserUserId: advertiser,
    creativeSource: 'MANUAL',
    entityStatus,
    creatives: 0,
    counted: isActive({ entityStatus, endTime: params.end_time }, now),
    campaignDeleted: false,
  };
}

/** Problems between the parameters of a new line item and with stored data, as far as the parameters are readable. */
export function problemsOfNew(request: Parsed<CreateLineItem>, context: LineItemContext): ApiError[] {
  const { read, problems } = readBid(request);
  return [
    ...problems,
    ...CONDITIONS.flatMap(({ asks, problem }) => {
      const terms = read.known(...asks);
      return (terms && problem(terms, context)) ?? [];
    }),
  ];
}

const BID = 'bid_amount_local_micro';

/**
 * AUTO ignores a bid, even if invalid. Other strategies reject an unreadable one. `stored`: the current strategy, for
 * an update.
 */
function readBid<T extends Pick<Terms, typeof BID | 'bid_strategy'>>(
  parsed: Parsed<T>,
  stored?: BidStrategy | null,
): { read: Parsed<T>; problems: ApiError[] } {
  const bid: unknown = parsed.known(BID)?.[BID];
  if (!(bid instanceof UnreadValue)) return { read: parsed, problems: [] };
  const sent = parsed.known('bid_strategy');
  const strategy = sent && (sent.bid_strategy === undefined ? stored : sent.bid_strategy);
  return strategy === 'AUTO'
    ? { read: parsed.without(BID, 'unsent'), problems: [] }
    : { read: parsed.without(BID, 'refused'), problems: bid.problems };
}

/** The columns of a line item that a request changes. */
export function patchOf(
  params: UpdateLineItem,
  { now }: LineItemContext,
  item: Row<LineItem>,
  whole: CompleteCategories,
): Partial<Row<LineItem>> {
  const stored = termsOf(item);
  const after = mergedTerms(stored, params);
  const entityStatus = params.entity_status ?? item.entityStatus;
  const moved = ['start_time', 'end_time'] as const;
  const kept = Object.fromEntries(
    moved.filter((name) => after[name] === stored[name]).map((name) => [COLUMN_OF[name], undefined]),
  );
  return {
    ...columnsOf(after, sameValue(after.categories, stored.categories) ? item.categories : categoriesOf(after, whole)),
    entityStatus,
    counted: isActive({ entityStatus, endTime: after.end_time }, now),
    // Unchanged times keep the text that the database wrote.
    ...kept,
  };
}

const COLUMN_OF = { start_time: 'startTime', end_time: 'endTime' } as const;

/** Problems of an update of a line item, as far as it is readable. An unchanged value is always accepted. */
export function problemsOfPatch(
  request: Parsed<UpdateLineItem>,
  context: LineItemContext,
  item: Row<LineItem>,
): ApiError[] {
  const stored = termsOf(item);
  const { read, problems } = readBid(request, stored.bid_strategy);
  const readable = TERM_NAMES.filter((name) => read.known(name));
  const sent = Object.fromEntries(readable.map((name) => [name, read.known(name)![name]])) as Partial<Terms>;
  const after = mergedTerms(stored, sent);
  const changed = new Set(readable.filter((name) => !sameValue(after[name], stored[name])));
  const known = new Set(readable);
  const withStored = { ...context, stored: { terms: stored, spent: item.spentLocalMicro } };
  const status = request.value('entity_status');
  return [
    ...problems,
    ...fixedProblems(stored, sent),
    ...(stored.name && sent.name === null ? [invalid('name', 'name cannot be unset', { value: '' })] : []),
    ...(status === 'DRAFT' && item.entityStatus !== 'DRAFT' ? [noDraftAgain('line item', item.entityStatus)] : []),
    ...CONDITIONS.filter(
      ({ asks }) => asks.every((name) => known.has(name)) && asks.some((name) => changed.has(name)),
    ).flatMap(({ problem }) => problem(after, withStored) ?? []),
  ];
}

/** The stored terms, overwritten by the sent ones. Fixed fields remain, except for a first tag. */
function mergedTerms(stored: Terms, sent: Partial<Terms>): Terms {
  const given = Object.entries(sent).filter(
    ([name, value]) => value !== undefined && TERM_NAMES.includes(name as Term),
  );
  const after = { ...stored, ...Object.fromEntries(given) };
  const firstTag = isFirstTag(stored, sent) ? sent.primary_web_event_tag : undefined;
  for (const name of FIXED) Object.assign(after, { [name]: stored[name] });
  return firstTag ? { ...after, primary_web_event_tag: firstTag } : after;
}

/** Whether it counts toward the active line items of its account, provided that its campaign exists. */
const isActive = ({ entityStatus, endTime }: Pick<Row<LineItem>, 'entityStatus' | 'endTime'>, now: Date) =>
  entityStatus === 'ACTIVE' && new Date(endTime) > now;
