import { Get, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../auth/caller.js';
import { CallerController, CurrentCaller } from '../../auth/guards/ads-controller.js';
import { Params } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { OneQuery } from '../../common/list/list-query.js';
import { AccountController, CurrentAccount } from '../access/account-controller.js';
import type { ActingAccount } from '../access/acting-account.js';
import { AccountView, presentAccount } from './account.presenter.js';
import { ListAccounts, UpdateAccount } from './accounts.dto.js';
import { ACCOUNT_READ, ACCOUNT_WRITE } from '../accounts.permissions.js';
import { AccountsService } from './accounts.service.js';

@CallerController('accounts', { tag: 'Accounts' })
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  /** Lists the accounts that the authenticated user may access. */
  @Get()
  @ReturnsPage(AccountView)
  async list(@Req() request: FastifyRequest, @CurrentCaller() caller: Caller, @Params() query: ListAccounts) {
    return (await this.accounts.list(originOf(request.raw).environment, caller, query)).map(presentAccount);
  }
}

@AccountController('', { tag: 'Accounts', reads: ACCOUNT_READ, writes: ACCOUNT_WRITE })
export class AccountSelfController {
  constructor(private readonly accounts: AccountsService) {}

  /** Retrieves an account. */
  @Get()
  @Returns(AccountView)
  async get(@CurrentAccount() account: ActingAccount, @Params() _query: OneQuery) {
    return presentAccount(await this.accounts.get(account));
  }

  /** Updates the name and industry of an account. */
  @Put()
  @Returns(AccountView)
  async update(@CurrentAccount() account: ActingAccount, @Params() params: UpdateAccount) {
    return presentAccount(await this.accounts.update(account, params));
  }
}
