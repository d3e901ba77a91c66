import { Example } from '../../common/http/params/dto-metadata.js';
import { Ids } from '../../common/http/params/fields.js';
import { TimeOrDate } from '../account-statistics/account-statistics.dto.js';

/** The number of entities of a request. */
const MAX_ENTITIES = 20;

/** The time range of a reach. */
class GetReach {
  /** Start of the time range, inclusive: a whole hour. */
  @TimeOrDate() start_time: string;
  /** End of the time range, exclusive: a whole hour, at most 90 days and 1 hour after the start. */
  @TimeOrDate() end_time: string;
}

@Example({ campaign_ids: ['{campaign_id}'], start_time: '{first_day}', end_time: '{last_day}' })
export class GetCampaignReach extends GetReach {
  /** The ids of the campaigns, at most 20. Deleted campaigns have a reach, too. */
  @Ids({ max: MAX_ENTITIES }) campaign_ids: string[];
}

@Example({ funding_instrument_ids: ['{funding_instrument_id}'], start_time: '{first_day}', end_time: '{last_day}' })
export class GetFundingInstrumentReach extends GetReach {
  /** The ids of the funding instruments, at most 20. Deleted funding instruments have a reach, too. */
  @Ids({ max: MAX_ENTITIES }) funding_instrument_ids: string[];
}
