import { defineErrors } from '../common/errors/error-codes.js';

const error = defineErrors({
  INVALID_DENOMINATION: 400,
  INVALID_FUNDING_INSTRUMENT: 400,
  SPEND_EXCEEDS_BUDGET: 400,
  TOO_MANY_CAMPAIGNS: 400,
  FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT: 403,
});

export const invalidDenomination = (parameter: string, value: number, currency: string, minimum: number) =>
  error('INVALID_DENOMINATION', `Expected a multiple of ${minimum} for ${parameter}, got ${value}`, {
    parameter,
    value,
    details: `the smallest amount of ${currency} is ${minimum} micro-units`,
  }).hinted(() => {
    const micro = value * 1_000_000;
    return Number.isSafeInteger(micro) ? `Amounts are in micro-units: ${value} ${currency} are ${micro}.` : undefined;
  });

export const invalidFundingInstrument = (id: string, details: string) =>
  error('INVALID_FUNDING_INSTRUMENT', `Funding Instrument ${id} is not able to fund`, {
    parameter: 'funding_instrument_id',
    value: id,
    details,
  });

export const tooManyCampaigns = (limit: number) =>
  error('TOO_MANY_CAMPAIGNS', `An account can have at most ${limit} active campaigns`, {
    parameter: 'entity_status',
    details: 'pause or delete an active campaign first, or have the limit of the account raised',
  });

export const spendExceedsBudget = (parameter: string, message: string, value?: unknown) =>
  error('SPEND_EXCEEDS_BUDGET', message, { parameter, value });

export const exceedsCreditLimit = (parameter: string, amount: number, remaining: number) =>
  error('FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT', `${parameter} exceeds the credit that is left`, {
    parameter,
    value: amount,
    details: `${remaining} micro-units are left`,
  });
