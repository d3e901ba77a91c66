import { ApiError, truncate } from '../common/errors/api-error.js';
import { invalid } from '../common/errors/catalogue.js';
import { Unavailable } from '../common/errors/unavailable.js';
import { didYouMean } from '../common/http/hints/nearest.js';
import { quotedValue } from '../common/http/params/refusals.js';

/** Maximum length of an id in a message; valid ids are shorter. */
const MAX_ID_LENGTH = 128;

/** `text` is what the message says in front of the id. */
function notFound(text: string, parameter: string, id: string): ApiError {
  const value = truncate(id, MAX_ID_LENGTH);
  return new ApiError(404, 34, `${text} ${value}`, { parameter, value });
}

export const requestNotFound = (id: string) =>
  notFound('The journal of this application has no request', 'request_id', id);

const limitReached = (max: number, items: string, details: string) =>
  new ApiError(400, 214, `An application has at most ${max} ${items}`, { details });

export const faultNotFound = (id: string) => notFound('This application has no fault', 'fault_id', id);

export const faultLimitReached = (max: number) =>
  limitReached(max, 'faults', 'delete those that have ended, such as with `marquee faults clear`');

export const namespaceNotFound = (id: string) => notFound('This application has no namespace', 'namespace_id', id);

export const namespaceLimitReached = (max: number) =>
  limitReached(max, 'namespaces', 'delete those that are no longer used, or create them with a shorter ttl');

/** The limit of an application would not limit anything otherwise. */
export const namespaceInNamespace = () =>
  new ApiError(403, 87, 'The application of a namespace may not create namespaces').because('in-namespace');

/** Neither an operation id nor a method and a path of this API, outside of the workbench. */
export const unknownOperation = (operation: string, operations: readonly { id: string }[]) =>
  invalid(
    'operation',
    `Expected the id of an operation, or a method and a path such as POST /12/accounts/*/campaigns, got ${quotedValue(operation)} for operation`,
    { value: operation },
  ).hinted(() =>
    didYouMean(
      operation,
      operations.map(({ id }) => id),
    ),
  );

export const snapshotNotFound = (name: string) => notFound('This application has no snapshot', 'snapshot_name', name);

/** Somebody saved or deleted it while it was read. */
export const snapshotReplaced = () => new Unavailable('the snapshot was saved again or deleted meanwhile');

export const snapshotLimitReached = (max: number) =>
  limitReached(max, 'snapshots', 'delete those that you no longer need, such as with `marquee snapshot delete`');

export const snapshotTooLarge = (size: { rows: number; bytes: number }, max: { rows: number; bytes: number }) =>
  new ApiError(
    400,
    214,
    size.rows > max.rows
      ? `A snapshot has at most ${max.rows} rows, and the accounts have more`
      : `A snapshot has at most ${max.bytes} bytes, and the accounts have about ${size.bytes}`,
    { parameter: 'account_ids', details: 'name fewer accounts, or delete what the test does not need' },
  );

/** Somebody else's account, one of production, an unknown one, or one that the user does not administer. */
export const notYourSandboxAccount = (id: string) =>
  invalid(
    'account_ids',
    `Expected accounts of the sandbox that you administer for account_ids, got ${quotedValue(truncate(id, MAX_ID_LENGTH))}`,
    {
      value: id,
    },
  );

export const tooManyAccounts = (max: number) =>
  invalid('account_ids', `You administer more than ${max} accounts of the sandbox; name at most ${max}`);

export const noAccounts = () =>
  invalid('account_ids', 'You administer no account of the sandbox; create one with POST /12/accounts there');

/** The role of the user ended, or the account is deleted. `of` is what has the accounts. */
export const notYoursAnyMore = (of: string, ids: readonly string[]) =>
  new ApiError(403, 87, `You no longer administer these accounts of the ${of}: ${ids.join(', ')}`).because(
    'role-ended',
  );

/** Deleted since the request began. */
export const accountGone = (id: string) => invalid('account_ids', `Account ${id} is deleted`, { value: id });

export const exceedsLimits = () =>
  new ApiError(
    400,
    214,
    'The snapshot has more active campaigns, line items, media or people than the limits of the account allow',
  );

export const outdatedSnapshot = () =>
  new ApiError(
    400,
    214,
    'The snapshot was saved by another release of Marquee and lacks required values; save it again',
  );

export const tooManyPeople = (max: number) =>
  new ApiError(400, 214, `The audiences of the snapshot have more than ${max} people now`, {
    details: 'reset the accounts with `to=EMPTY` first',
  });

/** Rows of an imported file that the tables do not take: a repeated key, or a value out of range. */
export const unusableSnapshot = (reason: string) =>
  new ApiError(400, 214, 'The snapshot has rows that contradict each other, or values that do not exist', {
    details: truncate(reason, 300),
  });

export const clockNotFound = (id: string) => notFound('This application has no test clock', 'clock_id', id);

export const clockLimitReached = (max: number) =>
  limitReached(max, 'test clocks', 'delete those that are not needed, such as with `marquee clocks delete`');

export const followsAnotherClock = (id: string) =>
  invalid('account_ids', `Expected accounts without a test clock for account_ids, got ${id}, which has one`, {
    value: id,
  });

/** The same for an account in the path. */
export const hasAnotherClock = (id: string, clockId: string) =>
  invalid(
    'account_id',
    `Expected an account without a test clock for account_id, got ${id}, which follows the test clock ${clockId}`,
    { value: id },
  );

/** Somebody else's account, one of production, or an unknown one. */
export const sandboxAccountNotFound = (id: string) => notFound('You administer no sandbox account', 'account_id', id);

export const accountNotOnClock = (id: string) => notFound('The test clock has no account', 'account_id', id);

export const accountWithoutClock = (id: string) => notFound('No test clock has the account', 'account_id', id);

/** The time of an account never goes back. */
export const accountIsLater = (id: string, now: string, frozenTime: string) =>
  invalid(
    'account_id',
    `Expected an account whose time is not after ${frozenTime}, that of the test clock, for account_id, got ${id}, whose time is ${now}`,
    { value: id, details: 'advance the test clock first' },
  );

export const clockIsFull = (max: number) => new ApiError(400, 214, `A test clock has at most ${max} accounts`);

export const clockAdvances = (id: string) =>
  new ApiError(409, 214, `The test clock ${id} is advancing; wait until its status is ready`, {
    parameter: 'clock_id',
  });

/** The application has at most a few webhooks, so that all are named. */
export const unknownWebhook = (id: string, own: readonly string[]) =>
  invalid(
    'webhook_id',
    own.length === 0
      ? `This application has no webhooks, got ${quotedValue(id)} for webhook_id`
      : `Expected one of the webhooks of this application for webhook_id, which are ${own.join(', ')}, got ${quotedValue(id)}`,
    { value: id },
  );
