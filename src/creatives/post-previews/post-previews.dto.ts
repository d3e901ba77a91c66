import { Example } from '../../common/http/params/example.js';
import { Ids, OneOf } from '../../common/http/params/fields.js';
import { POST_TYPES, type PostType } from '../posts/post.presenter.js';

@Example({ post_ids: ['{post_id}'], post_type: 'PUBLISHED' })
export class ListPostPreviews {
  /** The posts to preview, all of the type that `post_type` names. Others are left out of the answer. */
  @Ids({ decimal: true }) post_ids: string[];
  /** Which posts the ids are of. */
  @OneOf(POST_TYPES) post_type: PostType;
}
