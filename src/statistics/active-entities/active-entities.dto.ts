import { closedSet } from '../../common/values/closed-set.js';
import { exclusive } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Ids, OneOf } from '../../common/http/params/fields.js';
import { TimeOrDate } from '../account-statistics/account-statistics.dto.js';

const ACTIVE_ENTITIES = closedSet('ActiveEntity', [
  'CAMPAIGN',
  'FUNDING_INSTRUMENT',
  'LINE_ITEM',
  'MEDIA_CREATIVE',
  'PROMOTED_ACCOUNT',
  'PROMOTED_POST',
]);
export type ActiveEntity = (typeof ACTIVE_ENTITIES)[number];

const FILTERS = ['campaign_ids', 'funding_instrument_ids', 'line_item_ids'] as const;

@Rule(FILTERS, (params: Pick<ListActiveEntities, (typeof FILTERS)[number]>) => {
  const [one, ...others] = FILTERS.filter((name) => params[name] !== undefined);
  return others.map((other) => exclusive(one, other));
})
@Example({ entity: 'LINE_ITEM', start_time: '{first_day}', end_time: '{last_day}' })
export class ListActiveEntities {
  /** The kind of the entities. */
  @OneOf(ACTIVE_ENTITIES) entity: ActiveEntity;
  /** Start of the time range, inclusive: a quarter of an hour. The hour that it is in counts as a whole. */
  @TimeOrDate('UTC') start_time: string;
  /**
   * End of the time range, exclusive: a quarter of an hour, at most 90 days and 1 hour after the start. The hour that it is in
   * counts as a whole.
   */
  @TimeOrDate('UTC') end_time: string;
  /** Only entities of these campaigns. Excludes the other filters. */
  @Ids() campaign_ids?: string[];
  /** Only entities that these funding instruments pay for. Excludes the other filters. */
  @Ids() funding_instrument_ids?: string[];
  /** Only entities of these line items. Excludes the other filters. */
  @Ids() line_item_ids?: string[];
}
