import { Example } from '../../common/http/params/dto-metadata.js';
import { DecimalId } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { CompositionFields, NewCompositionFields } from '../composition/composition.dto.js';
import { DraftPost } from '../entities/draft-post.entity.js';

export class ListDraftPosts extends ListQuery(DraftPost, { count: 100, max: 200 }) {
  /** User id of the drafts' author. Defaults to the FULL promotable user. */
  @DecimalId({ optional: true }) user_id?: string;
}

@Example({ as_user_id: '{user_id}', text: 'Our new blend is here. #coffee', name: 'New blend, first version' })
export class CreateDraftPost extends NewCompositionFields {}

/** An empty `card_uri` or `media_keys` removes the card or the media. */
@Example({ text: 'Our new blend is here, and it is good. #coffee' })
export class UpdateDraftPost extends CompositionFields {}
