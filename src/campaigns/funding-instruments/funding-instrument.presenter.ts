import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, MICRO, presentResource, ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { CURRENCY } from '../money.js';
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

export class FundingInstrumentView extends ResourceView {
  /** From when on it can pay. */
  @ApiProperty(TIME) @Unescaped() start_time: string;
  /** What it is, for people. */
  @ApiProperty() description: string;
  /** How much credit there is; null for the types that have none. */
  @ApiProperty(MICRO) credit_limit_local_micro: number | null;
  /** Until when it can pay; null where it does not end. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() end_time: string | null;
  /** Whether it is in use. */
  @ApiProperty(enumSchema(FUNDING_STATUSES)) @Unescaped() entity_status: FundingStatus;
  /** The account that it belongs to. */
  @ApiProperty(ID) account_id: string;
  /** Why it cannot pay; empty where it can. */
  @ApiProperty({ ...enumSchema(FUNDING_REASONS), isArray: true })
  @Unescaped()
  reasons_not_able_to_fund: FundingReason[];
  /** The header of the insertion order, which several instruments may share. */
  @ApiProperty({ type: String, nullable: true }) io_header: string | null;
  /** The currency of its amounts. */
  @ApiProperty(CURRENCY) currency: string;
  /** How much was paid beforehand; null for the types that are paid afterwards. */
  @ApiProperty(MICRO) funded_amount_local_micro: number | null;
  /** How it is paid. */
  @ApiProperty(enumSchema(FUNDING_TYPES)) @Unescaped() type: FundingType;
  /** Whether it can pay now. */
  @ApiProperty() able_to_fund: boolean;
  /** What is left of the credit; null for the types that have none. */
  @ApiProperty(MICRO) credit_remaining_local_micro: number | null;
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
