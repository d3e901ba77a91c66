import type { Campaign } from '../entities/campaign.entity.js';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, missing } from '../../common/errors/catalogue.js';
import { UnreadableValue } from '../../common/http/params/refusals.js';
import { declaredFields } from '../../common/http/params/dto-metadata.js';
import { changedColumns, columnOf, newColumns } from '../../common/db/query/field-columns.js';
import { Parsed } from '../../common/http/params/parsed.js';
import { isInForce } from '../../common/as-of/dated-changes.js';
import { spreadsBudget } from '../budgets-as-of.js';
import { OPEN_END } from '../open-end.js';
import { noDraftAgain, notSettable } from '../campaigns.errors.js';
import { LineItem } from '../entities/line-item.entity.js';
import { CONDITIONS, payByOf, sameValue, strategyOf } from './line-item.rules.js';
import { goalOf, termsOfNew, type LineItemContext, type Term, type Terms } from './line-item.terms.js';
import type { BidStrategy } from '../entities/line-item.tables.js';
import { CreateLineItem, type UpdateLineItem } from './line-items.dto.js';

/** The names of all terms. Each one is a column. */
const TERM_NAMES = declaredFields(CreateLineItem.prototype)
  .map(({ name }) => name as keyof CreateLineItem)
  .filter((name) => name !== 'entity_status');

/** A line item as the terms of a request. */
export function termsOf(item: Row<LineItem>): Terms {
  const terms = TERM_NAMES.map((name) => [name, item[columnOf(name) as keyof Row<LineItem>]] as const);
  const times = { start_time: wireTime(item.startTime), end_time: wireTime(item.endTime) };
  return { ...Object.fromEntries(terms), ...times } as Terms;
}

/** The columns that depend on several terms. */
function derivedFrom(terms: Terms, categories: readonly string[]) {
  const strategy = strategyOf(terms);
  return {
    goal: goalOf(terms),
    bidStrategy: strategy,
    // AUTO ignores a bid.
    bidAmountLocalMicro: strategy === 'AUTO' ? null : (terms.bid_amount_local_micro ?? null),
    payBy: payByOf(terms),
    categories: [...categories],
  };
}

/** Completes categories: a part of an advertiser business category is stored as the whole, where that applies. */
export type CompleteCategories = (ids: readonly string[]) => string[];

const categoriesOf = ({ objective, categories }: Terms, completeCategories: CompleteCategories): string[] =>
  objective === 'PREROLL_VIEWS' ? completeCategories(categories ?? []) : (categories ?? []);

/** A new line item with these parameters and the defaults. */
export function newLineItem(
  params: CreateLineItem,
  { account, advertiser, campaign, now }: LineItemContext & { campaign: Row<Campaign> },
  completeCategories: CompleteCategories,
): NewColumns<LineItem> {
  const entityStatus = params.entity_status ?? 'ACTIVE';
  const terms = termsOfNew(params);
  const endTime = terms.end_time;
  return newColumns(LineItem, params, {
    accountId: account.id,
    fundingInstrumentId: campaign.fundingInstrumentId,
    currency: campaign.currency,
    ...derivedFrom(terms, categoriesOf(terms, completeCategories)),
    standardDelivery: campaign.budgetOptimization === 'LINE_ITEM' ? (params.standard_delivery ?? true) : null,
    spentLocalMicro: 0,
    advertiserUserId: advertiser,
    creativeSource: params.creative_source ?? 'MANUAL',
    entityStatus,
    creatives: 0,
    endTime,
    counted: isActive({ entityStatus, endTime }, now),
    campaignDeleted: false,
  });
}

/** Problems of a flight without an end: X allows it from a day on. */
function problemsOfNoEnd(
  { end_time: end }: Pick<UpdateLineItem, 'end_time'>,
  { account }: LineItemContext,
  isNew: boolean,
): ApiError[] {
  if (isInForce('OPEN_FLIGHTS', account.asOf)) return [];
  if (end === null) return [invalid('end_time', 'end_time cannot be unset', { value: '' })];
  return isNew && end === undefined ? [missing('end_time')] : [];
}

/** Problems between the parameters of a new line item and with stored data, as far as the parameters are readable. */
export function problemsOfNewLineItem(request: Parsed<CreateLineItem>, context: LineItemContext): ApiError[] {
  const end = request.known('end_time');
  const { read, problems } = readBid(request.with({ end_time: end?.end_time ?? OPEN_END }));
  return [
    ...problems,
    ...(end ? problemsOfNoEnd(end, context, true) : []),
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
  if (!(bid instanceof UnreadableValue)) return { read: parsed, problems: [] };
  const sent = parsed.known('bid_strategy');
  const strategy = sent && (sent.bid_strategy === undefined ? stored : sent.bid_strategy);
  return strategy === 'AUTO'
    ? { read: parsed.without(BID, 'unsent'), problems: [] }
    : { read: parsed.without(BID, 'refused'), problems: bid.problems };
}

/** The columns of a line item that a request changes. */
export function patchOfLineItem(
  params: UpdateLineItem,
  { now }: LineItemContext,
  item: Row<LineItem>,
  completeCategories: CompleteCategories,
): Partial<Row<LineItem>> {
  const stored = termsOf(item);
  const after = mergedTerms(stored, params);
  const entityStatus = params.entity_status ?? item.entityStatus;
  const categories = sameValue(after.categories, stored.categories)
    ? item.categories
    : categoriesOf(after, completeCategories);
  return changedColumns(LineItem, after, {
    ...derivedFrom(after, categories),
    entityStatus,
    // An end that passed counts when the limit is reached. An update of something else must not record it as a change.
    counted:
      entityStatus === item.entityStatus && after.end_time === stored.end_time
        ? item.counted
        : isActive({ entityStatus, endTime: after.end_time }, now),
    advertiserUserId: item.advertiserUserId,
    // Unchanged times keep the text that the database wrote.
    startTime: after.start_time === stored.start_time ? item.startTime : after.start_time,
    endTime: after.end_time === stored.end_time ? item.endTime : after.end_time,
  });
}

/** Problems of an update of a line item, as far as it is readable. An unchanged value is always accepted. */
export function problemsOfLineItemPatch(
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
  const { campaign } = context;
  const isOfItems = campaign?.budgetOptimization === 'LINE_ITEM';
  // a client may send back what an answer shows
  const shown = { ...stored };
  if (isOfItems) shown.standard_delivery = spreadsBudget(item, campaign);
  else if (sent.standard_delivery === null) shown.standard_delivery = null;
  return [
    ...problems,
    ...fixedProblems(shown, sent),
    ...problemsOfNoEnd({ end_time: request.value('end_time') }, context, false),
    ...(stored.name && sent.name === null ? [invalid('name', 'name cannot be unset', { value: '' })] : []),
    ...(status === 'DRAFT' && item.entityStatus !== 'DRAFT' ? [noDraftAgain('line item', item.entityStatus)] : []),
    ...CONDITIONS.filter(
      ({ asks }) => asks.every((name) => known.has(name)) && asks.some((name) => changed.has(name)),
    ).flatMap(({ problem }) => problem(after, withStored) ?? []),
  ];
}

/** The stored terms, overwritten by the sent ones. Fixed fields remain, except for a first tag. */
function mergedTerms(stored: Terms, sent: Partial<Terms> | UpdateLineItem): Terms {
  const given = Object.entries(sent).filter(
    ([name, value]) => value !== undefined && TERM_NAMES.includes(name as Term),
  );
  const after: Terms = { ...stored, ...Object.fromEntries(given) };
  after.end_time ??= OPEN_END;
  const firstTag = isFirstTag(stored, sent) ? sent.primary_web_event_tag : undefined;
  for (const name of FIXED) Object.assign(after, { [name]: stored[name] });
  return firstTag ? { ...after, primary_web_event_tag: firstTag } : after;
}

/** Whether it counts toward the active line items of its account, provided that its campaign exists. */
const isActive = ({ entityStatus, endTime }: Pick<Row<LineItem>, 'entityStatus' | 'endTime'>, now: Date) =>
  entityStatus === 'ACTIVE' && new Date(endTime) > now;

/** Fields that an update cannot change. The current value is accepted. */
const FIXED = [
  'campaign_id',
  'objective',
  'product_type',
  'placements',
  'primary_web_event_tag',
  'creative_source',
  'standard_delivery',
] as const satisfies readonly (keyof UpdateLineItem & Term)[];

/** A tag can be set once: if there is none yet, together with the goal that requires it. */
const isFirstTag = (stored: Terms, sent: Pick<UpdateLineItem, 'primary_web_event_tag' | 'goal'>): boolean =>
  !stored.primary_web_event_tag && sent.goal === 'WEBSITE_CONVERSIONS';

/** Problems of sent parameters that try to change fixed fields. */
const fixedProblems = (stored: Terms, sent: Partial<Terms>): ApiError[] =>
  FIXED.filter((name) => sent[name] !== undefined && !sameValue(sent[name], stored[name])).flatMap((name) => {
    if (name !== 'primary_web_event_tag') return [notSettable(name, sent[name])];
    if (isFirstTag(stored, sent)) return [];
    const details = stored.primary_web_event_tag
      ? 'the line item already has a tag'
      : 'it can be set together with goal=WEBSITE_CONVERSIONS';
    return [notSettable(name, sent[name], details)];
  });
