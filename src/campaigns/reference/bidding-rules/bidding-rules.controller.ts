import { Get } from '@nestjs/common';
import { CallerController } from '../../../auth/guards/ads-controller.js';
import { Params } from '../../../common/http/params/params.js';
import { ReturnsList } from '../../../common/http/answers/responses.js';
import { BiddingRuleView, presentBiddingRule } from './bidding-rule.presenter.js';
import { ListBiddingRules } from './bidding-rules.dto.js';
import { BiddingRulesService } from './bidding-rules.service.js';

@CallerController('bidding_rules', { tag: 'Reference data' })
export class BiddingRulesController {
  constructor(private readonly rules: BiddingRulesService) {}

  /** The least and the most that can be bid, by currency. They change rarely: asking once a month is enough. */
  @Get()
  @ReturnsList(BiddingRuleView, { data_type: 'bidding_rule', total_count: true })
  async list(@Params() query: ListBiddingRules) {
    return (await this.rules.list(query)).map(presentBiddingRule);
  }
}
