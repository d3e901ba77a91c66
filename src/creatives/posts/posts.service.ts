import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import { pageOfAuthor } from '../composition/page-of-author.js';
import type { SeenPost } from './post.presenter.js';
import { PostQueries } from './post.queries.js';
import { PostWrites } from './post.writes.js';
import type { CreatePost, ListPosts, RenamePost } from './posts.dto.js';
import { SeenPosts } from './seen-posts.service.js';

/** Lists, publishes and names posts. */
@Injectable()
export class PostsService {
  constructor(
    private readonly resources: Resources,
    private readonly queries: PostQueries,
    private readonly writes: PostWrites,
    private readonly users: PromotableUserCache,
    private readonly seen: SeenPosts,
  ) {}

  /** Lists the posts of a promotable user, or the account's drafts or scheduled posts on their behalf, in one form. */
  list(account: ActingAccount, query: ListPosts): Promise<Page<SeenPost>> {
    const { post_type: type } = query;
    return pageOfAuthor(this.users, account, query, (user) =>
      type === 'PUBLISHED'
        ? this.queries.published(account, user, query)
        : this.queries.composed(type, account, user, query),
    );
  }

  /** Returns one published post that the account may see. */
  async get(account: ActingAccount, id: string): Promise<SeenPost> {
    const [seen] = await this.seen.published(account, [await this.queries.visible(account, id)]);
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
    const post = await this.queries.visible(account, id);
    if (name !== undefined)
      await this.resources.perform(account, this.writes.name, Parsed.whole({ post_id: id, name }));
    const [seen] = await this.seen.published(account, [post]);
    return seen;
  }
}
