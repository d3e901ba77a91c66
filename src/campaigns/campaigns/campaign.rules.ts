import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { NewFields } from '../../accounts/resources/edits.js';
import type { Row } from '../../common/db/query/rows.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import * as catalogue from '../../common/errors/catalogue.js';
import {
  exceedsCreditLimit,
  invalidDenomination,
  invalidFundingInstrument,
  spendExceedsBudget,
} from '../campaigns.errors.js';
import type { FundingInstrument } from '../funding-instruments/funding-instrument.entity.js';
import { FUNDING_INSTRUMENTS } from '../funding-instruments/funding-instrument.resource.js';
import { creditRemaining, fundsRemaining } from '../funding-instruments/funding-instrument.rules.js';
import { minimumDenomination } from '../money.js';
import type { Campaign } from './campaign.entity.js';
import type { CreateCampaign, UpdateCampaign } from './campaigns.dto.js';

type Funding = Row<FundingInstrument>;

/**
 * A new campaign of these parameters, with its defaults, or everything that is wrong with them (Part 3, 4.6). Without the
 * funding that they name, what does not depend on it is judged all the same.
 */
export function newCampaign(
  account: ActingAccount,
  params: CreateCampaign,
  funding: Funding | undefined,
  now: Date,
): NewFields<Campaign> {
  const budgetOptimization = params.budget_optimization ?? 'CAMPAIGN';
  const campaign = {
    accountId: account.id,
    fundingInstrumentId: params.funding_instrument_id,
    name: params.name,
    currency: funding?.currency ?? '',
    budgetOptimization,
    dailyBudgetAmountLocalMicro: params.daily_budget_amount_local_micro ?? null,
    totalBudgetAmountLocalMicro: params.total_budget_amount_local_micro ?? null,
    spentLocalMicro: 0,
    standardDelivery: budgetOptimization === 'CAMPAIGN' ? (params.standard_delivery ?? true) : null,
    purchaseOrderNumber: params.purchase_order_number || null,
    durationInDays: null,
    frequencyCap: null,
    entityStatus: params.entity_status ?? 'ACTIVE',
    startTime: null,
    endTime: null,
    complete: false,
  };
  refuseAny([
    ...(funding
      ? fundingProblems(funding, now)
      : [FUNDING_INSTRUMENTS.unknownTo(account)(params.funding_instrument_id)]),
    ...deliveryProblems(campaign, params.standard_delivery),
    ...budgetProblems(campaign, funding),
  ]);
  return campaign;
}

/** What of a campaign changes by what was sent, or everything that is wrong with it. An equal value is never refused. */
export function patchOf(
  campaign: Row<Campaign>,
  params: UpdateCampaign,
  funding: Funding | undefined,
): Partial<Row<Campaign>> {
  const budgetOptimization =
    params.budget_optimization === undefined ? campaign.budgetOptimization : (params.budget_optimization ?? 'CAMPAIGN');
  const patch = {
    budgetOptimization,
    name: params.name ?? campaign.name,
    entityStatus: params.entity_status ?? campaign.entityStatus,
    purchaseOrderNumber: changed(campaign.purchaseOrderNumber, params.purchase_order_number) || null,
    dailyBudgetAmountLocalMicro: changed(campaign.dailyBudgetAmountLocalMicro, params.daily_budget_amount_local_micro),
    totalBudgetAmountLocalMicro: changed(campaign.totalBudgetAmountLocalMicro, params.total_budget_amount_local_micro),
    standardDelivery:
      budgetOptimization === 'LINE_ITEM'
        ? null
        : (changed(campaign.standardDelivery, params.standard_delivery) ?? true),
  };
  const after = { ...campaign, ...patch };
  const budgetsTouched =
    after.dailyBudgetAmountLocalMicro !== campaign.dailyBudgetAmountLocalMicro ||
    after.totalBudgetAmountLocalMicro !== campaign.totalBudgetAmountLocalMicro ||
    after.budgetOptimization !== campaign.budgetOptimization;
  refuseAny([
    ...statusProblems(campaign, after),
    ...(params.standard_delivery === campaign.standardDelivery
      ? []
      : deliveryProblems(after, params.standard_delivery)),
    ...(budgetsTouched ? budgetProblems(after, funding) : []),
  ]);
  return patch;
}

/** What was sent, where something was; null unsets. */
const changed = <V>(stored: V, sent: V | undefined): V => (sent === undefined ? stored : sent);

/** Decisions, "Active": what the limit of an account counts. */
export const isActive = (campaign: Row<Campaign>): boolean =>
  campaign.entityStatus === 'ACTIVE' && campaign.deletedAt === null;

/** Deleted and ended funding takes no new campaigns; funding that has yet to start does. */
function fundingProblems(funding: Funding, now: Date): ApiError[] {
  if (funding.deletedAt !== null) return [invalidFundingInstrument(funding.id, 'it was deleted')];
  if (funding.endTime !== null && new Date(funding.endTime) <= now)
    return [invalidFundingInstrument(funding.id, 'it has ended')];
  return [];
}

/** Part 3, 3: nothing becomes a draft again; a client that sends back what it read of one changes nothing. */
function statusProblems(before: Row<Campaign>, after: Row<Campaign>): ApiError[] {
  if (after.entityStatus !== 'DRAFT' || before.entityStatus === 'DRAFT') return [];
  return [
    catalogue.invalid('entity_status', 'Expected a value in ACTIVE, PAUSED, got "DRAFT" for entity_status', {
      value: 'DRAFT',
      details: `the campaign is ${before.entityStatus}`,
    }),
  ];
}

function deliveryProblems(
  campaign: Pick<Row<Campaign>, 'budgetOptimization'>,
  given: boolean | null | undefined,
): ApiError[] {
  if (given === undefined || given === null || campaign.budgetOptimization === 'CAMPAIGN') return [];
  return [
    catalogue.invalid('standard_delivery', 'standard_delivery can only be set when budget_optimization is CAMPAIGN', {
      value: given,
      details: `budget_optimization is ${campaign.budgetOptimization}`,
    }),
  ];
}

type Budgets = Pick<
  Row<Campaign>,
  'budgetOptimization' | 'dailyBudgetAmountLocalMicro' | 'totalBudgetAmountLocalMicro' | 'spentLocalMicro'
>;

const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';

/** What the budgets of a campaign may be; what its funding says of them is judged where the funding is known. */
function budgetProblems(campaign: Budgets, funding: Funding | undefined): ApiError[] {
  const { dailyBudgetAmountLocalMicro: daily, totalBudgetAmountLocalMicro: total } = campaign;
  const problems: ApiError[] = funding ? denominationProblems(campaign, funding) : [];
  if (funding && daily === null && needsDailyBudget(campaign, funding)) {
    problems.push(catalogue.missing(DAILY, `a campaign funded by ${funding.type} needs a daily budget`));
  }
  if (daily !== null && total !== null && daily > total) {
    problems.push(
      catalogue.invalid(DAILY, `${DAILY} must be at most ${TOTAL}`, { value: daily, details: `${TOTAL} is ${total}` }),
    );
  }
  if (total !== null && total < campaign.spentLocalMicro) {
    problems.push(spendExceedsBudget(TOTAL, `${TOTAL} is below what was spent already`, total));
  }
  if (funding) problems.push(...exceedingProblems(campaign, funding));
  return problems;
}

function denominationProblems(campaign: Budgets, { currency }: Funding): ApiError[] {
  const minimum = minimumDenomination(currency);
  return [
    [DAILY, campaign.dailyBudgetAmountLocalMicro] as const,
    [TOTAL, campaign.totalBudgetAmountLocalMicro] as const,
  ].flatMap(([name, amount]) =>
    amount !== null && amount % minimum !== 0 ? [invalidDenomination(name, amount, currency, minimum)] : [],
  );
}

/** Facts 8.5 and 8.12: all but prepaid funding with a total budget; none where the line items have the budgets. */
function needsDailyBudget(campaign: Budgets, funding: Funding): boolean {
  if (campaign.budgetOptimization === 'LINE_ITEM') return false;
  const prepaid = funding.type === 'INSERTION_ORDER' || funding.type === 'PARTNER_MANAGED';
  return !(prepaid && campaign.totalBudgetAmountLocalMicro !== null);
}

/** Facts 8.5: a budget that the funding cannot pay for. */
function exceedingProblems(campaign: Budgets, funding: Funding): ApiError[] {
  const [name, amount] =
    campaign.totalBudgetAmountLocalMicro !== null
      ? ([TOTAL, campaign.totalBudgetAmountLocalMicro] as const)
      : ([DAILY, campaign.dailyBudgetAmountLocalMicro ?? 0] as const);
  const credit = creditRemaining(funding);
  const funds = fundsRemaining(funding);
  if (credit !== null && amount > credit) return [exceedsCreditLimit(name, amount, credit)];
  if (funds !== null && amount > funds) {
    return [spendExceedsBudget(name, `${name} exceeds what is left of the funding instrument`, amount)];
  }
  return [];
}
