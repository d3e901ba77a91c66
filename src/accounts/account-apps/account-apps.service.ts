import { Injectable } from '@nestjs/common';
import { page } from '../../common/list/page.js';
import type { AccountReader, ActingAccount } from '../access/acting-account.js';
import { Resources } from '../resources/resources.service.js';
import { ACCOUNT_APPS } from './account-app.entity.js';
import type { ListAccountApps, NewAccountApp } from './account-apps.dto.js';

@Injectable()
export class AccountAppsService {
  constructor(private readonly resources: Resources) {}

  list(account: AccountReader, query: ListAccountApps) {
    return page(this.resources.of(account, ACCOUNT_APPS), query);
  }

  /** For operators only; the API does not create apps. */
  create(account: ActingAccount, params: NewAccountApp) {
    return this.resources.create(account, ACCOUNT_APPS, {
      accountId: account.id,
      osType: params.os_type,
      appStoreIdentifier: params.app_store_identifier,
      deepLinkPattern: params.deep_link_pattern ?? null,
      conversionTrackingEnabled: params.conversion_tracking_enabled ?? false,
    });
  }

  /** For operators only. */
  delete(account: ActingAccount, id: string) {
    return this.resources.delete(account, ACCOUNT_APPS, id);
  }
}
