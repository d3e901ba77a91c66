import { truncate, truncatedValue } from '../common/errors/api-error.js';
import { invalid, notFoundWith } from '../common/errors/catalogue.js';
import { defineErrors } from '../common/errors/error-codes.js';

const error = defineErrors({
  INCOMPATIBLE_LINE_ITEM: 400,
  INVALID_DENOMINATION: 400,
  INVALID_FUNDING_INSTRUMENT: 400,
  INVALID_TV_SHOW_LOCATIONS: 400,
  SPEND_EXCEEDS_BUDGET: 400,
  TOO_MANY_CAMPAIGNS: 400,
  TOO_MANY_LINE_ITEMS: 400,
  TV_SHOW_OUTSIDE_MARKET: 400,
  INVALID_APP_ID: 400,
  INVALID_APP_STORE: 400,
  FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT: 403,
  LINE_ITEM_APP_NOT_FOUND: 404,
  MACT_APP_NOT_FOUND: 404,
  NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION: 404,
});

export const lineItemAppNotFound = notFoundWith(error, 'LINE_ITEM_APP_NOT_FOUND');

/** The application is no measurement partner. */
export const noProvider = () =>
  error('NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION', 'The application is not a measurement partner', {
    details: 'an operator can make it one with `marquee app partner`',
  });

export const mactAppNotFound = (app: string) =>
  error('MACT_APP_NOT_FOUND', `No account measures the app ${app}`, {
    parameter: 'app_id',
    value: app,
    details: 'an account measures an app once it has an app event tag of it',
  });

export const invalidAppId = (app: string) =>
  error('INVALID_APP_ID', `Expected a package name or an App Store number for app_id, got "${truncate(app, 100)}"`, {
    parameter: 'app_id',
    value: app,
  });

export const invalidAppStore = (os: string, app: string) =>
  error('INVALID_APP_STORE', `${app} is not in the store of ${os}`, { parameter: 'os_type', value: os });

/** A fixed field. Supports read-modify-write: the stored value is accepted, any other value is rejected. */
export const notSettable = (parameter: string, value: unknown, details?: string) =>
  invalid(parameter, `setting ${parameter} is not allowed`, { value, ...(details && { details }) });

/** Rejects turning something back into a draft; `what` names the kind of resource. */
export const noDraftAgain = (what: string, entityStatus: string) =>
  invalid('entity_status', 'Expected a value in ACTIVE, PAUSED, got "DRAFT" for entity_status', {
    value: 'DRAFT',
    details: `the ${what} is ${entityStatus}`,
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
    details: 'pause or delete an active campaign first, or ask the operator to raise the limit of the account',
  });

export const tooManyLineItems = (limit: number) =>
  error('TOO_MANY_LINE_ITEMS', `A campaign can have at most ${limit} line items`, {
    parameter: 'campaign_id',
    details: 'delete one of them first, or use another campaign',
  });

export const tooManyActiveLineItems = (limit: number) =>
  error('TOO_MANY_LINE_ITEMS', `An account can have at most ${limit} active line items`, {
    parameter: 'entity_status',
    details: 'pause or delete an active line item first; those that have ended do not count',
  });

export const spendExceedsBudget = (parameter: string, message: string, value?: unknown) =>
  error('SPEND_EXCEEDS_BUDGET', message, { parameter, value });

export const exceedsCreditLimit = (parameter: string, amount: number, remaining: number) =>
  error('FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT', `${parameter} exceeds the remaining credit`, {
    parameter,
    value: amount,
    details: `${remaining} micro-units remain`,
  });

/** Rejects attaching something to a line item; `message` states the reason. */
export const incompatibleLineItem = (message: string, lineItemId: string | readonly string[], details?: string) =>
  error('INCOMPATIBLE_LINE_ITEM', message, {
    parameter: typeof lineItemId === 'string' ? 'line_item_id' : 'line_item_ids',
    value: truncatedValue(lineItemId),
    ...(details && { details }),
  });

export const invalidTvShowLocations = (show: string) =>
  error('INVALID_TV_SHOW_LOCATIONS', 'A TV show requires a location where it is shown', {
    parameter: 'targeting_value',
    value: show,
    details: 'add a criterion of LOCATION first',
  });

/** `location`: the added location, if the line item already targeted the show. */
export const tvShowOutsideMarket = (show: string, market: readonly string[], location?: string) =>
  error('TV_SHOW_OUTSIDE_MARKET', `The TV show ${show} is not shown in every targeted location`, {
    parameter: 'targeting_value',
    value: location ?? show,
    details: `it is shown in ${market.join(', ')}`,
  });
