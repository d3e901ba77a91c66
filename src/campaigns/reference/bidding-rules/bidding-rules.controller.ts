import { Get } from '@nestjs/common';
import { CallerController } from '../../../auth/guards/ads-controller.js';
import { Params } from '../../../common/http/params/params.js';
import { ReturnsList } from '../../../common/http/answers/returns.js';
import { BiddingRuleView, presentBiddingRule } from './bidding-rule.presenter.js';
import { ListBiddingRules } from './bidding-rules.dto.js';
import { BiddingRulesService } from './bidding-rules.service.js';

@CallerController('bidding_rules', { tag: 'Reference data' })
export class BiddingRulesController {
  constructor(private readonly rules: BiddingRulesService) {}

  /** Lists the minimum and maximum bids by currency. They rarely change: one request per month is enough. */
  @Get()
  @ReturnsList(BiddingRuleView, { data_type: 'bidding_rule', total_count: true })
  async list(@Params() query: ListBiddingRules) {
    return (await this.rules.list(query)).map(presentBiddingRule);
  }
}
