import { Example } from '../../common/http/params/dto-metadata.js';
import { Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { DoNotReachList } from '../entities/do-not-reach-list.entity.js';

/** An account has at most one list, so further pages hold deleted lists. */
export class ListDoNotReachLists extends ListQuery(DoNotReachList, {
  sortable: ['created_at', 'updated_at', 'deleted'],
}) {}

@Example({ description: 'Asked not to be shown advertising' })
export class CreateDoNotReachList {
  /** The list's description. */
  @Text({ nullable: true, max: 1000 }) description?: string | null;
}
