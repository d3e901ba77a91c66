import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, invalidTimeWindow, missing } from '../../common/errors/catalogue.js';
import { invalidDenomination } from '../campaigns.errors.js';
import { minimumDenomination } from '../money.js';
import type { FundingInstrument, FundingType } from './funding-instrument.entity.js';

/** The reasons we can find, of those that facts 8.5 knows. */
export const FUNDING_REASONS = ['BUDGET_EXHAUSTED', 'DELETED', 'EXPIRED', 'PAUSED', 'STARTS_IN_FUTURE'] as const;
export type FundingReason = (typeof FUNDING_REASONS)[number];

const CREDIT_LINES: readonly FundingType[] = ['CREDIT_LINE', 'AGENCY_CREDIT_LINE'];
const WITH_CREDIT_LIMIT: readonly FundingType[] = [...CREDIT_LINES, 'CREDIT_CARD'];
const WITH_FUNDED_AMOUNT: readonly FundingType[] = ['INSERTION_ORDER', 'PARTNER_MANAGED'];

/** What is left of a credit line; null for the types that have none. */
export const creditRemaining = ({
  type,
  creditLimitLocalMicro,
  spentLocalMicro,
}: Row<FundingInstrument>): number | null =>
  CREDIT_LINES.includes(type) && creditLimitLocalMicro !== null
    ? Math.max(0, creditLimitLocalMicro - spentLocalMicro)
    : null;

/** What is left of the amount that was paid in beforehand; null for the types that have none. */
export const fundsRemaining = ({
  type,
  fundedAmountLocalMicro,
  spentLocalMicro,
}: Row<FundingInstrument>): number | null =>
  WITH_FUNDED_AMOUNT.includes(type) && fundedAmountLocalMicro !== null
    ? Math.max(0, fundedAmountLocalMicro - spentLocalMicro)
    : null;

/** Why an instrument cannot pay at this moment; it can when there is no reason. */
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

/** Which amounts belong to which type, and when an end is needed (facts 8.5); everything that is wrong, at once. */
export function problemsOf(
  funding: Pick<
    Row<FundingInstrument>,
    'type' | 'currency' | 'startTime' | 'endTime' | 'creditLimitLocalMicro' | 'fundedAmountLocalMicro'
  >,
): ApiError[] {
  const { type, currency, startTime, endTime } = funding;
  const problems: ApiError[] = [];
  if (type === 'INSERTION_ORDER' && endTime === null)
    problems.push(missing('end_time', 'an INSERTION_ORDER has an end'));
  if (endTime !== null && endTime <= startTime)
    problems.push(invalidTimeWindow('end_time', 'end_time must be after start_time', endTime));
  const amounts = [
    ['credit_limit_local_micro', funding.creditLimitLocalMicro, WITH_CREDIT_LIMIT],
    ['funded_amount_local_micro', funding.fundedAmountLocalMicro, WITH_FUNDED_AMOUNT],
  ] as const;
  for (const [name, amount, types] of amounts) {
    if (amount === null) continue;
    if (!types.includes(type)) {
      problems.push(
        invalid(name, `${name} cannot be set for ${type}`, {
          value: amount,
          details: `it belongs to ${types.join(', ')}`,
        }),
      );
    } else if (amount % minimumDenomination(currency) !== 0) {
      problems.push(invalidDenomination(name, amount, currency, minimumDenomination(currency)));
    }
  }
  return problems;
}
