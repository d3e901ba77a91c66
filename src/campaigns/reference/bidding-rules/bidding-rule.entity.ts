import { Entity, PrimaryColumn } from 'typeorm';
import { MicroColumn } from '../../../common/entity/columns.js';
import { micro } from '../../../common/http/params/fields.js';
import { currencyCode } from '../reference-fields.js';
import { defineReference, ReferenceRow } from '../reference-kind.js';

/** The bid bounds of a currency, in micro-units. */
@Entity('bidding_rules')
export class BiddingRule extends ReferenceRow {
  /** An ISO 4217 code. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) currency: string;
  @MicroColumn() minimumCpeBidLocalMicro: number;
  @MicroColumn() maximumCpeBidLocalMicro: number;
  /** Every amount is a multiple of this value. */
  @MicroColumn() minimumDenomination: number;
}

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
