import { Get } from '@nestjs/common';
import { Params } from '../../common/http/params/params.js';
import { ReturnsPage } from '../../common/http/answers/returns.js';
import type { ActingAccount } from '../access/acting-account.js';
import { AccountController, CurrentAccount } from '../access/account-controller.js';
import { ACCOUNT_READ } from '../accounts.permissions.js';
import { AccountAppView, presentAccountApp } from './account-app.presenter.js';
import { ListAccountApps } from './account-apps.dto.js';
import { AccountAppsService } from './account-apps.service.js';

@AccountController('account_apps', { tag: 'Account apps', reads: ACCOUNT_READ })
export class AccountAppsController {
  constructor(private readonly apps: AccountAppsService) {}

  /** Lists the apps that the account advertises. */
  @Get()
  @ReturnsPage(AccountAppView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListAccountApps) {
    return (await this.apps.list(account, query)).map(presentAccountApp);
  }
}
