import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../../common/db/query/rows.js';
import { CURRENCY } from '../../money.js';
import type { BiddingRule } from './bidding-rule.entity.js';

const AMOUNT = { type: 'integer', format: 'int64', minimum: 1 } as const;

export class BiddingRuleView {
  /** The currency, as an ISO 4217 code. */
  @ApiProperty(CURRENCY) currency: string;
  /** Minimum bid for an engagement, in micro-units. */
  @ApiProperty(AMOUNT) minimum_cpe_bid_local_micro: number;
  /** Maximum bid for an engagement, in micro-units. */
  @ApiProperty(AMOUNT) maximum_cpe_bid_local_micro: number;
  /** Every amount must be a multiple of this value, in micro-units. */
  @ApiProperty(AMOUNT) minimum_denomination: number;
}

export const presentBiddingRule = (rule: Omit<Row<BiddingRule>, 'position'>): BiddingRuleView => ({
  currency: rule.currency,
  minimum_cpe_bid_local_micro: rule.minimumCpeBidLocalMicro,
  maximum_cpe_bid_local_micro: rule.maximumCpeBidLocalMicro,
  minimum_denomination: rule.minimumDenomination,
});
