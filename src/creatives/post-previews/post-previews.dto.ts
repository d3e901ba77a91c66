import { Example } from '../../common/http/params/dto-metadata.js';
import { Ids, OneOf } from '../../common/http/params/fields.js';
import { POST_TYPES, type PostType } from '../posts/post.presenter.js';

@Example({ post_ids: ['{post_id}'], post_type: 'PUBLISHED' })
export class ListPostPreviews {
  /** Ids of the posts to preview, all of type `post_type`. The response omits other posts. */
  @Ids({ decimal: true }) post_ids: string[];
  /** Type of the posts in the ids parameter. */
  @OneOf(POST_TYPES) post_type: PostType;
}
