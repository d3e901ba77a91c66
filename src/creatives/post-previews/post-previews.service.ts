import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { PROMOTABLE_USERS } from '../../accounts/promotable-users/promotable-user.resource.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { User } from '../../auth/credentials/user.entity.js';
import { Clock } from '../../common/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Card } from '../entities/card.entity.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { LibraryMedia } from '../entities/library-media.entity.js';
import { mediaIdOf } from '../media-files/media-key.js';
import { MediaUrls } from '../media-files/media-urls.js';
import { Media } from '../entities/media.entity.js';
import { entitiesOf, screenNamesIn } from '../composition/post-text.rules.js';
import { Post } from '../entities/post.entity.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import type { ListPostPreviews } from './post-previews.dto.js';
import { mediaOfCard, shownCard } from './preview-card.rules.js';
import { asInLibrary, shownMedia, type ShowMedia } from './preview-media.rules.js';
import {
  draftAsStored,
  needsLibrary,
  publishedAsStored,
  repostAsStored,
  scheduledAsStored,
  shownPost,
  type ShownPost,
  type StoredPost,
} from './preview-post.rules.js';
import type { PostType } from '../posts/post.presenter.js';
import type { PreviewedPost } from './previewed-post.js';

/** The fields of an account that previews need. */
type Viewing = Pick<Row<Account>, 'id' | 'timezone'>;

/** Returns a lookup of an account's library media, including removed ones if requested. */
type ShowFrom = (accountId: string, options?: { removedToo?: boolean }) => ShowMedia;

/** Reads posts of any type for their previews, with a fixed number of statements. */
@Injectable()
export class PostPreviewsService {
  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    private readonly clock: Clock,
    private readonly mediaUrls: MediaUrls,
  ) {}

  /**
   * Posts in the requested order. Omits ids without a post of this type and posts that are not visible to the account.
   */
  list(account: Viewing, { post_ids: ids, post_type: type }: ListPostPreviews): Promise<ShownPost[]> {
    return this.shown(account, type, ids, { marked: false });
  }

  /** The current state of a previewed post; undefined if it is deleted or no longer visible to the account. */
  async find({ accountId, postType, postId }: PreviewedPost): Promise<ShownPost | undefined> {
    const account = await rows(this.db.manager, Account).where('id', accountId).getOne();
    if (!account) return undefined;
    const [post] = await this.shown(account, postType, [postId], { marked: true });
    return post;
  }

  /** `marked`: finds links and names in unpublished texts, which is slow for many of them. */
  private async shown(
    account: Viewing,
    type: PostType,
    ids: string[],
    { marked }: { marked: boolean },
  ): Promise<ShownPost[]> {
    const stored = new Map((await this.stored(account, type, ids)).map((post) => [post.id, post]));
    const posts = ids.flatMap((id) => stored.get(id) ?? []);
    if (posts.length === 0) return [];

    const [users, mentioned, cards] = await Promise.all([
      this.users(posts),
      marked ? this.mentioned(posts) : [],
      this.cards(posts),
    ]);
    const libraryOf = ({ accountId }: { accountId: string | null }) => accountId ?? account.id;
    const wanted = [
      ...posts.map((post) => ({ accountId: libraryOf(post), keys: post.mediaKeys })),
      ...[...cards.values()].map((card) => ({ accountId: card.accountId, keys: mediaOfCard(card) })),
    ];
    const showFrom = await this.media(wanted);
    const now = this.clock.now();
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
              ? shownCard(card, showFrom(card.accountId), now)
              : { kind: 'gone' as const },
        media: post.mediaKeys.map((key) => showFrom(libraryOf(post), { removedToo: !needsLibrary(post) })(key)),
        timezone: account.timezone,
        entitiesOf: (text) => (marked ? entitiesOf(text, mentioned) : {}),
      });
    });
  }

  private async stored(account: Viewing, type: PostType, ids: string[]): Promise<StoredPost[]> {
    const db = this.db.manager;
    if (type === 'DRAFT')
      return (await rows(db, DraftPost).where('accountId', account.id).whereIn('id', ids).getMany()).map(draftAsStored);
    if (type === 'SCHEDULED')
      return (await rows(db, ScheduledPost).where('accountId', account.id).whereIn('id', ids).getMany()).map(
        scheduledAsStored,
      );
    return this.withOriginals(await this.published(account).whereIn('id', ids).getMany());
  }

  /** Replaces reposts by the posts that they repeat, with at most one read. */
  private async withOriginals(posts: Row<Post>[]): Promise<StoredPost[]> {
    const repeated = [...new Set(posts.flatMap(({ repostOfId }) => repostOfId ?? []))];
    const found = repeated.length === 0 ? [] : await rows(this.db.manager, Post).whereIn('id', repeated).getMany();
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
  private published(account: Viewing) {
    const promotable = () => this.resources.of(account, PROMOTABLE_USERS);
    return rows(this.db.manager, Post)
      .whereInSubquery('authorId', promotable(), 'userId')
      .whereAny(
        (posts) => posts.where('nullcast', false),
        (posts) => posts.where('accountId', account.id),
        (posts) => posts.whereInSubquery('authorId', promotable().where('promotableUserType', 'FULL'), 'userId'),
      );
  }

  private async users(posts: StoredPost[]) {
    const ids = new Set(
      posts.flatMap(({ authorId, inReplyToUserId, repostedById }) => [
        authorId,
        inReplyToUserId ?? authorId,
        repostedById ?? authorId,
      ]),
    );
    const found = await rows(this.db.manager, User)
      .withDeleted()
      .whereIn('id', [...ids])
      .getMany();
    return new Map(found.map((user) => [user.id, user]));
  }

  /** Users mentioned in unpublished texts. Published posts store their mentions. */
  private async mentioned(posts: StoredPost[]) {
    const names = new Set(posts.flatMap(({ text, entities }) => (entities ? [] : screenNamesIn(text))));
    if (names.size === 0) return [];
    return rows(this.db.manager, User)
      .whereInIgnoreCase('username', [...names])
      .getMany();
  }

  private async cards(posts: StoredPost[]): Promise<Map<string, Row<Card>>> {
    const ids = new Set(posts.flatMap(({ cardId }) => cardId ?? []));
    if (ids.size === 0) return new Map();
    const found = await rows(this.db.manager, Card)
      .whereIn('id', [...ids])
      .getMany();
    return new Map(found.map((card) => [card.id, card]));
  }

  /**
   * Lookup of library media, including removed ones unless requested otherwise. Media in no library come from their
   * upload.
   */
  private async media(wanted: { accountId: string; keys: string[] }[]): Promise<ShowFrom> {
    const keys = [...new Set(wanted.flatMap((each) => each.keys))];
    if (keys.length === 0) return () => () => shownMedia(undefined, String);

    const inLibrary = await rows(this.db.manager, LibraryMedia)
      .withDeleted()
      .whereIn('accountId', [...new Set(wanted.map(({ accountId }) => accountId))])
      .whereIn('mediaKey', keys)
      .getMany();
    const known = new Map(inLibrary.map((media) => [`${media.accountId} ${media.mediaKey}`, media]));
    const missing = wanted.flatMap((each) => each.keys.filter((key) => !known.has(`${each.accountId} ${key}`)));
    const uploaded = await this.uploaded([...new Set(missing)]);
    const urlOf = (file: string) => this.mediaUrls.of(file);
    return (accountId, { removedToo = true } = {}) => {
      const find = (key: string) => {
        const own = known.get(`${accountId} ${key}`);
        return own && own.deletedAt !== null && !removedToo ? undefined : (own ?? uploaded.get(key));
      };
      return (key, posterKey) => shownMedia(find(key), urlOf, posterKey ? find(posterKey)?.file : undefined);
    };
  }

  private async uploaded(keys: string[]) {
    if (keys.length === 0) return new Map<string, NonNullable<ReturnType<typeof asInLibrary>>>();
    const found = await rows(this.db.manager, Media).whereIn('id', keys.map(mediaIdOf)).getMany();
    const byId = new Map(found.map((media) => [media.id, media]));
    return new Map(
      keys.flatMap((key) => {
        const upload = byId.get(mediaIdOf(key));
        const media = upload && asInLibrary(upload, key);
        return media ? [[key, media] as const] : [];
      }),
    );
  }
}
