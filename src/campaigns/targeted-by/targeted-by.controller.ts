import { Get, Param } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params } from '../../common/http/params/params.js';
import { ReturnsPage } from '../../common/http/answers/returns.js';
import { CAMPAIGNS_READ } from '../campaigns.permissions.js';
import { ListTargetedBy } from './targeted-by.dto.js';
import { presentTargeting, TargetedByView } from './targeted-by.presenter.js';
import { TargetedBy } from './targeted-by.service.js';

@AccountController('custom_audiences/:custom_audience_id/targeted', { tag: 'Audiences', reads: CAMPAIGNS_READ })
export class TargetedByController {
  constructor(private readonly targeted: TargetedBy) {}

  /** Lists the campaigns and line items that target an audience. */
  @Get()
  @ReturnsPage(TargetedByView)
  async list(
    @CurrentAccount() account: ActingAccount,
    @Param('custom_audience_id') id: string,
    @Params() query: ListTargetedBy,
  ) {
    return (await this.targeted.list(account, id, query)).map(presentTargeting);
  }
}
