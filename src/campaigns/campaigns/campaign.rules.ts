import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { unknownReference } from '../../accounts/resource-definition.js';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { isInForce, sinceDate } from '../../common/as-of/dated-changes.js';
import { changedColumns, newColumns } from '../../common/db/query/field-columns.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import * as catalogue from '../../common/errors/catalogue.js';
import { campaignAsOf } from '../budgets-as-of.js';
import {
  exceedsCreditLimit,
  invalidDenomination,
  invalidFundingInstrument,
  noDraftAgain,
  notSettable,
  spendExceedsBudget,
} from '../campaigns.errors.js';
import type { FundingInstrument } from '../funding-instruments/funding-instrument.entity.js';
import { FUNDING_INSTRUMENTS } from '../funding-instruments/funding-instrument.entity.js';
import { creditRemaining, fundsRemaining } from '../funding-instruments/funding-instrument.rules.js';
import type { ItemAmounts } from '../statements/line-item.statements.js';
import { minimumDenomination } from '../money.js';
import { Campaign, type BudgetOptimization, type EntityStatus } from '../entities/campaign.entity.js';
import type { CreateCampaign, UpdateCampaign } from './campaigns.dto.js';

const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';

type Funding = Row<FundingInstrument>;

/** The amounts of line items, by campaign. */
type AmountsByCampaign = ReadonlyMap<string, readonly ItemAmounts[]>;

/** The data that the rules of campaigns need besides a request. */
export interface CampaignContext {
  account: ActingAccount;
  /** The funding instruments that the requests name, and those of the campaigns that change. */
  fundings: ReadonlyMap<string, Funding>;
  amounts: AmountsByCampaign;
  now: Date;
}

/** A new campaign with these parameters and the defaults. */
export function newCampaign(params: CreateCampaign, { account, fundings }: CampaignContext): NewColumns<Campaign> {
  const budgetOptimization = params.budget_optimization ?? usualOptimization(account);
  return newColumns(Campaign, params, {
    accountId: account.id,
    currency: fundings.get(params.funding_instrument_id)!.currency,
    budgetOptimization,
    spentLocalMicro: 0,
    standardDelivery: budgetOptimization === 'CAMPAIGN' ? (params.standard_delivery ?? true) : null,
    durationInDays: null,
    frequencyCap: null,
    entityStatus: params.entity_status ?? 'ACTIVE',
    objective: null,
    productType: null,
    startTime: null,
    endTime: null,
    complete: false,
  });
}

/** Problems between the parameters of a new campaign and with its funding, as far as the parameters are readable. */
export function problemsOfNewCampaign(
  request: Parsed<CreateCampaign>,
  { account, fundings, now }: CampaignContext,
): ApiError[] {
  const named = request.value('funding_instrument_id');
  const funding = named === undefined ? undefined : fundings.get(named);
  const delivery = request.known('standard_delivery', 'budget_optimization');
  const budgets = request.known(DAILY, TOTAL, 'budget_optimization');
  return [
    ...unknownReference(FUNDING_INSTRUMENTS, account, named, funding),
    ...(funding ? fundingProblems(funding, now) : []),
    ...optimizationProblems(account, request.value('budget_optimization')),
    ...(delivery ? deliveryProblems(account, delivery.budget_optimization, delivery.standard_delivery) : []),
    ...denominationProblems(request, funding),
    ...(budgets ? budgetProblems({ ...noBudget(account), ...budgetsIn(account, budgets) }, funding) : []),
  ];
}

/** The columns of a campaign that a request changes. */
export function patchOfCampaign(
  params: UpdateCampaign,
  campaign: Row<Campaign>,
  { account }: CampaignContext,
): Partial<Row<Campaign>> {
  // the date says who has the budgets, and clients send back what they read
  if (isInForce('LINE_ITEM_BUDGETS', account.asOf)) {
    const daily = changed(campaign.dailyBudgetAmountLocalMicro, params[DAILY]);
    const total = changed(campaign.totalBudgetAmountLocalMicro, params[TOTAL]);
    const isOfItems = daily === null && total === null && campaign.budgetOptimization === 'CAMPAIGN';
    return changedColumns(Campaign, params, {
      budgetOptimization: isOfItems ? 'LINE_ITEM' : undefined,
      standardDelivery: isOfItems ? null : undefined,
    });
  }
  const budgetOptimization = params.budget_optimization === null ? 'CAMPAIGN' : params.budget_optimization;
  const isOfLineItems = (budgetOptimization ?? campaign.budgetOptimization) === 'LINE_ITEM';
  return changedColumns(Campaign, params, {
    budgetOptimization,
    standardDelivery: isOfLineItems ? null : (changed(campaign.standardDelivery, params.standard_delivery) ?? true),
  });
}

/** Problems of an update of a campaign, as far as it is readable. An unchanged value is always accepted. */
export function problemsOfCampaignPatch(
  request: Parsed<UpdateCampaign>,
  { account, fundings, amounts }: CampaignContext,
  stored: Row<Campaign>,
): ApiError[] {
  const campaign = campaignAsOf(stored, account.asOf);
  const funding = fundings.get(campaign.fundingInstrumentId);
  const status = request.known('entity_status');
  const delivery = request.known('standard_delivery', 'budget_optimization');
  const budgets = request.known(DAILY, TOTAL, 'budget_optimization');
  const after: Budgets = { ...campaign, ...(budgets && budgetsIn(account, budgets)) };
  const touched = BUDGET_FIELDS.some((name) => after[name] !== campaign[name]);
  // line items bound each budget, whether or not the other one is readable
  const optimization = request.known('budget_optimization');
  const items = amounts.get(campaign.id) ?? [];
  const each = optimization && { ...optimization, [DAILY]: request.value(DAILY), [TOTAL]: request.value(TOTAL) };
  return [
    ...unchangeable('funding_instrument_id', campaign.fundingInstrumentId, request.value('funding_instrument_id')),
    ...(status ? statusProblems(campaign, status.entity_status) : []),
    ...optimizationProblems(account, request.value('budget_optimization')),
    ...(delivery && delivery.standard_delivery !== campaign.standardDelivery
      ? deliveryProblems(
          account,
          changed<BudgetOptimization | null>(campaign.budgetOptimization, delivery.budget_optimization),
          delivery.standard_delivery,
        )
      : []),
    ...denominationProblems(request, funding),
    ...(touched ? budgetProblems(after, funding, campaign) : []),
    ...itemProblems(campaign, { ...campaign, ...(each && budgetsIn(account, each)) }, items),
    ...(budgets ? unboundedProblems(campaign, after, items) : []),
  ];
}

/** A campaign can take the budgets back only if none of its line items has one. */
const itemBudgetsInTheWay = catalogue.invalid(
  'budget_optimization',
  'budget_optimization cannot become CAMPAIGN while line items have daily budgets',
  { value: 'CAMPAIGN' },
);

/** Problems between the changed budgets of a campaign and those of its line items. */
function itemProblems(before: Budgets, after: Budgets, items: readonly ItemAmounts[]): ApiError[] {
  const takesBack = after.budgetOptimization === 'CAMPAIGN' && before.budgetOptimization === 'LINE_ITEM';
  const { dailyBudgetAmountLocalMicro: daily, totalBudgetAmountLocalMicro: total } = after;
  return [
    ...(takesBack && items.some((item) => item.daily !== null) ? [itemBudgetsInTheWay] : []),
    ...(daily !== before.dailyBudgetAmountLocalMicro ? belowItems(DAILY, daily, items, ['daily', 'bid']) : []),
    ...(total !== before.totalBudgetAmountLocalMicro ? belowItems(TOTAL, total, items, ['daily', 'total', 'bid']) : []),
  ];
}

/** Line items without budgets, which the campaign would no longer limit. */
function unboundedProblems(before: Budgets, after: Budgets, items: readonly ItemAmounts[]): ApiError[] {
  const isFree = (campaign: Budgets) =>
    campaign.dailyBudgetAmountLocalMicro === null && campaign.totalBudgetAmountLocalMicro === null;
  if (after.budgetOptimization !== 'LINE_ITEM' || isFree(before) || !isFree(after)) return [];
  const unbounded = items.filter(({ daily, total }) => daily === null && total === null).map(({ id }) => id);
  if (unbounded.length === 0) return [];
  const name = before.dailyBudgetAmountLocalMicro === null ? TOTAL : DAILY;
  return [
    catalogue.invalid(name, `${name} cannot be unset while line items have no budgets: ${namedItems(unbounded)}`, {
      details: 'give each of them a budget first',
    }),
  ];
}

const ITEM_FIELDS = { daily: DAILY, total: TOTAL, bid: 'bid_amount_local_micro' } as const;

/** Maximum number of line items that a message names. */
const MAX_NAMED_ITEMS = 10;

/** A campaign budget that is below the amounts of these line items. */
function belowItems(
  name: typeof DAILY | typeof TOTAL,
  budget: number | null,
  items: readonly ItemAmounts[],
  kinds: readonly (keyof typeof ITEM_FIELDS)[],
): ApiError[] {
  if (budget === null) return [];
  const above = items.flatMap((item) => {
    const kind = kinds.find((each) => (item[each] ?? 0) > budget);
    return kind ? [{ id: item.id, amount: `${ITEM_FIELDS[kind]}=${item[kind]}` }] : [];
  });
  if (above.length === 0) return [];
  return [
    catalogue.invalid(
      name,
      `${name} must be at least the budgets and bids of the line items of the campaign: ${namedItems(above.map(({ id }) => id))}`,
      {
        value: budget,
        details: above
          .slice(0, MAX_NAMED_ITEMS)
          .map(({ id, amount }) => `line item ${id} has ${amount}`)
          .join('; '),
      },
    ),
  ];
}

const namedItems = (ids: readonly string[]): string =>
  ids.length > MAX_NAMED_ITEMS
    ? `${ids.slice(0, MAX_NAMED_ITEMS).join(', ')} and ${ids.length - MAX_NAMED_ITEMS} more`
    : ids.join(', ');

/** Supports read-modify-write: the stored value is accepted, any other value is rejected. */
const unchangeable = (parameter: string, stored: string, sent: string | undefined): ApiError[] =>
  sent === undefined || sent === stored ? [] : [notSettable(parameter, sent)];

/** Whether a request sends a budget of a campaign or `budget_optimization`. */
export const sendsBudget = (request: Parsed<Partial<UpdateCampaign>>): boolean =>
  ([DAILY, TOTAL, 'budget_optimization'] as const).some((name) => request.value(name) !== undefined);

const BUDGET_FIELDS = ['budgetOptimization', 'dailyBudgetAmountLocalMicro', 'totalBudgetAmountLocalMicro'] as const;
type Budgets = Pick<Row<Campaign>, (typeof BUDGET_FIELDS)[number] | 'spentLocalMicro'>;

type Dated = Pick<ActingAccount, 'asOf'>;

/** Who has the budgets if nobody chooses it. */
const usualOptimization = ({ asOf }: Dated): BudgetOptimization =>
  isInForce('LINE_ITEM_BUDGETS', asOf) ? 'LINE_ITEM' : 'CAMPAIGN';

const optimizationProblems = ({ asOf }: Dated, sent: BudgetOptimization | null | undefined): ApiError[] =>
  sent === 'CAMPAIGN' && isInForce('LINE_ITEM_BUDGETS', asOf)
    ? [
        catalogue.invalid('budget_optimization', 'Expected LINE_ITEM, got "CAMPAIGN" for budget_optimization', {
          value: sent,
          details: sinceDate('LINE_ITEM_BUDGETS', asOf),
        }),
      ]
    : [];

const noBudget = (account: Dated): Budgets => ({
  budgetOptimization: usualOptimization(account),
  dailyBudgetAmountLocalMicro: null,
  totalBudgetAmountLocalMicro: null,
  spentLocalMicro: 0,
});

/** The budgets that a request sends; undefined if it sends none. */
const budgetsIn = (account: Dated, sent: Pick<CreateCampaign, typeof DAILY | typeof TOTAL | 'budget_optimization'>) =>
  present({
    budgetOptimization: sent.budget_optimization === null ? usualOptimization(account) : sent.budget_optimization,
    dailyBudgetAmountLocalMicro: sent.daily_budget_amount_local_micro,
    totalBudgetAmountLocalMicro: sent.total_budget_amount_local_micro,
  });

/** Omits undefined values. */
const present = <V extends object>(values: V): { [K in keyof V]?: Exclude<V[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof V]?: Exclude<V[K], undefined>;
  };

/** The sent value, otherwise the stored one. Null unsets. */
const changed = <V>(stored: V, sent: V | undefined): V => (sent === undefined ? stored : sent);

/** Deleted and ended funding accepts no new campaigns. Funding that has not started yet does. */
function fundingProblems(funding: Funding, now: Date): ApiError[] {
  if (funding.deletedAt !== null) return [invalidFundingInstrument(funding.id, 'it was deleted')];
  if (funding.endTime !== null && new Date(funding.endTime) <= now)
    return [invalidFundingInstrument(funding.id, 'it has ended')];
  return [];
}

/** A client that sends back the status of a draft changes nothing. */
const statusProblems = ({ entityStatus }: Row<Campaign>, sent: EntityStatus | undefined): ApiError[] =>
  sent === 'DRAFT' && entityStatus !== 'DRAFT' ? [noDraftAgain('campaign', entityStatus)] : [];

/** From the change of X on, campaigns ignore it. */
function deliveryProblems(
  { asOf }: Dated,
  budgetOptimization: BudgetOptimization | null | undefined,
  sent: boolean | null | undefined,
): ApiError[] {
  if (sent === undefined || sent === null || budgetOptimization !== 'LINE_ITEM') return [];
  if (isInForce('LINE_ITEM_BUDGETS', asOf)) return [];
  return [
    catalogue.invalid('standard_delivery', 'standard_delivery can only be set when budget_optimization is CAMPAIGN', {
      value: sent,
      details: `budget_optimization is ${budgetOptimization}`,
    }),
  ];
}

/**
 * Validates the budgets of a campaign; against its funding only if the funding is known. `before`: the previous
 * budgets, for an update.
 */
function budgetProblems(campaign: Budgets, funding: Funding | undefined, before?: Budgets): ApiError[] {
  const { dailyBudgetAmountLocalMicro: daily, totalBudgetAmountLocalMicro: total } = campaign;
  const problems: ApiError[] = [];
  if (funding && daily === null && needsDailyBudget(campaign, funding)) {
    const budget = isPrepaid(funding) ? `a daily budget, or ${TOTAL} instead of it` : 'a daily budget';
    problems.push(catalogue.missing(DAILY, `a campaign funded by ${funding.type} needs ${budget}`));
  }
  if (daily !== null && total !== null && daily > total) {
    const isTotalToBlame = before?.dailyBudgetAmountLocalMicro === daily;
    problems.push(
      isTotalToBlame
        ? catalogue.invalid(TOTAL, `${TOTAL} must be at least ${DAILY}`, {
            value: total,
            details: `${DAILY} of the campaign is ${daily}`,
          })
        : catalogue.invalid(DAILY, `${DAILY} must be at most ${TOTAL}`, {
            value: daily,
            details: `${TOTAL} is ${total}`,
          }),
    );
  }
  if (total !== null && total < campaign.spentLocalMicro) {
    problems.push(spendExceedsBudget(TOTAL, `${TOTAL} is below the amount that is already spent`, total));
  }
  if (funding) problems.push(...exceedingProblems(campaign, funding, before));
  return problems;
}

/** Each amount by itself, whatever else is unreadable. The currency is that of the funding. */
function denominationProblems(
  request: Pick<Parsed<UpdateCampaign>, 'value'>,
  funding: Funding | undefined,
): ApiError[] {
  if (!funding) return [];
  const { currency } = funding;
  const minimum = minimumDenomination(currency);
  return ([DAILY, TOTAL] as const).flatMap((name) => {
    const amount = request.value(name);
    return amount && amount % minimum !== 0 ? [invalidDenomination(name, amount, currency, minimum)] : [];
  });
}

/**
 * Required for all funding except prepaid funding with a total budget. Not required if the line items have the budgets.
 */
function needsDailyBudget(campaign: Budgets, funding: Funding): boolean {
  if (campaign.budgetOptimization === 'LINE_ITEM') return false;
  return !(isPrepaid(funding) && campaign.totalBudgetAmountLocalMicro !== null);
}

const isPrepaid = ({ type }: Funding): boolean => type === 'INSERTION_ORDER' || type === 'PARTNER_MANAGED';

/** Reports a budget that the funding cannot pay for, unless it was as high `before`. What is spent of a total budget is paid. */
function exceedingProblems(campaign: Budgets, funding: Funding, before?: Budgets): ApiError[] {
  const [name, column] =
    campaign.totalBudgetAmountLocalMicro !== null
      ? ([TOTAL, 'totalBudgetAmountLocalMicro'] as const)
      : ([DAILY, 'dailyBudgetAmountLocalMicro'] as const);
  const amount = campaign[column] ?? 0;
  if (amount <= (before?.[column] ?? 0)) return [];
  const left = name === TOTAL ? amount - campaign.spentLocalMicro : amount;
  const credit = creditRemaining(funding);
  const funds = fundsRemaining(funding);
  if (credit !== null && left > credit) return [exceedsCreditLimit(name, amount, credit)];
  if (funds !== null && left > funds) {
    return [spendExceedsBudget(name, `${name} exceeds the remaining funds of the funding instrument`, amount)];
  }
  return [];
}
