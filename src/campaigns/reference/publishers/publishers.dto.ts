import { DecimalId, Bool, listOf, Read } from '../../../common/http/fields.js';
import { readSeveral } from '../../../common/http/readers.js';
import { ListQuery } from '../../../common/list/list-query.js';
import { readCountries, readId } from '../reference-readers.js';
import { Publisher } from './publisher.entity.js';

export class ListPublishers extends ListQuery(Publisher, { sortable: ['created_at', 'updated_at', 'deleted'] }) {}

const Countries = () =>
  Read(readCountries, { optional: true }, listOf({ type: 'string', pattern: '^[A-Z]{2}$' }, { min: 1, max: 200 }));

/** What an operator says of a new publisher. */
export class NewPublisher {
  /** The user who publishes. */
  @DecimalId() user_id: string;
  /** Where their videos may carry ads; nowhere unless given. */
  @Countries() monetizable_country_codes?: string[];
  /** Where their posts may be promoted; nowhere unless given. */
  @Countries() promotion_eligible_country_codes?: string[];
  /** Whether their videos may carry fewer ads than others. */
  @Bool({ optional: true, default: false }) monetization_restricted?: boolean;
  /** Ids of the content categories of their videos. */
  @Read(readSeveral(readId), { optional: true }, listOf({ type: 'string' }, { min: 1, max: 200 }))
  content_category_ids?: string[];
}
