import { defineResource } from '../../accounts/resources/resource-definition.js';
import { newNumber } from '../../common/entity/ids.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { presentScheduledPost } from './scheduled-post.presenter.js';

/** Deleting one before its minute prevents publication; the published post of one is independent of it. */
export const SCHEDULED_POSTS = defineResource<ScheduledPost>({
  entity: ScheduledPost,
  name: 'SCHEDULED_POST',
  label: 'Scheduled Post',
  parameter: 'scheduled_post_id',
  newId: newNumber,
  snapshot: presentScheduledPost,
});
