import { Delete, Post } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountController, CurrentAccount } from '../accounts/access/account-controller.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { AccountView, presentAccount } from '../accounts/accounts/account.presenter.js';
import { AccountsService } from '../accounts/accounts/accounts.service.js';
import type { Caller } from '../auth/caller.js';
import { CallerController, CurrentCaller } from '../auth/guards/ads-controller.js';
import { Db } from '../auth/idempotency/request-db.js';
import { Returns, ReturnsPage } from '../common/http/answers/returns.js';
import { ACCOUNT_READ, ACCOUNT_WRITE } from '../accounts/accounts.permissions.js';
import { Page } from '../common/http/answers/page.js';

@CallerController('accounts', { tag: 'Sandbox', sandboxOnly: true })
export class SandboxAccountsController {
  constructor(private readonly accounts: AccountsService) {}

  /** Creates a sandbox account. The response is a list with one account. */
  @Post()
  @ReturnsPage(AccountView, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Db() db: EntityManager) {
    const given = { environment: 'sandbox', name: 'Sandbox account', timezone: 'America/Los_Angeles' } as const;
    const account = await this.accounts.create(caller.userId, given, db);
    return new Page([presentAccount(account)], null);
  }
}

@AccountController('', { tag: 'Sandbox', reads: ACCOUNT_READ, writes: ACCOUNT_WRITE, sandboxOnly: true })
export class SandboxAccountController {
  constructor(private readonly accounts: AccountsService) {}

  /** Deletes a sandbox account. */
  @Delete()
  @Returns(AccountView)
  async delete(@CurrentAccount() account: ActingAccount) {
    return presentAccount(await this.accounts.delete(account));
  }
}
