import { ApiError } from '../common/errors/api-error.js';
import { invalid } from '../common/errors/catalogue.js';

/** A 400, because it does not depend on the caller's role. */
export const secondDoNotReachList = ({ accountId }: { accountId: string }) =>
  new ApiError(400, 'ACTION_NOT_ALLOWED', 'An account can have at most one Do Not Reach List', {
    parameter: 'account_id',
    value: accountId,
    details: 'delete the list of the account first',
  });

/** The account already has an audience with this name. */
export const nameInUse = (name: string, details?: string) =>
  invalid('name', 'Audience name already in use', { value: name, ...(details && { details }) });
