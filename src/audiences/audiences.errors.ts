import type { Row } from '../common/db/query/rows.js';
import { ApiError } from '../common/errors/api-error.js';
import type { DoNotReachList } from './entities/do-not-reach-list.entity.js';

/** A 400, because it does not depend on the caller's role. */
export const secondDoNotReachList = ({ accountId }: Pick<Row<DoNotReachList>, 'accountId'>) =>
  new ApiError(400, 'ACTION_NOT_ALLOWED', 'An account can have at most one Do Not Reach List', {
    parameter: 'account_id',
    value: accountId,
    details: 'delete the list of the account first',
  });
