import { Entity, PrimaryColumn } from 'typeorm';
import { MicroColumn } from '../../../common/entity/columns.js';
import { ReferenceRow } from '../reference-row.js';

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
