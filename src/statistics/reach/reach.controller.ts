import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import { RequiresFeature } from '../../accounts/access/account.guard.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Page } from '../../common/http/answers/page.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import { addToEcho, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import { GetCampaignReach, GetFundingInstrumentReach } from './reach.dto.js';
import { presentReach, ReachView } from './reach.presenter.js';
import { ReachService, type Reaches } from './reach.service.js';

@AccountController('reach', { within: 'stats', tag: 'Statistics', reads: PAID_STATISTICS_READ, quota: 'STATISTICS' })
@RequiresFeature('REACH_AND_FREQUENCY_ANALYTICS')
export class ReachController {
  constructor(private readonly reach: ReachService) {}

  /**
   * Returns how many users saw the ads of campaigns in a time range, and how often. Each user counts once. Requires the
   * feature `REACH_AND_FREQUENCY_ANALYTICS`.
   */
  @Get('campaigns')
  @ReturnsList(ReachView, { data_type: 'reach' })
  async getCampaignReach(
    @Req() http: FastifyRequest,
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(GetCampaignReach) request: Parsed<GetCampaignReach>,
  ) {
    return pageOf(http, await this.reach.ofCampaigns(account, request));
  }

  /**
   * Returns how many users saw the ads that funding instruments pay for in a time range, and how often. Each user counts
   * once. Requires the feature `REACH_AND_FREQUENCY_ANALYTICS`.
   */
  @Get('funding_instruments')
  @ReturnsList(ReachView, { data_type: 'reach' })
  async getFundingInstrumentReach(
    @Req() http: FastifyRequest,
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(GetFundingInstrumentReach) request: Parsed<GetFundingInstrumentReach>,
  ) {
    return pageOf(http, await this.reach.ofFundingInstruments(account, request));
  }
}

function pageOf(http: FastifyRequest, { entities, startTime, endTime }: Reaches) {
  addToEcho(http.query, { start_time: startTime, end_time: endTime });
  return new Page(entities.map(presentReach), null, undefined, { data_type: 'reach' });
}
