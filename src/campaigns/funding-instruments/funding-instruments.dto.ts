import { Rule } from '../../common/http/dto-metadata.js';
import { Ids, Micro, OneOf, Read, Timestamp } from '../../common/http/fields.js';
import { expected } from '../../common/http/invalid-value.js';
import { ListQuery } from '../../common/list/list-query.js';
import { CURRENCIES } from '../money.js';
import { FUNDING_TYPES, FundingInstrument, type FundingType } from './funding-instrument.entity.js';
import {
  endBeforeStart,
  missingEnd,
  oddCreditLimit,
  oddFundedAmount,
  strayCreditLimit,
  strayFundedAmount,
} from './funding-instrument.rules.js';

export class ListFundingInstruments extends ListQuery(FundingInstrument, {
  sortable: ['created_at', 'updated_at', 'deleted', 'funded_amount_local_micro', 'start_time', 'end_time'],
}) {
  @Ids() funding_instrument_ids?: string[];
}

/** Part 3, 4.5, sandbox only. */
@Rule(['type', 'end_time'], missingEnd)
@Rule(['start_time', 'end_time'], endBeforeStart)
@Rule(['type', 'credit_limit_local_micro'], strayCreditLimit)
@Rule(['type', 'funded_amount_local_micro'], strayFundedAmount)
@Rule(['currency', 'credit_limit_local_micro'], oddCreditLimit)
@Rule(['currency', 'funded_amount_local_micro'], oddFundedAmount)
export class CreateFundingInstrument {
  @Read(
    (given, name) =>
      typeof given === 'string' && CURRENCIES.has(given) ? given : expected('a currency of ISO 4217', given, name),
    { about: 'an ISO 4217 code' },
    { type: String, example: 'USD' },
  )
  currency: string;
  @Timestamp() start_time: string;
  @OneOf(FUNDING_TYPES, { about: 'how it is paid; which amounts it takes depends on it' }) type: FundingType;
  @Timestamp({ unsettable: true, about: 'required for INSERTION_ORDER' }) end_time?: string | null;
  @Micro({ unsettable: true, about: 'CREDIT_CARD, CREDIT_LINE and AGENCY_CREDIT_LINE only' })
  credit_limit_local_micro?: number | null;
  @Micro({ unsettable: true, about: 'INSERTION_ORDER and PARTNER_MANAGED only' }) funded_amount_local_micro?:
    number | null;
}
