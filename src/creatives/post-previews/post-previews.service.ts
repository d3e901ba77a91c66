import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { User } from '../../auth/credentials/user.entity.js';
import { Clock } from '../../common/time/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Card } from '../entities/card.entity.js';
import { entitiesOf, screenNamesIn } from '../composition/post-text.rules.js';
import type { ListPostPreviews } from './post-previews.dto.js';
import { MAX_PREVIEWED_PRODUCTS, mediaOfCard, shownCard, TALLEST } from './preview-card.rules.js';
import type { ProductsOfPost } from './previewed-product.js';
import { PreviewedProducts } from './previewed-products.service.js';
import type { PreviewedPost } from './preview-links.js';
import { PreviewMediaService } from './preview-media.service.js';
import { PreviewedPostsService } from './previewed-posts.service.js';
import { needsLibrary, shownPost, type ShownPost, type StoredPost } from './preview-post.rules.js';
import type { PostType } from '../posts/post.presenter.js';

/** The fields of an account that previews need. */
type Viewing = Pick<ActingAccount, 'id' | 'timezone' | 'db' | 'now'>;

/** Reads posts of any type for their previews, with a fixed number of statements. */
@Injectable()
export class PostPreviewsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly posts: PreviewedPostsService,
    private readonly media: PreviewMediaService,
    private readonly products: PreviewedProducts,
  ) {}

  /**
   * Posts in the requested order. Omits ids without a post of this type and posts that are not visible to the account.
   */
  list(account: Viewing, { post_ids: ids, post_type: type }: ListPostPreviews): Promise<ShownPost[]> {
    return this.shown(account, type, ids);
  }

  /** The current state of a previewed post; undefined if it is deleted or no longer visible to the account. */
  async find({ accountId, postType, postId, viewerId }: PreviewedPost): Promise<ShownPost | undefined> {
    const db = this.db.manager;
    const account = await rows(db, Account).where('id', accountId).getOne();
    if (!account) return undefined;
    const now = this.clock.timeOf(account);
    const [post] = await this.shown({ ...account, db, now }, postType, [postId], { viewerId });
    return post;
  }

  /** `page`: finds links and names in unpublished texts, and products, which is slow for many posts. */
  private async shown(
    account: Viewing,
    type: PostType,
    ids: string[],
    page?: { viewerId?: string },
  ): Promise<ShownPost[]> {
    const marked = page !== undefined;
    const stored = new Map((await this.posts.find(account, type, ids)).map((post) => [post.id, post]));
    const posts = ids.flatMap((id) => stored.get(id) ?? []);
    if (posts.length === 0) return [];

    const { db } = account;
    const [users, mentioned, cards] = await Promise.all([
      this.users(db, posts),
      marked ? this.mentioned(db, posts) : [],
      this.cards(db, posts),
    ]);
    const libraryOf = ({ accountId }: { accountId: string | null }) => accountId ?? account.id;
    const wanted = [
      ...posts.map((post) => ({ accountId: libraryOf(post), keys: post.mediaKeys })),
      ...[...cards.values()].map((card) => ({ accountId: card.accountId, keys: mediaOfCard(card) })),
    ];
    const showFrom = await this.media.find(db, wanted);
    const now = account.now();
    const products = new Map<string, ProductsOfPost>();
    for (const post of posts)
      if (post.dynamicProductAd) products.set(post.id, await this.productsOf(account, post, page));
    return posts.map((post) => {
      const card = post.cardId === null ? undefined : cards.get(post.cardId);
      return shownPost(post, {
        author: users.get(post.authorId),
        repostedBy: post.repostedById === null ? undefined : users.get(post.repostedById),
        replyingTo: post.inReplyToUserId === null ? undefined : users.get(post.inReplyToUserId),
        card:
          post.cardId === null
            ? undefined
            : card
              ? shownCard(card, showFrom(card.accountId), now, products.get(post.id))
              : { kind: 'gone' as const },
        media: post.mediaKeys.map((key) => showFrom(libraryOf(post), { removedToo: !needsLibrary(post) })(key)),
        timezone: account.timezone,
        entitiesOf: (text) => (marked ? entitiesOf(text, mentioned) : {}),
      });
    });
  }

  /** A list, which needs only heights, reads no products. */
  private async productsOf(
    account: Viewing,
    { id }: StoredPost,
    page: { viewerId?: string } | undefined,
  ): Promise<ProductsOfPost> {
    if (!page) return TALLEST;
    return page.viewerId === undefined
      ? 'withheld'
      : this.products.of(account, page.viewerId, id, MAX_PREVIEWED_PRODUCTS);
  }

  private async users(db: EntityManager, posts: StoredPost[]) {
    const ids = new Set(
      posts.flatMap(({ authorId, inReplyToUserId, repostedById }) => [
        authorId,
        inReplyToUserId ?? authorId,
        repostedById ?? authorId,
      ]),
    );
    const found = await rows(db, User)
      .withDeleted()
      .whereIn('id', [...ids])
      .getMany();
    return new Map(found.map((user) => [user.id, user]));
  }

  /** Users mentioned in unpublished texts. Published posts store their mentions. */
  private async mentioned(db: EntityManager, posts: StoredPost[]) {
    const names = new Set(posts.flatMap(({ text, entities }) => (entities ? [] : screenNamesIn(text))));
    if (names.size === 0) return [];
    return rows(db, User)
      .whereInIgnoreCase('username', [...names])
      .getMany();
  }

  private async cards(db: EntityManager, posts: StoredPost[]): Promise<Map<string, Row<Card>>> {
    const ids = new Set(posts.flatMap(({ cardId }) => cardId ?? []));
    if (ids.size === 0) return new Map();
    // a repost has the card of another account
    const found = await rows(db, Card)
      .ofAllAccounts()
      .whereIn('id', [...ids])
      .getMany();
    return new Map(found.map((card) => [card.id, card]));
  }
}
