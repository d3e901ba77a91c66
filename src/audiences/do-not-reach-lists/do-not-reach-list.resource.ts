import { defineResource } from '../../accounts/resources/resource-definition.js';
import { secondDoNotReachList } from '../audiences.errors.js';
import { queueRemovals } from '../removals/audience-removals.statements.js';
import { DoNotReachList, ONE_LIST } from '../entities/do-not-reach-list.entity.js';
import { presentDoNotReachList } from './do-not-reach-list.presenter.js';

/** An account has at most one list. */
export const DO_NOT_REACH_LISTS = defineResource<DoNotReachList>({
  entity: DoNotReachList,
  name: 'DO_NOT_REACH_LIST',
  label: 'Do Not Reach List',
  parameter: 'do_not_reach_list_id',
  snapshot: presentDoNotReachList,
  uniques: [{ index: ONE_LIST, columns: [], refusal: secondDoNotReachList }],
  deletedWith: (ids, at) => [queueRemovals(ids, at)],
});
