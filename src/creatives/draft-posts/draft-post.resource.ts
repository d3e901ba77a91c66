import { defineResource } from '../../accounts/resources/resource-definition.js';
import { newNumber } from '../../common/entity/ids.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { presentDraftPost } from './draft-post.presenter.js';

/** A draft is never published automatically. Deleting it is final. */
export const DRAFT_POSTS = defineResource<DraftPost>({
  entity: DraftPost,
  name: 'DRAFT_POST',
  label: 'Draft Post',
  parameter: 'draft_post_id',
  newId: newNumber,
  snapshot: presentDraftPost,
});
