import type { PostType } from '../posts/post.presenter.js';

/** The post of a preview, and its account. */
export interface PreviewedPost {
  accountId: string;
  postType: PostType;
  postId: string;
}
