import { Delete, HttpCode, Param, Post } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountController, CurrentAccount } from '../accounts/access/account-controller.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { FEATURES } from '../accounts/accounts.features.js';
import { ACCOUNT_READ, ACCOUNT_WRITE } from '../accounts/accounts.permissions.js';
import { AccountView, presentAccount } from '../accounts/accounts/account.presenter.js';
import { AccountsService } from '../accounts/accounts/accounts.service.js';
import { ChangeFeatures } from '../accounts/features/features.dto.js';
import { FeaturesService } from '../accounts/features/features.service.js';
import type { Caller } from '../auth/caller.js';
import { CallerController, CurrentCaller } from '../auth/guards/ads-controller.js';
import { Db } from '../auth/idempotency/request-db.js';
import { CAMPAIGNS_READ } from '../campaigns/campaigns.permissions.js';
import {
  FundingInstrumentView,
  presentFundingInstrument,
} from '../campaigns/funding-instruments/funding-instrument.presenter.js';
import { CreateFundingInstrument } from '../campaigns/funding-instruments/funding-instruments.dto.js';
import { FundingInstrumentsService } from '../campaigns/funding-instruments/funding-instruments.service.js';
import { Page } from '../common/http/answers/page.js';
import { Returns, ReturnsList, ReturnsPage } from '../common/http/answers/returns.js';
import { Params } from '../common/http/params/params.js';

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

@AccountController('features', { tag: 'Sandbox', reads: ACCOUNT_READ, writes: ACCOUNT_WRITE, sandboxOnly: true })
export class SandboxFeaturesController {
  constructor(private readonly features: FeaturesService) {}

  /** Adds features to the account. Returns all of its features. */
  @Post()
  @HttpCode(200)
  @ReturnsList(FEATURES)
  add(@CurrentAccount() account: ActingAccount, @Params() params: ChangeFeatures) {
    return this.features.add(account, params.feature_keys);
  }

  /** Removes features from the account. Returns all of its remaining features. */
  @Delete()
  @ReturnsList(FEATURES)
  remove(@CurrentAccount() account: ActingAccount, @Params() params: ChangeFeatures) {
    return this.features.remove(account, params.feature_keys);
  }
}

@AccountController('funding_instruments', {
  tag: 'Sandbox',
  reads: CAMPAIGNS_READ,
  writes: ACCOUNT_WRITE,
  sandboxOnly: true,
})
export class SandboxFundingInstrumentsController {
  constructor(private readonly funding: FundingInstrumentsService) {}

  /** Creates a funding instrument. */
  @Post()
  @Returns(FundingInstrumentView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @Params() params: CreateFundingInstrument) {
    return presentFundingInstrument(account.now())(await this.funding.create(account, params));
  }

  /** Deletes a funding instrument. Its campaigns remain, but cannot serve. */
  @Delete(':funding_instrument_id')
  @Returns(FundingInstrumentView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('funding_instrument_id') id: string) {
    return presentFundingInstrument(account.now())(await this.funding.delete(account, id));
  }
}
