import type { Row } from '../../common/db/query/rows.js';
import type { Account } from '../../accounts/entities/account.entity.js';
import { featureNotAvailable } from '../../accounts/accounts.errors.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';

/** What an account has that shares audiences with any other. */
export const OUTSIDE_BUSINESS = 'SHARE_AUDIENCE_OUTSIDE_BUSINESS';

type Party = Pick<Row<Account>, 'id' | 'businessId' | 'environment'>;

/**
 * Audiences are shared between accounts of one business, or where the owner has the feature. `grantee` is
 * undefined where there is no such account; one of the other environment is none here. Without the feature an account that is
 * not there is refused as one of another business is.
 */
export function sharingProblems(
  owner: Party,
  granteeId: string,
  grantee: Party | undefined,
  reachesOutside: boolean,
): ApiError[] {
  if (granteeId === owner.id)
    return [
      invalid('granted_account_id', `Account ${owner.id} owns the audience: it cannot be shared with itself`, {
        value: granteeId,
        details: 'expected another account',
      }),
    ];
  const isThere = grantee?.environment === owner.environment;
  const isWithinBusiness = isThere && owner.businessId !== null && owner.businessId === grantee.businessId;
  if (isWithinBusiness) return [];
  // whoever may not share with strangers is not told which of them there are
  if (!reachesOutside) return [featureNotAvailable(OUTSIDE_BUSINESS, 'granted_account_id')];
  if (isThere) return [];
  return [
    invalid('granted_account_id', `Expected the id of an account for granted_account_id, got "${granteeId}"`, {
      value: granteeId,
    }),
  ];
}
