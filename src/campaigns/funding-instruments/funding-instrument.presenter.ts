import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { presentResource, ResourceView, Unescaped } from '../../common/http/responses.js';
import {
  FUNDING_STATUSES,
  FUNDING_TYPES,
  type FundingInstrument,
  type FundingStatus,
  type FundingType,
} from './funding-instrument.entity.js';
import {
  creditRemaining,
  FUNDING_REASONS,
  reasonsNotAbleToFund,
  type FundingReason,
} from './funding-instrument.rules.js';

const micro = { type: 'integer', format: 'int64', nullable: true } as const;

export class FundingInstrumentView extends ResourceView {
  @ApiProperty({ format: 'date-time' }) @Unescaped() start_time: string;
  @ApiProperty() description: string;
  @ApiProperty(micro) credit_limit_local_micro: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) @Unescaped() end_time: string | null;
  @ApiProperty({ enum: FUNDING_STATUSES }) @Unescaped() entity_status: FundingStatus;
  @ApiProperty() account_id: string;
  @ApiProperty({ enum: FUNDING_REASONS, isArray: true }) @Unescaped() reasons_not_able_to_fund: FundingReason[];
  @ApiProperty({ type: String, nullable: true }) io_header: string | null;
  @ApiProperty() currency: string;
  @ApiProperty(micro) funded_amount_local_micro: number | null;
  @ApiProperty({ enum: FUNDING_TYPES }) @Unescaped() type: FundingType;
  @ApiProperty() able_to_fund: boolean;
  @ApiProperty(micro) credit_remaining_local_micro: number | null;
}

/** A function of the moment: whether an instrument can pay depends on it. */
export const presentFundingInstrument =
  (now: Date) =>
  (funding: Row<FundingInstrument>): FundingInstrumentView => {
    const reasons = reasonsNotAbleToFund(funding, now);
    return presentResource(funding, {
      start_time: wireTime(funding.startTime),
      description: funding.description,
      credit_limit_local_micro: funding.creditLimitLocalMicro,
      end_time: wireTime(funding.endTime),
      entity_status: funding.entityStatus,
      account_id: funding.accountId,
      reasons_not_able_to_fund: reasons,
      io_header: funding.ioHeader,
      currency: funding.currency,
      funded_amount_local_micro: funding.fundedAmountLocalMicro,
      type: funding.type,
      able_to_fund: reasons.length === 0,
      credit_remaining_local_micro: creditRemaining(funding),
    });
  };
