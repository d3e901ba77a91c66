import { defineResource } from '../../accounts/resources/resource-definition.js';
import { FundingInstrument } from './funding-instrument.entity.js';
import { presentFundingInstrument } from './funding-instrument.presenter.js';

/** Deleting a funding instrument leaves its campaigns unchanged, except that they then have a FUNDING_PROBLEM. */
export const FUNDING_INSTRUMENTS = defineResource<FundingInstrument>({
  entity: FundingInstrument,
  name: 'FUNDING_INSTRUMENT',
  label: 'Funding Instrument',
  parameter: 'funding_instrument_id',
  snapshot: (funding) => presentFundingInstrument(new Date(funding.updatedAt))(funding),
});
