import { micro } from '../../../common/http/params/fields.js';
import { defineReference } from '../reference-kind.js';
import { currencyCode } from '../reference-fields.js';
import { BiddingRule } from './bidding-rule.entity.js';

export const BIDDING_RULES = defineReference<BiddingRule>({
  name: 'bidding_rules',
  entity: BiddingRule,
  file: 'reference/bidding-rules.tsv',
  columns: [
    { name: 'currency', property: 'currency', kind: currencyCode },
    { name: 'minimum_cpe_bid_local_micro', property: 'minimumCpeBidLocalMicro', kind: micro },
    { name: 'maximum_cpe_bid_local_micro', property: 'maximumCpeBidLocalMicro', kind: micro },
    { name: 'minimum_denomination', property: 'minimumDenomination', kind: micro },
  ],
});
