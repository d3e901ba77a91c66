import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { recordChanges } from '../../accounts/change-log/change-log.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { exists } from '../../common/db/query/preconditions.js';
import { rows } from '../../common/db/query/rows.js';
import { deletePermanently, insertOrUpdate } from '../../common/db/query/write.js';
import { isInForce, sinceDate } from '../../common/as-of/dated-changes.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import { compositionOf, problemsOfNewComposition, type CompositionContext } from '../composition/composition.rules.js';
import { pageOfAuthor } from '../composition/page-of-author.js';
import { PostComposer } from '../composition/post-composer.service.js';
import { Post, PostName, POSTS } from '../entities/post.entity.js';
import { PostPublication, type PublicationContext } from './post-publication.service.js';
import type { SeenPost } from './post.presenter.js';
import { PostQueries } from './post.queries.js';
import { newPost, videoProblems } from './post.rules.js';
import type { CreatePost, ListPosts, RenamePost } from './posts.dto.js';
import { SeenPosts } from './seen-posts.service.js';

/** Lists, publishes and names posts. */
@Injectable()
export class PostsService {
  constructor(
    private readonly resources: Resources,
    private readonly queries: PostQueries,
    private readonly composer: PostComposer,
    private readonly publication: PostPublication,
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
    const post = await this.resources.change(account, POSTS, [request], async (unit) => {
      const context = await this.contextOf(unit, request);
      const params = request.paramsUnless([
        ...problemsOfNewComposition(request, context),
        ...problemsOfVideo(request, context),
        ...organicProblems(account, request),
      ]);
      const dynamicProductAd = params.dynamic_product_ad ?? false;
      const composition = { ...compositionOf(params.as_user_id, params), dynamicProductAd };
      const settings = params.conversation_settings ?? 'EVERYONE';
      const details = { users: context.users, now: unit.now, settings, video: params };
      const created = unit.create(newPost(account, composition, details));
      unit.addWrite(...this.publication.writesBeside(account, created, composition, context));
      return created;
    });
    const { trim_user: trimUser, name = null } = request.params;
    const [seen] = await this.seen.published(account, [post], { trimUser, names: [name] });
    return seen;
  }

  /** Sets the account's name for a post. Other accounts may have other names for it. */
  async rename(account: ActingAccount, id: string, { name }: RenamePost): Promise<SeenPost> {
    const post = await this.queries.visible(account, id);
    if (name !== undefined) await this.storeName(account, id, name);
    const [seen] = await this.seen.published(account, [post]);
    return seen;
  }

  private storeName(account: ActingAccount, postId: string, name: string | null): Promise<void> {
    return this.resources.changeLocked(account, POSTS, [], async (unit) => {
      await unit.lockName(`name of post ${postId} in ${account.id}`);
      const key = { accountId: account.id, postId };
      const stored = await rows(unit.db, PostName).where('accountId', account.id).where('postId', postId).getOne();
      const before = stored?.name ?? null;
      if (before === name) return;
      const change = { type: 'UPDATE', entity: 'POST', id: postId, data: { name }, before: { name: before } } as const;
      unit.require(exists(Post, { id: postId }, () => POSTS.notFoundError(account)(postId)));
      unit.addWrite(
        name === null ? deletePermanently(PostName, [key]) : insertOrUpdate(PostName, [{ ...key, name }], ['name']),
        recordChanges([change], account, unit.now),
      );
    });
  }

  private async contextOf(
    unit: UnitOfWork<Post>,
    request: Parsed<CreatePost>,
  ): Promise<CompositionContext & PublicationContext> {
    const authorIds = [request.value('as_user_id') ?? []].flat();
    const [composition, publication] = await Promise.all([
      this.composer.context(unit, request),
      this.publication.context(authorIds, request.value('text') ?? '', unit.db),
    ]);
    return { ...composition, ...publication };
  }
}

/** From the change of X on, organic posts come from the app only. */
const organicProblems = ({ asOf }: ActingAccount, request: Parsed<CreatePost>): ApiError[] =>
  request.value('nullcast') === false && isInForce('NO_ORGANIC_POSTS', asOf)
    ? [
        invalid('nullcast', 'Expected true, got false for nullcast', {
          value: false,
          details: sinceDate('NO_ORGANIC_POSTS', asOf),
        }),
      ]
    : [];

function problemsOfVideo(request: Parsed<CreatePost>, context: CompositionContext): ApiError[] {
  const video = request.known('media_keys', 'video_title', 'video_description', 'video_cta');
  return video ? videoProblems(video, video.media_keys ?? [], context) : [];
}
