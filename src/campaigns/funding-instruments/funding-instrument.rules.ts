import { closedSet } from '../../common/values/closed-set.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, invalidTimeWindow, missing } from '../../common/errors/catalogue.js';
import { invalidDenomination } from '../campaigns.errors.js';
import { minimumDenomination } from '../money.js';
import type { FundingInstrument, FundingType } from './funding-instrument.entity.js';

/** The reasons that this service can determine. */
export const FUNDING_REASONS = closedSet('ReasonNotAbleToFund', [
  'BUDGET_EXHAUSTED',
  'DELETED',
  'EXPIRED',
  'PAUSED',
  'STARTS_IN_FUTURE',
]);
export type FundingReason = (typeof FUNDING_REASONS)[number];

const CREDIT_LINES: readonly FundingType[] = ['CREDIT_LINE', 'AGENCY_CREDIT_LINE'];
const WITH_CREDIT_LIMIT: readonly FundingType[] = [...CREDIT_LINES, 'CREDIT_CARD'];
const WITH_FUNDED_AMOUNT: readonly FundingType[] = ['INSERTION_ORDER', 'PARTNER_MANAGED'];

/** The remaining credit; null for types without credit. */
export const creditRemaining = ({
  type,
  creditLimitLocalMicro,
  spentLocalMicro,
}: Row<FundingInstrument>): number | null =>
  CREDIT_LINES.includes(type) && creditLimitLocalMicro !== null
    ? Math.max(0, creditLimitLocalMicro - spentLocalMicro)
    : null;

/** The remaining prepaid amount; null for types without one. */
export const fundsRemaining = ({
  type,
  fundedAmountLocalMicro,
  spentLocalMicro,
}: Row<FundingInstrument>): number | null =>
  WITH_FUNDED_AMOUNT.includes(type) && fundedAmountLocalMicro !== null
    ? Math.max(0, fundedAmountLocalMicro - spentLocalMicro)
    : null;

/** The reasons why an instrument cannot pay at this time. Empty if it can. */
export function reasonsNotAbleToFund(funding: Row<FundingInstrument>, now: Date): FundingReason[] {
  const reasons: FundingReason[] = [];
  if (creditRemaining(funding) === 0 || fundsRemaining(funding) === 0) reasons.push('BUDGET_EXHAUSTED');
  if (funding.deletedAt !== null) reasons.push('DELETED');
  if (funding.endTime !== null && new Date(funding.endTime) <= now) reasons.push('EXPIRED');
  if (funding.entityStatus === 'PAUSED') reasons.push('PAUSED');
  if (new Date(funding.startTime) > now) reasons.push('STARTS_IN_FUTURE');
  return reasons;
}

export const isAbleToFund = (funding: Row<FundingInstrument>, now: Date): boolean =>
  reasonsNotAbleToFund(funding, now).length === 0;

/** The parameters of a new funding instrument. */
export interface FundingTerms {
  type: FundingType;
  currency: string;
  start_time: string;
  end_time?: string | null;
  credit_limit_local_micro?: number | null;
  funded_amount_local_micro?: number | null;
}

/** An insertion order requires an end time. */
export const missingEnd = ({ type, end_time }: Pick<FundingTerms, 'type' | 'end_time'>): ApiError | undefined =>
  type === 'INSERTION_ORDER' && (end_time ?? null) === null
    ? missing('end_time', 'an INSERTION_ORDER has an end')
    : undefined;

export const endBeforeStart = ({
  start_time,
  end_time,
}: Pick<FundingTerms, 'start_time' | 'end_time'>): ApiError | undefined =>
  end_time && end_time <= start_time
    ? invalidTimeWindow('end_time', 'end_time must be after start_time', end_time)
    : undefined;

/** Validates which amounts the type allows. */
export const unexpectedCreditLimit = (terms: Pick<FundingTerms, 'type' | 'credit_limit_local_micro'>) =>
  strayAmount('credit_limit_local_micro', terms.credit_limit_local_micro, terms.type, WITH_CREDIT_LIMIT);
export const strayFundedAmount = (terms: Pick<FundingTerms, 'type' | 'funded_amount_local_micro'>) =>
  strayAmount('funded_amount_local_micro', terms.funded_amount_local_micro, terms.type, WITH_FUNDED_AMOUNT);

/** Rejects amounts that the currency cannot express. */
export const oddCreditLimit = (terms: Pick<FundingTerms, 'currency' | 'credit_limit_local_micro'>) =>
  oddAmount('credit_limit_local_micro', terms.credit_limit_local_micro, terms.currency);
export const oddFundedAmount = (terms: Pick<FundingTerms, 'currency' | 'funded_amount_local_micro'>) =>
  oddAmount('funded_amount_local_micro', terms.funded_amount_local_micro, terms.currency);

/**
 * Rejects a spend that is not a multiple of the currency's smallest amount, or that makes the total exceed the largest
 * amount.
 */
export function unspendable(
  { currency, spentLocalMicro: spent }: Pick<Row<FundingInstrument>, 'currency' | 'spentLocalMicro'>,
  amount: number,
): ApiError | undefined {
  const name = 'amount_local_micro';
  if (spent + amount <= Number.MAX_SAFE_INTEGER) return oddAmount(name, amount, currency);
  return invalid(name, `${name} is too large`, {
    value: amount,
    details: `${spent} are already spent, and the maximum is ${Number.MAX_SAFE_INTEGER}`,
  });
}

function strayAmount(
  name: string,
  amount: number | null | undefined,
  type: FundingType,
  types: readonly FundingType[],
): ApiError | undefined {
  if ((amount ?? null) === null || types.includes(type)) return undefined;
  return invalid(name, `${name} cannot be set for ${type}`, {
    value: amount,
    details: `it is only for ${types.join(', ')}`,
  });
}

function oddAmount(name: string, amount: number | null | undefined, currency: string): ApiError | undefined {
  const minimum = minimumDenomination(currency);
  return amount && amount % minimum !== 0 ? invalidDenomination(name, amount, currency, minimum) : undefined;
}

/** The fields of a new instrument with these terms. */
export const newFunding = (accountId: string, terms: FundingTerms) => ({
  accountId,
  type: terms.type,
  description: terms.type === 'CREDIT_CARD' ? 'Visa ending in 0650' : '(no payment method has been set up yet)',
  currency: terms.currency,
  startTime: terms.start_time,
  endTime: terms.end_time ?? null,
  creditLimitLocalMicro: terms.credit_limit_local_micro ?? null,
  fundedAmountLocalMicro: terms.funded_amount_local_micro ?? null,
  spentLocalMicro: 0,
  ioHeader: null,
  entityStatus: 'ACTIVE' as const,
});

/** All problems of a new instrument. */
export function problemsOf(
  funding: Pick<
    Row<FundingInstrument>,
    'type' | 'currency' | 'startTime' | 'endTime' | 'creditLimitLocalMicro' | 'fundedAmountLocalMicro'
  >,
): ApiError[] {
  const terms: FundingTerms = {
    type: funding.type,
    currency: funding.currency,
    start_time: funding.startTime,
    end_time: funding.endTime,
    credit_limit_local_micro: funding.creditLimitLocalMicro,
    funded_amount_local_micro: funding.fundedAmountLocalMicro,
  };
  return [
    missingEnd,
    endBeforeStart,
    unexpectedCreditLimit,
    strayFundedAmount,
    oddCreditLimit,
    oddFundedAmount,
  ].flatMap((rule) => rule(terms) ?? []);
}
