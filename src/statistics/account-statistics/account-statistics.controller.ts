import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Page } from '../../common/http/answers/page.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import { addToEcho, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { STATISTICS_READ } from '../statistics.permissions.js';
import { GetStatistics } from './account-statistics.dto.js';
import { presentStatistics, StatisticsView } from './account-statistics.presenter.js';
import { AccountStatisticsService } from './account-statistics.service.js';

/** Jobs have these parameters; here they are always echoed as null. */
const OF_JOBS = { segmentation_type: null, country: null, platform: null };

@AccountController('', { within: 'stats', tag: 'Statistics', reads: STATISTICS_READ, quota: 'STATISTICS' })
export class AccountStatisticsController {
  constructor(private readonly statistics: AccountStatisticsService) {}

  /**
   * Returns the metrics of up to 20 entities for each unit of a time range of at most 7 days. A metric is null if nothing
   * was counted in the whole range. The requests of a user token to this endpoint share a rate limit of their own.
   */
  @Get()
  @ReturnsList(StatisticsView, { data_type: 'stats', time_series_length: true })
  async getStatistics(
    @Req() http: FastifyRequest,
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(GetStatistics) request: Parsed<GetStatistics>,
  ) {
    const found = await this.statistics.get(account, request);
    addToEcho(http.query, { start_time: found.startTime, end_time: found.endTime, ...OF_JOBS });
    const extra = { data_type: 'stats', time_series_length: found.length };
    return new Page(found.series.map(presentStatistics(found.metrics)), null, undefined, extra);
  }
}
