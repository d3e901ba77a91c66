import { defineResource } from '../../accounts/resources/resource-definition.js';
import { PROMOTED_USER_ONCE, PromotedAccount } from './promoted-account.entity.js';
import { presentPromotedAccount } from './promoted-account.presenter.js';

/** A line item promotes each user once. A concurrent second request finds the first row. */
export const PROMOTED_ACCOUNTS = defineResource<PromotedAccount>({
  entity: PromotedAccount,
  name: 'PROMOTED_ACCOUNT',
  label: 'Promoted Account',
  parameter: 'promoted_account_id',
  snapshot: presentPromotedAccount,
  uniques: [{ index: PROMOTED_USER_ONCE, columns: ['lineItemId', 'userId'] }],
});
