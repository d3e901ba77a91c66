import type { Row } from '../../common/db/query/rows.js';
import type { Account } from '../../accounts/entities/account.entity.js';
import { featureNotAvailable } from '../../accounts/accounts.errors.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';

/** The feature of accounts that may share audiences with any other account. */
export const OUTSIDE_BUSINESS = 'SHARE_AUDIENCE_OUTSIDE_BUSINESS';

type Party = Pick<Row<Account>, 'id' | 'businessId' | 'environment'>;

/**
 * Accounts share audiences within one business, or with any account if the owner has the feature. `grantee` is
 * undefined if the account does not exist or belongs to the other environment. Without the feature, an unknown account
 * is rejected like one of another business.
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
  // An account that may not share outside its business must not learn which other accounts exist.
  if (!reachesOutside) return [featureNotAvailable(OUTSIDE_BUSINESS, 'granted_account_id')];
  if (isThere) return [];
  return [
    invalid('granted_account_id', `Expected the id of an account for granted_account_id, got "${granteeId}"`, {
      value: granteeId,
    }),
  ];
}
