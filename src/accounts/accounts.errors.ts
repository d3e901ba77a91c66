import { defineErrors } from '../common/errors/error-codes.js';
import { Unavailable } from '../common/errors/unavailable.js';

const error = defineErrors({ FEATURE_NOT_AVAILABLE: 400, TEST_CLOCK_ADVANCING: 409 });

export const featureNotAvailable = (key: string, parameter?: string) =>
  error('FEATURE_NOT_AVAILABLE', `The feature ${key} is not available for this account`, { parameter });

/** The test clock of the account moved, or moves, while a request changes the account. */
export const clockIsAdvancing = (accountId: string) =>
  error(
    'TEST_CLOCK_ADVANCING',
    `The test clock of account ${accountId} is advancing; repeat the request when its status is ready`,
    { parameter: 'account_id' },
    { 'retry-after': '1' },
  );

/** A restore or a reset removed what belongs to rows of an answer after these were read. */
export const resetMeanwhile = (accountId: string) => new Unavailable(`account ${accountId} was reset meanwhile`);
