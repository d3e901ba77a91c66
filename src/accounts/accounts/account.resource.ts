import { accountNotFound } from '../../common/errors/catalogue.js';
import { defineResource } from '../resources/resource-definition.js';
import { Account } from '../entities/account.entity.js';
import { presentAccount } from './account.presenter.js';

/** Resources of a deleted account stay unchanged. They cannot be read, and none can be added. */
export const ACCOUNTS = {
  ...defineResource<Account>({
    entity: Account,
    name: 'ACCOUNT',
    label: 'Account',
    parameter: 'account_id',
    accountColumn: 'id',
    // History records the account's own fields; the business name belongs to another row.
    snapshot: (account) => presentAccount({ ...account, businessName: null }),
  }),
  unknownTo: () => accountNotFound,
};
