import { Injectable, type Type } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { recordOf } from '../../accounts/change-log/change-log.js';
import { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { PromotableUsersService } from '../../accounts/promotable-users/promotable-users.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { User } from '../../auth/credentials/user.entity.js';
import { exists } from '../../common/db/query/preconditions.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { erase, insert, insertOrUpdate, type Write, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { newRow } from '../../common/db/query/new-row.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { Parsed } from '../../common/http/parsed.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { Page } from '../../common/http/page.js';
import { invalidUserId } from '../creatives.errors.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { compositionOf, problemsOfNew, type Composition, type Surroundings } from '../composition/composition.rules.js';
import { PostComposer } from '../composition/post-composer.service.js';
import { PostName } from './post-name.entity.js';
import { Post } from '../entities/post.entity.js';
import type { SeenPost } from './post.presenter.js';
import { POSTS, snapshotOfPost } from './post.resource.js';
import { newPost, videoProblems, type Publishing } from './post.rules.js';
import { markPosted } from './post.statements.js';
import { PostTermsService } from '../post-terms/post-terms.service.js';
import type { CreatePost, ListPosts, RenamePost, TimelineType } from './posts.dto.js';
import { SeenPosts } from './seen-posts.service.js';
import { screenNamesIn, type Mentionable } from '../composition/post-text.rules.js';

/** What a user posts on the platform itself. */
export interface PlatformPost {
  authorId: string;
  text: string;
  at: Date;
}

@Injectable()
export class PostsService {
  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    private readonly composer: PostComposer,
    private readonly users: PromotableUsersService,
    private readonly seen: SeenPosts,
    private readonly terms: PostTermsService,
  ) {}

  /** The posts of a promotable user, or the account's drafts or scheduled posts for them, in one shape. */
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

  /** One post as lists show it: published, and visible to the account. */
  async get(account: ActingAccount, id: string): Promise<SeenPost> {
    const [seen] = await this.seen.published(account, [await this.visible(account, id)]);
    return seen;
  }

  async create(account: ActingAccount, params: CreatePost): Promise<SeenPost> {
    const composition = compositionOf(params.as_user_id, params);
    const { name, mediaKeys } = composition;
    const post = await this.resources.edit(account, POSTS, [], async (unitOfWork, db) => {
      const [around, users, countries] = await Promise.all([
        this.composer.look(account, composition, db),
        this.mentionable(composition.text, db),
        this.terms.countriesOf([composition.userId], db),
      ]);
      refuseAny([...problemsOfNew(account, Parsed.whole(params), around), ...videoProblems(params, mediaKeys, around)]);
      const settings = params.conversation_settings ?? 'EVERYONE';
      const made = unitOfWork.create(
        newPost(account, composition, { users, now: unitOfWork.now, settings, video: params }),
      );
      unitOfWork.require(...this.composer.needs(around));
      unitOfWork.addWrite(...this.belongings(account, made, composition, countries));
      return made;
    });
    const [seen] = await this.seen.published(account, [post], { trimUser: params.trim_user, names: [name] });
    return seen;
  }

  /** What is wrong with those parameters of a new post that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreatePost>): Promise<ApiError[]> {
    const around: Surroundings = await this.composer.look(account, this.composer.namedBy(parsed));
    const media = parsed.known('media_keys');
    const video = parsed.known('media_keys', 'video_title', 'video_description', 'video_cta');
    return [
      ...problemsOfNew(account, parsed, around),
      ...(video ? videoProblems(video, media?.media_keys ?? [], around) : []),
    ];
  }

  /** What the account calls a post; others may call it otherwise. */
  async rename(account: ActingAccount, id: string, { name }: RenamePost): Promise<SeenPost> {
    const post = await this.visible(account, id);
    if (name !== undefined) {
      const key = { accountId: account.id, postId: id };
      const locking = { name: `name of post ${id} in ${account.id}` };
      await this.resources.edit(
        account,
        POSTS,
        [],
        async (unitOfWork, db) => {
          const before = (await this.names(account, db).where('postId', id).getOne())?.name ?? null;
          if (before === name) return;
          const change = { type: 'UPDATE', entity: 'POST', id, data: { name }, before: { name: before } } as const;
          unitOfWork.require(exists(Post, id, () => POSTS.notFoundError(account)(id)));
          unitOfWork.addWrite(
            name === null ? erase(PostName, [key]) : insertOrUpdate(PostName, [{ ...key, name }], ['name']),
            ...recordOf([change], account, unitOfWork.now),
          );
        },
        locking,
      );
    }
    const [seen] = await this.seen.published(account, [post]);
    return seen;
  }

  /** A composition as a post, and what is stored when it is published by another resource's write. */
  async publication(
    by: { id: string; userId: string },
    composition: Composition,
    how: Publishing,
    db: EntityManager,
  ): Promise<{ post: Row<Post>; writes: Write[] }> {
    const post: Row<Post> = { ...newRow(how.now, newNumber), ...newPost(by, composition, how) };
    const change = { type: 'CREATE', entity: 'POST', id: post.id, data: snapshotOfPost(post) } as const;
    const countries = await this.terms.countriesOf([composition.userId], db);
    const writes = [
      insert(Post, [post]),
      ...this.belongings(by, post, composition, countries),
      ...recordOf([change], by, how.now),
    ];
    return { post, writes };
  }

  /** Stores organic posts that users made on the platform itself, at their times and without an account. */
  async fromPlatform(said: readonly PlatformPost[]): Promise<Row<Post>[]> {
    const users = await this.mentionable(said.map(({ text }) => text).join('\n'));
    const posts = said.map(({ authorId, text, at }): Row<Post> => {
      const composition = { userId: authorId, text, cardId: null, mediaKeys: [], nullcast: false, name: null };
      const fields = newPost({ id: '', userId: authorId }, composition, { users, now: at });
      return { ...newRow(at, newNumber), ...fields, accountId: null };
    });
    const authors = posts.map(({ authorId }) => authorId);
    const countries = await this.terms.countriesOf(authors, this.db.manager);
    await write(this.db.manager, [insert(Post, posts), this.terms.of(posts, countries)]);
    return posts;
  }

  /** Those whom a text may mention. */
  async mentionable(text: string, db: EntityManager = this.db.manager): Promise<Mentionable[]> {
    const names = screenNamesIn(text);
    return names.length === 0 ? [] : rows(db, User).whereInIgnoreCase('username', names).getMany();
  }

  /**
   * The published posts of a promotable user that an account may see: of its FULL user all, of others what is organic, and
   * of what is promoted only that which was made in this account.
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

  /** What is stored beside a new post: what it says, what the account calls it, and that it has its media. */
  private belongings(
    { id }: { id: string },
    post: Row<Post>,
    { name, mediaKeys }: Composition,
    countries: ReadonlyMap<string, string>,
  ): Write[] {
    return [
      this.terms.of([post], countries),
      insert(PostName, name === null ? [] : [{ accountId: id, postId: post.id, name }]),
      markPosted(id, mediaKeys, post.createdAt),
    ];
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
      posts.whereInSmallSubquery('id', this.names(account).whereStartsWith('name', query.name), 'postId');
    const found = await page(posts, query);
    return pageOf(found, await this.seen.published(account, found.items, { trimUser: query.trim_user }));
  }

  /** Drafts or scheduled posts, as far as they are alike. */
  private composed(type: 'DRAFT' | 'SCHEDULED'): Rows<DraftPost> {
    const kind: Type<DraftPost> = type === 'DRAFT' ? DraftPost : ScheduledPost;
    return rows(this.db.manager, kind);
  }

  private names({ id }: { id: string }, db: EntityManager = this.db.manager): Rows<PostName> {
    return rows(db, PostName).where('accountId', id);
  }

  /** A published post that the account may see, or the 404 of posts. */
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

/** What is promoted only, unless something else is asked for; posts that are named are found in either timeline. */
const timelineOf = ({ timeline_type: asked, post_ids: named }: ListPosts): TimelineType =>
  asked ?? (named === undefined ? 'NULLCAST' : 'ALL');
