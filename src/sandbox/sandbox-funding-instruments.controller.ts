import { Delete, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../accounts/access/account-controller.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import {
  FundingInstrumentView,
  presentFundingInstrument,
} from '../campaigns/funding-instruments/funding-instrument.presenter.js';
import { CreateFundingInstrument } from '../campaigns/funding-instruments/funding-instruments.dto.js';
import { FundingInstrumentsService } from '../campaigns/funding-instruments/funding-instruments.service.js';
import { Params } from '../common/http/params/params.js';
import { ACCOUNT_WRITE } from '../accounts/accounts.permissions.js';
import { CAMPAIGNS_READ } from '../campaigns/campaigns.permissions.js';
import { Returns } from '../common/http/answers/returns.js';

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
