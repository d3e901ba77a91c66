import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Id, Ids, Micro, OneOf, Timestamp } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { Currency } from '../money.js';
import { FUNDING_TYPES, FundingInstrument, type FundingType } from './funding-instrument.entity.js';
import {
  endBeforeStart,
  missingEnd,
  oddCreditLimit,
  oddFundedAmount,
  unexpectedCreditLimit,
  strayFundedAmount,
} from './funding-instrument.rules.js';

export class ListFundingInstruments extends ListQuery(FundingInstrument, {
  sortable: ['created_at', 'updated_at', 'deleted', 'funded_amount_local_micro', 'start_time', 'end_time'],
}) {
  /** Filters by funding instrument ids. */
  @Ids() funding_instrument_ids?: string[];
}

/** Creates a funding instrument. Sandbox only. */
@Rule(['type', 'end_time'], missingEnd)
@Rule(['start_time', 'end_time'], endBeforeStart)
@Rule(['type', 'credit_limit_local_micro'], unexpectedCreditLimit)
@Rule(['type', 'funded_amount_local_micro'], strayFundedAmount)
@Rule(['currency', 'credit_limit_local_micro'], oddCreditLimit)
@Rule(['currency', 'funded_amount_local_micro'], oddFundedAmount)
@Example({
  currency: 'USD',
  start_time: '2026-10-01T00:00:00Z',
  type: 'CREDIT_LINE',
  credit_limit_local_micro: 25_000_000_000,
})
export class CreateFundingInstrument {
  /** The currency of all amounts, as an ISO 4217 code. */
  @Currency() currency: string;
  /** The time from which the instrument can pay. */
  @Timestamp() start_time: string;
  /** The funding type. It determines which amounts are allowed. */
  @OneOf(FUNDING_TYPES) type: FundingType;
  /** The time until which the instrument can pay. Required for INSERTION_ORDER. */
  @Timestamp({ nullable: true }) end_time?: string | null;
  /** Credit limit. Only for CREDIT_CARD, CREDIT_LINE and AGENCY_CREDIT_LINE. */
  @Micro({ nullable: true }) credit_limit_local_micro?: number | null;
  /** Prepaid amount. Only for INSERTION_ORDER and PARTNER_MANAGED. */
  @Micro({ nullable: true }) funded_amount_local_micro?: number | null;
}

/**
 * Spend of a funding instrument, reported by the system that delivers its campaigns. Operators report it; no endpoint
 * does.
 */
export class SpendFunding {
  /** The amount, added to the previous spend. */
  @Micro() amount_local_micro: number;
  /** The campaign of the instrument that spent the amount. */
  @Id({ optional: true }) campaign_id?: string;
  /** The line item of the instrument that spent the amount. Implies its campaign. */
  @Id({ optional: true }) line_item_id?: string;
}
