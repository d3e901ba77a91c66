import { Example } from '../../common/http/params/dto-metadata.js';
import { DecimalId, Timestamp } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { CompositionFields, NewCompositionFields } from '../composition/composition.dto.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';

export class ListScheduledPosts extends ListQuery(ScheduledPost, {
  count: 100,
  max: 200,
  sortable: ['created_at', 'updated_at', 'deleted', 'name', 'scheduled_at'],
}) {
  /** User id of the scheduled posts' author. Defaults to the FULL promotable user. */
  @DecimalId({ optional: true }) user_id?: string;
}

@Example({
  as_user_id: '{user_id}',
  scheduled_at: '2027-06-01T09:00:00Z',
  text: 'Our new blend is here. #coffee',
  name: 'New blend',
})
export class CreateScheduledPost extends NewCompositionFields {
  /** Scheduled time of publication, at most a year ahead. Seconds are set to 00. */
  @Timestamp() scheduled_at: string;
}

/** An empty `card_uri` or `media_keys` removes the card or the media. */
@Example({ text: 'Our new blend is here, and it is good. #coffee' })
export class UpdateScheduledPost extends CompositionFields {
  /** Scheduled time of publication, at most a year ahead. Seconds are set to 00. */
  @Timestamp({ optional: true }) scheduled_at?: string;
}
