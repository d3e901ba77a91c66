import { Ids, EnumList } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { AccountMedia, CREATIVE_TYPES, type CreativeType } from './account-media.entity.js';

export class ListAccountMedia extends ListQuery(AccountMedia, { sortable: ['created_at', 'updated_at', 'deleted'] }) {
  /** Ids of the account media to return. */
  @Ids() account_media_ids?: string[];
  /** Creative types of the account media to return. */
  @EnumList(CREATIVE_TYPES, { optional: true }) creative_types?: CreativeType[];
}
