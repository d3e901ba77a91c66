import { accountNotFound } from '../../common/errors/catalogue.js';
import { defineResource } from '../resources/resource-definition.js';
import { Account } from '../entities/account.entity.js';
import { presentAccount } from './account.presenter.js';

/** What is under a deleted account stays as it is, and nobody reaches it or adds to it any more. */
export const ACCOUNTS = {
  ...defineResource<Account>({
    entity: Account,
    name: 'ACCOUNT',
    label: 'Account',
    parameter: 'account_id',
    accountColumn: 'id',
    // history keeps what the account says of itself; the name of its business is another row's
    snapshot: (account) => presentAccount({ ...account, businessName: null }),
  }),
  unknownTo: () => accountNotFound,
};
