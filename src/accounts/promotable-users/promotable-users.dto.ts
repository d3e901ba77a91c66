import { Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { PromotableUser } from './promotable-user.entity.js';

export class ListPromotableUsers extends ListQuery(PromotableUser, {
  sortable: ['created_at', 'updated_at', 'deleted'],
}) {
  /** Only promotable users with these ids. */
  @Ids() promotable_user_ids?: string[];
}
