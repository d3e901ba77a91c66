import { Example } from '../../common/http/params/example.js';
import { DecimalId, Timestamp } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { CompositionFields, NewCompositionFields } from '../composition/composition.dto.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';

export class ListScheduledPosts extends ListQuery(ScheduledPost, {
  count: 100,
  max: 200,
  sortable: ['created_at', 'updated_at', 'deleted', 'name', 'scheduled_at'],
}) {
  /** On whose behalf the posts were scheduled; that of the FULL promotable user unless given. */
  @DecimalId({ optional: true }) user_id?: string;
}

@Example({
  as_user_id: '{user_id}',
  scheduled_at: '2027-06-01T09:00:00Z',
  text: 'Our new blend is here. #coffee',
  name: 'New blend',
})
export class CreateScheduledPost extends NewCompositionFields {
  /** When it goes live: a whole minute, seconds are set to 00; at most a year ahead. */
  @Timestamp() scheduled_at: string;
}

/** An empty value of `card_uri` or `media_keys` takes them out. */
@Example({ text: 'Our new blend is here, and it is good. #coffee' })
export class UpdateScheduledPost extends CompositionFields {
  /** When it goes live: a whole minute, seconds are set to 00; at most a year ahead. */
  @Timestamp({ optional: true }) scheduled_at?: string;
}
