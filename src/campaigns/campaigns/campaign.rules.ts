import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Row } from '../../common/db/query/rows.js';
import { newId } from '../../common/entity/ids.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import * as catalogue from '../../common/errors/catalogue.js';
import type { FundingInstrument } from '../funding-instruments/funding-instrument.entity.js';
import { creditRemaining, fundsRemaining } from '../funding-instruments/funding-instrument.rules.js';
import { minimumDenomination } from '../money.js';
import type { Campaign } from './campaign.entity.js';
import type { CreateCampaign, UpdateCampaign } from './campaigns.dto.js';

type Funding = Row<FundingInstrument>;

/** A new campaign of these parameters, with its defaults, or everything that is wrong with them (Part 3, 4.6). */
export function draftCampaign(
  account: ActingAccount,
  params: CreateCampaign,
  funding: Funding,
  now: Date,
): Row<Campaign> {
  const time = now.toISOString();
  const budgetOptimization = params.budget_optimization ?? 'CAMPAIGN';
  const campaign: Row<Campaign> = {
    id: newId(now),
    accountId: account.id,
    fundingInstrumentId: funding.id,
    name: params.name,
    currency: funding.currency,
    budgetOptimization,
    dailyBudgetAmountLocalMicro: params.daily_budget_amount_local_micro ?? null,
    totalBudgetAmountLocalMicro: params.total_budget_amount_local_micro ?? null,
    spentLocalMicro: 0,
    standardDelivery: budgetOptimization === 'CAMPAIGN' ? (params.standard_delivery ?? true) : null,
    purchaseOrderNumber: params.purchase_order_number ?? null,
    durationInDays: null,
    frequencyCap: null,
    entityStatus: params.entity_status ?? 'ACTIVE',
    startTime: null,
    endTime: null,
    complete: false,
    createdAt: time,
    updatedAt: time,
    deletedAt: null,
  };
  refuseAny([
    ...fundingProblems(funding, now),
    ...deliveryProblems(campaign, params),
    ...budgetProblems(campaign, funding),
  ]);
  return campaign;
}

/** The campaign with what was sent changed, or everything that is wrong with it. */
export function patchCampaign(
  campaign: Row<Campaign>,
  params: UpdateCampaign,
  funding: Funding | undefined,
  now: Date,
): Row<Campaign> {
  const patched: Row<Campaign> = { ...campaign, updatedAt: nextUpdatedAt(campaign.updatedAt, now) };
  if (params.name !== undefined) patched.name = params.name;
  if (params.entity_status !== undefined) patched.entityStatus = params.entity_status;
  if (params.purchase_order_number !== undefined) patched.purchaseOrderNumber = params.purchase_order_number || null;
  if (params.daily_budget_amount_local_micro !== undefined)
    patched.dailyBudgetAmountLocalMicro = params.daily_budget_amount_local_micro;
  if (params.total_budget_amount_local_micro !== undefined)
    patched.totalBudgetAmountLocalMicro = params.total_budget_amount_local_micro;
  if (params.budget_optimization !== undefined) patched.budgetOptimization = params.budget_optimization ?? 'CAMPAIGN';
  if (patched.budgetOptimization === 'LINE_ITEM') patched.standardDelivery = null;
  else
    patched.standardDelivery =
      params.standard_delivery ?? (params.standard_delivery === null ? true : (campaign.standardDelivery ?? true));

  const budgetsTouched =
    patched.dailyBudgetAmountLocalMicro !== campaign.dailyBudgetAmountLocalMicro ||
    patched.totalBudgetAmountLocalMicro !== campaign.totalBudgetAmountLocalMicro ||
    patched.budgetOptimization !== campaign.budgetOptimization;
  refuseAny([
    ...statusProblems(campaign, patched),
    ...deliveryProblems(patched, params),
    ...(budgetsTouched && funding ? budgetProblems(patched, funding) : []),
  ]);
  return patched;
}

export function deletedCampaign(campaign: Row<Campaign>, now: Date): Row<Campaign> {
  const updatedAt = nextUpdatedAt(campaign.updatedAt, now);
  return { ...campaign, updatedAt, deletedAt: updatedAt };
}

/** Decisions, "Active": what the limit of an account counts. */
export const isActive = (campaign: Row<Campaign> | undefined): boolean =>
  campaign?.entityStatus === 'ACTIVE' && campaign.deletedAt === null;

function refuseAny(problems: ApiError[]): void {
  if (problems.length > 0) throw new ApiErrors(problems);
}

/** Deleted and ended funding takes no new campaigns; funding that has yet to start does. */
function fundingProblems(funding: Funding, now: Date): ApiError[] {
  if (funding.deletedAt !== null) return [catalogue.invalidFundingInstrument(funding.id, 'it was deleted')];
  if (funding.endTime !== null && new Date(funding.endTime) <= now)
    return [catalogue.invalidFundingInstrument(funding.id, 'it has ended')];
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

function deliveryProblems(campaign: Row<Campaign>, params: Pick<CreateCampaign, 'standard_delivery'>): ApiError[] {
  const given = params.standard_delivery ?? null;
  if (given === null || campaign.budgetOptimization === 'CAMPAIGN') return [];
  return [
    catalogue.invalid('standard_delivery', 'standard_delivery can only be set when budget_optimization is CAMPAIGN', {
      value: given,
      details: `budget_optimization is ${campaign.budgetOptimization}`,
    }),
  ];
}

const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';

function budgetProblems(campaign: Row<Campaign>, funding: Funding): ApiError[] {
  const { dailyBudgetAmountLocalMicro: daily, totalBudgetAmountLocalMicro: total, currency } = campaign;
  const problems: ApiError[] = [];
  const minimum = minimumDenomination(currency);
  for (const [name, amount] of [
    [DAILY, daily],
    [TOTAL, total],
  ] as const) {
    if (amount !== null && amount % minimum !== 0)
      problems.push(catalogue.invalidDenomination(name, amount, currency, minimum));
  }
  if (daily === null && needsDailyBudget(campaign, funding)) {
    problems.push(catalogue.missing(DAILY, `a campaign funded by ${funding.type} needs a daily budget`));
  }
  if (daily !== null && total !== null && daily > total) {
    problems.push(
      catalogue.invalid(DAILY, `${DAILY} must be at most ${TOTAL}`, { value: daily, details: `${TOTAL} is ${total}` }),
    );
  }
  if (total !== null && total < campaign.spentLocalMicro) {
    problems.push(catalogue.spendExceedsBudget(TOTAL, `${TOTAL} is below what was spent already`, total));
  }
  problems.push(...exceedingProblems(campaign, funding));
  return problems;
}

/** Facts 8.5 and 8.12: all but prepaid funding with a total budget; none where the line items have the budgets. */
function needsDailyBudget(campaign: Row<Campaign>, funding: Funding): boolean {
  if (campaign.budgetOptimization === 'LINE_ITEM') return false;
  const prepaid = funding.type === 'INSERTION_ORDER' || funding.type === 'PARTNER_MANAGED';
  return !(prepaid && campaign.totalBudgetAmountLocalMicro !== null);
}

/** Facts 8.5: a budget that the funding cannot pay for. */
function exceedingProblems(campaign: Row<Campaign>, funding: Funding): ApiError[] {
  const [name, amount] =
    campaign.totalBudgetAmountLocalMicro !== null
      ? ([TOTAL, campaign.totalBudgetAmountLocalMicro] as const)
      : ([DAILY, campaign.dailyBudgetAmountLocalMicro ?? 0] as const);
  const credit = creditRemaining(funding);
  const funds = fundsRemaining(funding);
  if (credit !== null && amount > credit) return [catalogue.exceedsCreditLimit(name, amount, credit)];
  if (funds !== null && amount > funds) {
    return [catalogue.spendExceedsBudget(name, `${name} exceeds what is left of the funding instrument`, amount)];
  }
  return [];
}
