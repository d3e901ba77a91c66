import { Bool, DecimalId, Field, listSchema, list } from '../../../common/http/params/fields.js';
import { ListQuery } from '../../../common/list/list-query.js';
import { CountryCodes, referenceId } from '../reference-fields.js';
import { Publisher } from './publisher.entity.js';

export class ListPublishers extends ListQuery(Publisher, { sortable: ['created_at', 'updated_at', 'deleted'] }) {}

/** The fields of a new publisher, as an operator provides them. */
export class NewPublisher {
  /** The platform user who publishes. */
  @DecimalId() user_id: string;
  /** The countries where the publisher's videos may carry ads. Defaults to none. */
  @CountryCodes({ optional: true }) monetizable_country_codes?: string[];
  /** The countries where the publisher's posts may be promoted. Defaults to none. */
  @CountryCodes({ optional: true }) promotion_eligible_country_codes?: string[];
  /** Whether the publisher's videos may carry fewer ads than those of other publishers. */
  @Bool({ optional: true, default: false }) monetization_restricted?: boolean;
  /** Ids of the content categories of the publisher's videos. */
  @Field(list(referenceId), { optional: true }, listSchema({ type: 'string' }, { min: 1, max: 200 }))
  content_category_ids?: string[];
}
