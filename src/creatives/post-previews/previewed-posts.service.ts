import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { PROMOTABLE_USERS } from '../../accounts/promotable-users/promotable-user.entity.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { Post } from '../entities/post.entity.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import type { PostType } from '../posts/post.presenter.js';
import {
  draftAsStored,
  publishedAsStored,
  repostAsStored,
  scheduledAsStored,
  type StoredPost,
} from './preview-post.rules.js';

/** Finds the drafts, scheduled and published posts that an account may preview. */
@Injectable()
export class PreviewedPostsService {
  constructor(private readonly resources: Resources) {}

  /** The posts of this type and these ids that the account may preview, in any order. */
  async find(account: AccountReader, type: PostType, ids: string[]): Promise<StoredPost[]> {
    const { db } = account;
    if (type === 'DRAFT')
      return (await rows(db, DraftPost).where('accountId', account.id).whereIn('id', ids).getMany()).map(draftAsStored);
    if (type === 'SCHEDULED')
      return (await rows(db, ScheduledPost).where('accountId', account.id).whereIn('id', ids).getMany()).map(
        scheduledAsStored,
      );
    return this.withOriginals(db, await this.published(account).whereIn('id', ids).getMany());
  }

  /** Replaces reposts by the posts that they repeat, with at most one read. */
  private async withOriginals(db: EntityManager, posts: Row<Post>[]): Promise<StoredPost[]> {
    const repeated = [...new Set(posts.flatMap(({ repostOfId }) => repostOfId ?? []))];
    const found = repeated.length === 0 ? [] : await rows(db, Post).whereIn('id', repeated).getMany();
    const originals = new Map(found.map((post) => [post.id, post]));
    return posts.map((post) => {
      const original = originals.get(post.repostOfId ?? '');
      return original ? repostAsStored(post, original) : publishedAsStored(post);
    });
  }

  /**
   * Posts of the account's promotable users. Promoted-only posts of a RETWEETS_ONLY user only if the account created
   * them.
   */
  private published(account: AccountReader) {
    const promotable = () => this.resources.of(account, PROMOTABLE_USERS);
    return rows(account.db, Post)
      .whereInSubquery('authorId', promotable(), 'userId')
      .whereAny(
        (posts) => posts.where('nullcast', false),
        (posts) => posts.where('accountId', account.id),
        (posts) => posts.whereInSubquery('authorId', promotable().where('promotableUserType', 'FULL'), 'userId'),
      );
  }
}
