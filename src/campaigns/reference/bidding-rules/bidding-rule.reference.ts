import { readMicro } from '../../../common/http/readers.js';
import { defineReference } from '../reference-kind.js';
import { readCurrencyCode } from '../reference-readers.js';
import { BiddingRule } from './bidding-rule.entity.js';

export const BIDDING_RULES = defineReference<BiddingRule>({
  name: 'bidding_rules',
  entity: BiddingRule,
  file: 'reference/bidding-rules.tsv',
  columns: [
    { name: 'currency', property: 'currency', read: readCurrencyCode },
    { name: 'minimum_cpe_bid_local_micro', property: 'minimumCpeBidLocalMicro', read: readMicro },
    { name: 'maximum_cpe_bid_local_micro', property: 'maximumCpeBidLocalMicro', read: readMicro },
    { name: 'minimum_denomination', property: 'minimumDenomination', read: readMicro },
  ],
});
