import { defineResource } from '../../accounts/resources/resource-definition.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { erase } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { duplicatePost } from '../creatives.errors.js';
import { cardUriOf } from '../composition/composition.rules.js';
import { PostTerms } from '../post-terms/post-terms.entity.js';
import { UNIQUE_POST_INDEX, Post } from '../entities/post.entity.js';

/** Snapshot of a post for the change history. */
export const snapshotOfPost = (post: Row<Post>) => ({
  id: post.id,
  user_id: post.authorId,
  text: post.text,
  nullcast: post.nullcast,
  card_uri: cardUriOf(post.cardId),
  media_keys: post.mediaKeys,
  conversation_settings: post.conversationSettings,
  ...(post.repostOfId !== null && { reposted_post_id: post.repostOfId }),
  created_at: wireTime(post.createdAt),
});

/** Posts belong to their author; `accountId` is the account that created one. */
export const POSTS = defineResource<Post>({
  entity: Post,
  name: 'POST',
  label: 'Post',
  parameter: 'post_id',
  newId: newNumber,
  snapshot: snapshotOfPost,
  uniques: [{ index: UNIQUE_POST_INDEX, columns: ['authorId', 'digest'], everywhere: true, refusal: duplicatePost }],
  deletedWith: (ids) => [
    erase(
      PostTerms,
      ids.map((postId) => ({ postId })),
    ),
  ],
});
