import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Page } from '../../common/http/answers/page.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import { addToEcho, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import { ListActiveEntities } from './active-entities.dto.js';
import { ActiveEntityView, presentActiveEntity } from './active-entities.presenter.js';
import { ActiveEntitiesService } from './active-entities.service.js';

@AccountController('active_entities', {
  within: 'stats',
  tag: 'Statistics',
  reads: PAID_STATISTICS_READ,
  quota: 'STATISTICS',
})
export class ActiveEntitiesController {
  constructor(private readonly activity: ActiveEntitiesService) {}

  /**
   * Lists the entities for which something was counted in a time range, so that a client asks for the statistics of these
   * only. The list has one page.
   */
  @Get()
  @ReturnsList(ActiveEntityView, { data_type: 'active_entities' })
  async listActiveEntities(
    @Req() http: FastifyRequest,
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(ListActiveEntities) request: Parsed<ListActiveEntities>,
  ) {
    const { entities, startTime, endTime } = await this.activity.list(account, request);
    addToEcho(http.query, { start_time: startTime, end_time: endTime });
    return new Page(entities.map(presentActiveEntity), null, undefined, { data_type: 'active_entities' });
  }
}
