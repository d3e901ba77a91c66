import { Injectable, type Type } from '@nestjs/common';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import type { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { Page } from '../../common/http/answers/page.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { Post, PostName, POSTS } from '../entities/post.entity.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import type { SeenPost } from './post.presenter.js';
import { accountNameOfPost } from './post.statements.js';
import type { ListPosts, TimelineType } from './posts.dto.js';
import { SeenPosts } from './seen-posts.service.js';

/** Reads the posts that an account may see. */
@Injectable()
export class PostQueries {
  constructor(
    private readonly users: PromotableUserCache,
    private readonly seen: SeenPosts,
  ) {}

  /** A page of the published posts of a promotable user. */
  async published(account: ActingAccount, user: Row<PromotableUser>, query: ListPosts): Promise<Page<SeenPost>> {
    const posts = this.of(account, user, timelineOf(query)).whereIn('id', query.post_ids);
    const conversations = query.include_mentions_and_replies ?? query.post_ids !== undefined;
    if (!conversations) posts.whereTrue('conversational', false);
    if (query.name !== undefined)
      posts.whereInSmallSubquery(
        'id',
        rows(account.db, PostName).where('accountId', account.id).whereStartsWith('name', query.name),
        'postId',
      );
    const { trim_user: trimUser } = query;
    const [found, author] = await Promise.all([
      page(posts.addSelect<'name', string | null>('name', accountNameOfPost(account.db, account.id)), query),
      trimUser ? undefined : this.seen.user(account, user.userId),
    ]);
    const names = found.items.map(({ name }) => name);
    return pageOf(found, await this.seen.published(account, found.items, { trimUser, names, author }));
  }

  /** A page of the account's drafts or scheduled posts on behalf of a promotable user, limited to common columns. */
  async composed(
    type: 'DRAFT' | 'SCHEDULED',
    account: ActingAccount,
    user: Row<PromotableUser>,
    query: ListPosts,
  ): Promise<Page<SeenPost>> {
    const kind: Type<DraftPost> = type === 'DRAFT' ? DraftPost : ScheduledPost;
    const timeline = timelineOf(query);
    const { count, cursor, sort_by, with_deleted, with_total_count } = query;
    const posts = rows(account.db, kind)
      .readBy(account)
      .where('accountId', account.id)
      .where('userId', user.userId)
      .whereIn('id', query.post_ids)
      .whereStartsWith('name', query.name);
    if (timeline !== 'ALL') posts.whereTrue('nullcast', timeline === 'NULLCAST');
    const found = await page(posts, { count, cursor, sort_by, with_deleted, with_total_count });
    return pageOf(found, await this.seen.composed(account, type, found.items, { trimUser: query.trim_user }));
  }

  /** Returns a published post that the account may see, or throws the 404 of posts. */
  async visible(account: ActingAccount, id: string): Promise<Row<Post>> {
    const unknown = POSTS.notFoundError(account);
    const post = await one(rows(account.db, Post).readBy(account), id, unknown);
    const user = await this.users.find(account, post.authorId);
    const shown = user && (user.promotableUserType === 'FULL' || !post.nullcast || post.accountId === account.id);
    if (!shown) throw unknown(id);
    return post;
  }

  /**
   * Published posts of a promotable user that an account may see: all posts of its FULL user; of other users, organic
   * posts and the promoted-only posts that this account created.
   */
  private of(
    account: AccountReader,
    { userId, promotableUserType }: Row<PromotableUser>,
    timeline: TimelineType,
  ): Rows<Post> {
    const posts = rows(account.db, Post).readBy(account).where('authorId', userId);
    if (timeline !== 'ALL') posts.whereTrue('nullcast', timeline === 'NULLCAST');
    if (promotableUserType === 'FULL' || timeline === 'ORGANIC') return posts;
    if (timeline === 'NULLCAST') return posts.where('accountId', account.id);
    return posts.whereAny(
      (ways) => ways.whereTrue('nullcast', false),
      (ways) => ways.where('accountId', account.id),
    );
  }
}

const pageOf = <T>({ nextCursor, totalCount }: Page<unknown>, items: T[]) => new Page(items, nextCursor, totalCount);

/** Promoted-only posts by default; posts requested by id are found in either timeline. */
const timelineOf = ({ timeline_type: asked, post_ids: named }: ListPosts): TimelineType =>
  asked ?? (named === undefined ? 'NULLCAST' : 'ALL');
