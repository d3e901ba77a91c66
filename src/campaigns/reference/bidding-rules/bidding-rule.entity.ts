import { Entity, PrimaryColumn } from 'typeorm';
import { MicroColumn } from '../../../common/entity/columns.js';
import { ReferenceRow } from '../reference-row.js';

/** What can be bid in a currency, in its micro-units. */
@Entity('bidding_rules')
export class BiddingRule extends ReferenceRow {
  /** ISO 4217. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) currency: string;
  @MicroColumn() minimumCpeBidLocalMicro: number;
  @MicroColumn() maximumCpeBidLocalMicro: number;
  /** Every amount is a multiple of it. */
  @MicroColumn() minimumDenomination: number;
}
