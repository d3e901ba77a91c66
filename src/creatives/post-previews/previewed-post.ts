import type { PostType } from '../posts/post.presenter.js';

/** Which post a preview shows, and in which account. */
export interface PreviewedPost {
  accountId: string;
  postType: PostType;
  postId: string;
}
