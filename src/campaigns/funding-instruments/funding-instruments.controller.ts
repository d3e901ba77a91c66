import { Get, Param } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { FundingInstrumentView, presentFundingInstrument } from './funding-instrument.presenter.js';
import { ListFundingInstruments } from './funding-instruments.dto.js';
import { CAMPAIGNS_READ } from '../campaigns.permissions.js';
import { FundingInstrumentsService } from './funding-instruments.service.js';

@AccountController('funding_instruments', { tag: 'Funding instruments', reads: CAMPAIGNS_READ, quota: 'CORE_READS' })
export class FundingInstrumentsController {
  constructor(private readonly funding: FundingInstrumentsService) {}

  /** Lists the account's funding instruments, with filters and pagination. */
  @Get()
  @ReturnsPage(FundingInstrumentView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListFundingInstruments) {
    return (await this.funding.list(account, query)).map(presentFundingInstrument(account.now()));
  }

  /** Returns a funding instrument. */
  @Get(':funding_instrument_id')
  @Returns(FundingInstrumentView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('funding_instrument_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentFundingInstrument(account.now())(await this.funding.get(account, id, query));
  }
}
