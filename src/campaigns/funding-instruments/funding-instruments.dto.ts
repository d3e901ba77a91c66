import { Rule } from '../../common/http/params/dto-metadata.js';
import { Example } from '../../common/http/params/example.js';
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
  /** Only the funding instruments with these ids. */
  @Ids() funding_instrument_ids?: string[];
}

/** Sandbox only. */
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
  /** The currency of its amounts, by its ISO 4217 code. */
  @Currency() currency: string;
  /** From when on it can pay. */
  @Timestamp() start_time: string;
  /** How it is paid; which amounts it takes depends on it. */
  @OneOf(FUNDING_TYPES) type: FundingType;
  /** Until when it can pay; an INSERTION_ORDER requires it. */
  @Timestamp({ nullable: true }) end_time?: string | null;
  /** How much credit there is; CREDIT_CARD, CREDIT_LINE and AGENCY_CREDIT_LINE only. */
  @Micro({ nullable: true }) credit_limit_local_micro?: number | null;
  /** How much was paid beforehand; INSERTION_ORDER and PARTNER_MANAGED only. */
  @Micro({ nullable: true }) funded_amount_local_micro?: number | null;
}

/** What was spent of a funding instrument, by whatever delivers its campaigns: operators say so, no endpoint does. */
export class SpendFunding {
  /** How much, beside what was spent before. */
  @Micro() amount_local_micro: number;
  /** The campaign of it that it was spent on. */
  @Id({ optional: true }) campaign_id?: string;
  /** The line item of it that it was spent on, and with it the campaign. */
  @Id({ optional: true }) line_item_id?: string;
}
