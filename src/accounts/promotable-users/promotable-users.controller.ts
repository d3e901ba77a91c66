import { Get, Param } from '@nestjs/common';
import { Params } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import type { ActingAccount } from '../access/acting-account.js';
import { AccountController, CurrentAccount } from '../access/account-controller.js';
import { presentPromotableUser, PromotableUserView } from './promotable-user.presenter.js';
import { ListPromotableUsers } from './promotable-users.dto.js';
import { ACCOUNT_READ } from '../accounts.permissions.js';
import { PromotableUsersService } from './promotable-users.service.js';

@AccountController('promotable_users', { tag: 'Promotable users', reads: ACCOUNT_READ })
export class PromotableUsersController {
  constructor(private readonly users: PromotableUsersService) {}

  /** Lists the users whose posts the account may promote. */
  @Get()
  @ReturnsPage(PromotableUserView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListPromotableUsers) {
    return (await this.users.list(account, query)).map(presentPromotableUser);
  }

  /** Retrieves a promotable user. */
  @Get(':promotable_user_id')
  @Returns(PromotableUserView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('promotable_user_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentPromotableUser(await this.users.get(account, id, query));
  }
}
