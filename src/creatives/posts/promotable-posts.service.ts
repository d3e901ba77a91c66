import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordOf, type ChangedBy } from '../../accounts/change-log/change-log.js';
import type { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { PROMOTABLE_USERS } from '../../accounts/promotable-users/promotable-user.resource.js';
import { PromotableUsersService } from '../../accounts/promotable-users/promotable-users.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { allExist, unchanged } from '../../common/db/query/preconditions.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, type Precondition, type Write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { newRow } from '../../common/db/query/new-row.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Card } from '../entities/card.entity.js';
import { notPromotable, postNotFound } from '../creatives.errors.js';
import { contentOfPost, type ShownContent } from '../composition/content.rules.js';
import { Post } from '../entities/post.entity.js';
import { snapshotOfPost } from './post.resource.js';
import { digestOfRepost, newRepost } from './post.rules.js';

/** A post that an account may promote. */
export interface PromotablePost {
  post: Row<Post>;
  content: ShownContent;
  /** It is another's, and a repost is promoted in its place. */
  byRepost: boolean;
}

/** What was found of posts that somebody wants to promote, with all that this was decided by. */
export interface Promotable {
  posts: ReadonlyMap<string, PromotablePost>;
  /** Why the others cannot be promoted, by their ids. */
  problems: ReadonlyMap<string, ApiError>;
  /** The FULL promotable user of the account, who reposts. */
  full?: Row<PromotableUser>;
  users: Row<PromotableUser>[];
  cards: Row<Card>[];
}

const stale = () => new ConflictRetry();

/** Which posts an account may promote, and reposts of those of others. */
@Injectable()
export class PromotablePosts {
  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    private readonly users: PromotableUsersService,
  ) {}

  /**
   * Looks up posts to be promoted: one read, and up to two more for posts of others and for cards. `parameter` named them.
   * `entrusted`: what another account has promoted only may be promoted, too, because it was named before it was published.
   */
  async find(
    account: { id: string },
    ids: readonly string[],
    parameter: string,
    { entrusted = false, db = this.db.manager }: { entrusted?: boolean; db?: EntityManager } = {},
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

  /** That all of it is unchanged when something is stored that relies on it; else the rules are asked again. */
  needs({ posts, users, cards }: Promotable): Precondition[] {
    const ids = [...posts.keys()];
    const authors = new Set([...posts.values()].map(({ post }) => post.authorId));
    const anyRepost = [...posts.values()].some(({ byRepost }) => byRepost);
    const relied = users.filter(
      ({ userId, promotableUserType: type }) => authors.has(userId) || (anyRepost && type === 'FULL'),
    );
    return [
      ...(ids.length > 0 ? [allExist(Post, ids, stale)] : []),
      ...(relied.length > 0 ? [this.users.exist(relied)] : []),
      ...(cards.length > 0 ? [unchanged(Card, cards, () => undefined)] : []),
    ];
  }

  /**
   * What is promoted in place of posts of others: reposts of the account's FULL user, each made once for what `madeFor` names
   * and found again ever after, with what is to be stored of those that are new. Where two make the same at once, the index
   * `NOT_TWICE` refuses the second.
   */
  async reposts(
    by: ChangedBy,
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
    return { postIds, writes: [insert(Post, made), ...recordOf(changes, by, now)] };
  }

  private async cards(posts: readonly Row<Post>[], db: EntityManager): Promise<Row<Card>[]> {
    const ids = [...new Set(posts.flatMap(({ cardId }) => cardId ?? []))];
    return ids.length === 0 ? [] : rows(db, Card).whereIn('id', ids).getMany();
  }
}

const nobodyReposts = (parameter: string, postId: string, accountId: string): ApiError =>
  invalid(parameter, `Post ${postId} is another user's, and Account ${accountId} has nobody who could repost it`, {
    value: postId,
    details: 'a post of another user is promoted as a repost of the FULL promotable user, whom this account has not',
  });
