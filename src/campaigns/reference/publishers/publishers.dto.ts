import { Bool, DecimalId, Field, listOf, several } from '../../../common/http/params/fields.js';
import { ListQuery } from '../../../common/list/list-query.js';
import { CountryCodes, referenceId } from '../reference-fields.js';
import { Publisher } from './publisher.entity.js';

export class ListPublishers extends ListQuery(Publisher, { sortable: ['created_at', 'updated_at', 'deleted'] }) {}

/** What an operator says of a new publisher. */
export class NewPublisher {
  /** The user who publishes. */
  @DecimalId() user_id: string;
  /** Where their videos may carry ads; nowhere unless given. */
  @CountryCodes({ optional: true }) monetizable_country_codes?: string[];
  /** Where their posts may be promoted; nowhere unless given. */
  @CountryCodes({ optional: true }) promotion_eligible_country_codes?: string[];
  /** Whether their videos may carry fewer ads than others. */
  @Bool({ optional: true, default: false }) monetization_restricted?: boolean;
  /** Ids of the content categories of their videos. */
  @Field(several(referenceId), { optional: true }, listOf({ type: 'string' }, { min: 1, max: 200 }))
  content_category_ids?: string[];
}
