import { invalid } from '../../common/errors/catalogue.js';
import { defineResource } from '../resources/resource-definition.js';
import { AccountApp } from './account-app.entity.js';
import { presentAccountApp } from './account-app.presenter.js';

/** Operators create and delete apps. Line items refer to apps by store identifier and do not change. */
export const ACCOUNT_APPS = defineResource<AccountApp>({
  entity: AccountApp,
  name: 'ACCOUNT_APP',
  label: 'Account App',
  parameter: 'account_app_id',
  snapshot: presentAccountApp,
  uniques: [
    {
      index: 'account_apps_identifier',
      columns: ['appStoreIdentifier'],
      refusal: ({ appStoreIdentifier }) =>
        invalid('app_store_identifier', `The account already has an app with the identifier "${appStoreIdentifier}"`, {
          value: appStoreIdentifier,
        }),
    },
  ],
});
