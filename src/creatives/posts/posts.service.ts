import { Injectable, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { PromotableUsersService } from '../../accounts/promotable-users/promotable-users.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { invalidUserId } from '../creatives.errors.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { PostName } from './post-name.entity.js';
import { Post } from '../entities/post.entity.js';
import type { SeenPost } from './post.presenter.js';
import { POSTS } from './post.resource.js';
import { nameFor } from './post.statements.js';
import { PostWrites } from './post.writes.js';
import type { CreatePost, ListPosts, RenamePost, TimelineType } from './posts.dto.js';
import { SeenPosts } from './seen-posts.service.js';

@Injectable()
export class PostsService {
  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    private readonly writes: PostWrites,
    private readonly users: PromotableUsersService,
    private readonly seen: SeenPosts,
  ) {}

  /** Lists the posts of a promotable user, or the account's drafts or scheduled posts on their behalf, in one form. */
  async list(account: ActingAccount, query: ListPosts): Promise<Page<SeenPost>> {
    const user = await this.users.find(account, query.user_id);
    if (!user && query.user_id !== undefined) throw invalidUserId('user_id', query.user_id);
    if (!user) return new Page([], null, query.with_total_count ? 0 : undefined);
    if (query.post_type === 'PUBLISHED') return this.published(account, user, query);
    const { post_type: type, trim_user: trimUser } = query;
    const timeline = timelineOf(query);
    const { count, cursor, sort_by, with_deleted, with_total_count } = query;
    const composed = this.composed(type)
      .where('accountId', account.id)
      .where('userId', user.userId)
      .whereIn('id', query.post_ids)
      .whereStartsWith('name', query.name);
    if (timeline !== 'ALL') composed.whereTrue('nullcast', timeline === 'NULLCAST');
    const found = await page(composed, { count, cursor, sort_by, with_deleted, with_total_count });
    return pageOf(found, await this.seen.composed(type, found.items, { trimUser }));
  }

  /** Returns one published post that the account may see. */
  async get(account: ActingAccount, id: string): Promise<SeenPost> {
    const [seen] = await this.seen.published(account, [await this.visible(account, id)]);
    return seen;
  }

  async create(account: ActingAccount, request: Parsed<CreatePost>): Promise<SeenPost> {
    const post = await this.resources.perform(account, this.writes.create, request);
    const { trim_user: trimUser, name = null } = request.params;
    const [seen] = await this.seen.published(account, [post], { trimUser, names: [name] });
    return seen;
  }

  /** Sets the account's name for a post. Other accounts may have other names for it. */
  async rename(account: ActingAccount, id: string, { name }: RenamePost): Promise<SeenPost> {
    const post = await this.visible(account, id);
    if (name !== undefined) {
      const named = Parsed.whole({ post_id: id, name });
      await this.resources.perform(account, this.writes.name, named);
    }
    const [seen] = await this.seen.published(account, [post]);
    return seen;
  }

  /**
   * Published posts of a promotable user that an account may see: all posts of its FULL user; of other users, organic
   * posts and the promoted-only posts that this account created.
   */
  of(account: { id: string }, { userId, promotableUserType }: Row<PromotableUser>, timeline = 'ALL'): Rows<Post> {
    const posts = rows(this.db.manager, Post).where('authorId', userId);
    if (timeline !== 'ALL') posts.whereTrue('nullcast', timeline === 'NULLCAST');
    if (promotableUserType === 'FULL' || timeline === 'ORGANIC') return posts;
    if (timeline === 'NULLCAST') return posts.where('accountId', account.id);
    return posts.whereAny(
      (ways) => ways.whereTrue('nullcast', false),
      (ways) => ways.where('accountId', account.id),
    );
  }

  private async published(
    account: ActingAccount,
    user: Row<PromotableUser>,
    query: ListPosts,
  ): Promise<Page<SeenPost>> {
    const posts = this.of(account, user, timelineOf(query)).whereIn('id', query.post_ids);
    const conversations = query.include_mentions_and_replies ?? query.post_ids !== undefined;
    if (!conversations) posts.whereTrue('conversational', false);
    if (query.name !== undefined)
      posts.whereInSmallSubquery(
        'id',
        rows(this.db.manager, PostName).where('accountId', account.id).whereStartsWith('name', query.name),
        'postId',
      );
    const { trim_user: trimUser } = query;
    const [found, author] = await Promise.all([
      page(posts.addSelect<'name', string | null>('name', nameFor(this.db.manager, account.id)), query),
      trimUser ? undefined : this.seen.user(user.userId),
    ]);
    const names = found.items.map(({ name }) => name);
    return pageOf(found, await this.seen.published(account, found.items, { trimUser, names, author }));
  }

  /** Query for drafts or scheduled posts, limited to their common columns. */
  private composed(type: 'DRAFT' | 'SCHEDULED'): Rows<DraftPost> {
    const kind: Type<DraftPost> = type === 'DRAFT' ? DraftPost : ScheduledPost;
    return rows(this.db.manager, kind);
  }

  /** Returns a published post that the account may see, or throws the 404 of posts. */
  private async visible(account: ActingAccount, id: string): Promise<Row<Post>> {
    const unknown = POSTS.notFoundError(account);
    const post = await one(rows(this.db.manager, Post), id, unknown);
    const user = await this.users.find(account, post.authorId);
    const shown = user && (user.promotableUserType === 'FULL' || !post.nullcast || post.accountId === account.id);
    if (!shown) throw unknown(id);
    return post;
  }
}

const pageOf = <T>({ nextCursor, totalCount }: Page<unknown>, items: T[]) => new Page(items, nextCursor, totalCount);

/** Promoted-only posts by default; posts requested by id are found in either timeline. */
const timelineOf = ({ timeline_type: asked, post_ids: named }: ListPosts): TimelineType =>
  asked ?? (named === undefined ? 'NULLCAST' : 'ALL');
