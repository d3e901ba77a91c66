import { Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, MicroColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, TextColumn } from '../../common/entity/snapshots.js';
import { CurrencyColumn } from '../money.js';

export const FUNDING_TYPES = closedSet('FundingType', [
  'AGENCY_CREDIT_LINE',
  'CREDIT_CARD',
  'CREDIT_LINE',
  'INSERTION_ORDER',
  'PARTNER_MANAGED',
]);
export type FundingType = (typeof FUNDING_TYPES)[number];

export const FUNDING_STATUSES = closedSet('FundingStatus', ['ACTIVE', 'PAUSED']);
export type FundingStatus = (typeof FUNDING_STATUSES)[number];

/** A funding instrument, which pays for campaigns. */
@Entity('funding_instruments')
@InSnapshots()
@Index('funding_instruments_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
export class FundingInstrument extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @WordColumn(FUNDING_TYPES) type: FundingType;
  @TextColumn() description: string;
  @CurrencyColumn() currency: string;
  @TimestampColumn() startTime: Date;
  @TimestampColumn({ nullable: true }) endTime: Date | null;
  @MicroColumn({ nullable: true }) creditLimitLocalMicro: number | null;
  @MicroColumn({ nullable: true }) fundedAmountLocalMicro: number | null;
  @MicroColumn({ default: 0 }) spentLocalMicro: number;
  /** The header of the insertion order. Several instruments may share it. */
  @TextColumn({ nullable: true }) ioHeader: string | null;
  @WordColumn(FUNDING_STATUSES, { default: 'ACTIVE' }) entityStatus: FundingStatus;
}

/** Deleting a funding instrument leaves its campaigns unchanged, except that they then have a FUNDING_PROBLEM. */
export const FUNDING_INSTRUMENTS = defineResource<FundingInstrument>({
  entity: FundingInstrument,
  name: 'FUNDING_INSTRUMENT',
  label: 'Funding Instrument',
  parameter: 'funding_instrument_id',
});
