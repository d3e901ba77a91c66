import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { presentPromotedAccount, PromotedAccountView } from './promoted-account.presenter.js';
import { CreatePromotedAccount, ListPromotedAccounts } from './promoted-accounts.dto.js';
import { PromotedAccountsService } from './promoted-accounts.service.js';

@AccountController('promoted_accounts', { tag: 'Promoted accounts', reads: CAMPAIGNS_READ, writes: CAMPAIGNS_WRITE })
export class PromotedAccountsController {
  constructor(private readonly promoted: PromotedAccountsService) {}

  /** Lists the users that the account promotes, with filters and pagination. */
  @Get()
  @ReturnsPage(PromotedAccountView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListPromotedAccounts) {
    return (await this.promoted.list(account, query)).map(presentPromotedAccount);
  }

  /** Returns a promoted account. */
  @Get(':promoted_account_id')
  @Returns(PromotedAccountView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('promoted_account_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentPromotedAccount(await this.promoted.get(account, id, query));
  }

  /**
   * Promotes a user with a line item. If the line item already promotes the user, returns the existing promoted account
   * unchanged.
   */
  @Post()
  @Returns(PromotedAccountView, { status: [200, 201] })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreatePromotedAccount) request: Parsed<CreatePromotedAccount>,
  ) {
    return (await this.promoted.create(account, request)).map(presentPromotedAccount);
  }

  /** Stops promoting a user. Repeating the call returns 404. */
  @Delete(':promoted_account_id')
  @Returns(PromotedAccountView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('promoted_account_id') id: string) {
    return presentPromotedAccount(await this.promoted.delete(account, id));
  }
}
