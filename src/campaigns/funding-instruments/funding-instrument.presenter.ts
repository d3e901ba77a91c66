import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, MICRO, ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { CURRENCY } from '../money.js';
import {
  FUNDING_INSTRUMENTS,
  FUNDING_STATUSES,
  FUNDING_TYPES,
  FundingInstrument,
  type FundingStatus,
  type FundingType,
} from './funding-instrument.entity.js';
import {
  FUNDING_REASONS,
  creditRemaining,
  reasonsNotAbleToFund,
  type FundingReason,
} from './funding-instrument.rules.js';

export class FundingInstrumentView extends ResourceView {
  /** The time from which the instrument can pay. */
  @ApiProperty(TIME) @Unescaped() start_time: string;
  /** A description for display. */
  @ApiProperty() description: string;
  /** Credit limit. Null for types without credit. */
  @ApiProperty(MICRO) credit_limit_local_micro: number | null;
  /** The time until which the instrument can pay. Null if it has no end. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() end_time: string | null;
  /** The status of the instrument. */
  @ApiProperty(enumSchema(FUNDING_STATUSES)) @Unescaped() entity_status: FundingStatus;
  /** The account that owns the instrument. */
  @ApiProperty(ID) account_id: string;
  /** The reasons why the instrument cannot pay. Empty if it can. */
  @ApiProperty({ ...enumSchema(FUNDING_REASONS), isArray: true })
  @Unescaped()
  reasons_not_able_to_fund: FundingReason[];
  /** The header of the insertion order. Several instruments may share it. */
  @ApiProperty({ type: String, nullable: true }) io_header: string | null;
  /** The currency of all amounts. */
  @ApiProperty(CURRENCY) currency: string;
  /** Prepaid amount. Null for types that are paid afterwards. */
  @ApiProperty(MICRO) funded_amount_local_micro: number | null;
  /** The funding type. */
  @ApiProperty(enumSchema(FUNDING_TYPES)) @Unescaped() type: FundingType;
  /** Whether the instrument can pay now. */
  @ApiProperty() able_to_fund: boolean;
  /** Remaining credit. Null for types without credit. */
  @ApiProperty(MICRO) credit_remaining_local_micro: number | null;
}

/** Takes the current time, because it determines whether an instrument can pay. */
export const presentFundingInstrument =
  (now: Date) =>
  (funding: Row<FundingInstrument>): FundingInstrumentView => {
    const reasons = reasonsNotAbleToFund(funding, now);
    return present(FundingInstrumentView, funding, {
      reasons_not_able_to_fund: reasons,
      able_to_fund: reasons.length === 0,
      credit_remaining_local_micro: creditRemaining(funding),
    });
  };

recordAs(FUNDING_INSTRUMENTS, FundingInstrumentView, (funding) =>
  presentFundingInstrument(new Date(funding.updatedAt))(funding),
);
