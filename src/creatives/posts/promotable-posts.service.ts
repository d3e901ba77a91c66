import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { recordChanges, type TimedAuthor } from '../../accounts/change-log/change-log.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { PROMOTABLE_USERS, type PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { newRow } from '../../common/db/query/new-row.js';
import { allStillExist, unchanged } from '../../common/db/query/preconditions.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, type Precondition, type Write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { contentOfPost, type ShownContent } from '../composition/composition.rules.js';
import { notPromotable, postNotFound } from '../creatives.errors.js';
import { Card } from '../entities/card.entity.js';
import { Post } from '../entities/post.entity.js';
import { snapshotOfPost } from './post.presenter.js';
import { digestOfRepost, newRepost } from './post.rules.js';

/** A post that an account may promote. */
interface PromotablePost {
  post: Row<Post>;
  content: ShownContent;
  /** Whether another user owns the post, so that a repost is promoted instead. */
  byRepost: boolean;
}

/** Result of a lookup of posts to promote, with the rows that determined it. */
export interface Promotable {
  posts: ReadonlyMap<string, PromotablePost>;
  /** Errors of the posts that cannot be promoted, by post id. */
  problems: ReadonlyMap<string, ApiError>;
  /** The account's FULL promotable user, who reposts. */
  full?: Row<PromotableUser>;
  users: Row<PromotableUser>[];
  cards: Row<Card>[];
}

/** Finds posts that an account may promote, and creates reposts of other users' posts. */
@Injectable()
export class PromotablePosts {
  constructor(
    private readonly resources: Resources,
    private readonly users: PromotableUserCache,
  ) {}

  /**
   * Looks up posts to promote, with one read and up to two more for other users' posts and for cards. `parameter` is
   * the one that names the posts. `entrusted`: allows promoted-only posts of another account, because they were
   * referenced before publication.
   */
  async find(
    account: AccountReader,
    ids: readonly string[],
    parameter: string,
    { entrusted = false, db = account.db }: { entrusted?: boolean; db?: EntityManager } = {},
  ): Promise<Promotable> {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return { posts: new Map(), problems: new Map(), users: [], cards: [] };
    const [found, full] = await Promise.all([
      rows(db, Post).whereIn('id', wanted).getMany(),
      this.users.find(account, undefined, db),
    ]);
    const others = new Set(found.map(({ authorId }) => authorId));
    if (full) others.delete(full.userId);
    const [authors, cards] = await Promise.all([
      others.size === 0
        ? []
        : this.resources
            .of(account, PROMOTABLE_USERS, db)
            .whereIn('userId', [...others])
            .getMany(),
      this.cards(found, db),
    ]);
    const users = full ? [full, ...authors] : authors;
    const cardOf = new Map(cards.map((card) => [card.id, card]));
    const stored = new Map(found.map((post) => [post.id, post]));
    const userOf = new Map(users.map((user) => [user.userId, user]));
    const posts = new Map<string, PromotablePost>();
    const problems = new Map<string, ApiError>();
    for (const id of wanted) {
      const post = stored.get(id);
      const user = post && userOf.get(post.authorId);
      const isOwn = user?.promotableUserType === 'FULL';
      const seen = post && (isOwn || !post.nullcast || post.accountId === account.id || (entrusted && user));
      if (!seen) problems.set(id, postNotFound(parameter, id, account.id));
      else if (!user) problems.set(id, notPromotable('post', parameter, id, account.id));
      else if (!isOwn && !full) problems.set(id, nobodyReposts(parameter, id, account.id));
      else posts.set(id, { post, content: contentOfPost(post, cardOf.get(post.cardId ?? '')), byRepost: !isOwn });
    }
    return { posts, problems, full, users, cards };
  }

  /** Preconditions that all rows are unchanged when a dependent write is stored; otherwise the rules run again. */
  needs({ posts, users, cards }: Promotable): Precondition[] {
    const wanted = [...posts.values()];
    const authors = new Set(wanted.map(({ post }) => post.authorId));
    const anyRepost = wanted.some(({ byRepost }) => byRepost);
    const relied = users.filter(
      ({ userId, promotableUserType: type }) => authors.has(userId) || (anyRepost && type === 'FULL'),
    );
    return [
      ...allStillExist(
        Post,
        wanted.map(({ post }) => post),
      ),
      ...(relied.length > 0 ? [this.users.exist(relied)] : []),
      ...(cards.length > 0 ? [unchanged(Card, cards, () => undefined)] : []),
    ];
  }

  /**
   * Reposts to promote instead of other users' posts, by the account's FULL user. Each is created once per `madeFor`
   * and reused afterwards. Returns the writes for new reposts. If two requests create the same one concurrently, the
   * index `NOT_TWICE` rejects the second.
   */
  async reposts(
    by: TimedAuthor,
    { full }: Pick<Promotable, 'full'>,
    originals: readonly Row<Post>[],
    { madeFor, now, db }: { madeFor: string; now: Date; db: EntityManager },
  ): Promise<{ postIds: ReadonlyMap<string, string>; writes: Write[] }> {
    if (originals.length === 0 || !full) return { postIds: new Map(), writes: [] };
    const digests = new Map(originals.map((original) => [digestOfRepost(madeFor, original.id), original]));
    const known = await rows(db, Post)
      .where('authorId', full.userId)
      .whereIn('digest', [...digests.keys()])
      .getMany();
    const postIds = new Map(known.map((repost) => [digests.get(repost.digest)!.id, repost.id]));
    const made = originals
      .filter(({ id }) => !postIds.has(id))
      .map((post): Row<Post> => ({ ...newRow(now, newNumber), ...newRepost(by, full.userId, post, madeFor) }));
    for (const repost of made) postIds.set(digests.get(repost.digest)!.id, repost.id);
    const changes = made.map((repost) => ({
      type: 'CREATE' as const,
      entity: 'POST' as const,
      id: repost.id,
      data: snapshotOfPost(repost),
    }));
    return { postIds, writes: [insert(Post, made), recordChanges(changes, by, now)] };
  }

  private async cards(posts: readonly Row<Post>[], db: EntityManager): Promise<Row<Card>[]> {
    const ids = [...new Set(posts.flatMap(({ cardId }) => cardId ?? []))];
    // a repost has the card of another account
    return ids.length === 0 ? [] : rows(db, Card).ofAllAccounts().whereIn('id', ids).getMany();
  }
}

const nobodyReposts = (parameter: string, postId: string, accountId: string): ApiError =>
  invalid(parameter, `Post ${postId} belongs to another user, and Account ${accountId} has no user who can repost it`, {
    value: postId,
    details: 'the FULL promotable user reposts posts of other users, and this account has none',
  });
