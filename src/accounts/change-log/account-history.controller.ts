import { Get } from '@nestjs/common';
import { Params } from '../../common/http/params/params.js';
import { ReturnsPage } from '../../common/http/answers/returns.js';
import type { ActingAccount } from '../access/acting-account.js';
import { AccountController, CurrentAccount } from '../access/account-controller.js';
import { ListAccountHistory } from './account-history.dto.js';
import { AccountHistoryView, presentAccountChange } from './account-history.presenter.js';
import { HISTORY_READ } from '../accounts.permissions.js';
import { AccountHistoryService } from './account-history.service.js';

@AccountController('account_history', { tag: 'Accounts', reads: HISTORY_READ })
export class AccountHistoryController {
  constructor(private readonly history: AccountHistoryService) {}

  /** Lists the changes of an entity, with their authors and times. */
  @Get()
  @ReturnsPage(AccountHistoryView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListAccountHistory) {
    return (await this.history.list(account, query)).map(presentAccountChange);
  }
}
