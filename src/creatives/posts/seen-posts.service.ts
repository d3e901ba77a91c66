import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { User } from '../../auth/credentials/user.entity.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Config, withoutSlash } from '../../config/config.js';
import type { DraftPost } from '../entities/draft-post.entity.js';
import { LibraryMedia } from '../entities/library-media.entity.js';
import { MediaUrls } from '../media-files/media-urls.js';
import type { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { Post, PostName } from '../entities/post.entity.js';
import type { PostLinks, SeenPost } from './post.presenter.js';
import { entitiesOf, languageOf, repliedTo, screenNamesIn, type TextEntities } from '../composition/post-text.rules.js';
import { PROFILE_IMAGE_PATH } from './profile-image.js';

interface Looking {
  /** Whether to read only the ids of authors. */
  trimUser?: boolean;
  /** The account's names of the posts, if already known. */
  names?: (string | null)[];
  /** An author of the posts, if already known. */
  author?: Row<User>;
}

/** Texts parsed before the loop yields to other requests. */
const TEXTS_AT_ONCE = 50;

/** Adds the data of post objects to posts, drafts and scheduled posts, with a few reads per page. */
@Injectable()
export class SeenPosts {
  readonly links: PostLinks;

  constructor(urls: MediaUrls, config: Config) {
    const base = withoutSlash(config.baseUrl);
    this.links = {
      file: (file) => urls.of(file),
      picture: `${base}${PROFILE_IMAGE_PATH}`,
      source: `<a href="${base}" rel="nofollow">Marquee</a>`,
    };
  }

  /** Published posts as an account sees them. */
  async published(
    account: AccountReader,
    posts: Row<Post>[],
    { trimUser = false, names, author }: Looking = {},
  ): Promise<SeenPost[]> {
    const ids = posts.map(({ id }) => id);
    const people = posts.flatMap(({ authorId, inReplyToUserId }) => [
      ...(trimUser ? [] : [authorId]),
      ...(inReplyToUserId === null ? [] : [inReplyToUserId]),
    ]);
    const [users, media, called] = await Promise.all([
      this.users(account.db, people, author),
      this.mediaOfPublished(account.db, posts),
      names ? new Map(ids.map((id, i) => [id, names[i]])) : this.names(account, ids),
    ]);
    return posts.map((post) => {
      // the rule that also decides whether a post belongs to a conversation; a repost belongs to none
      const replied = post.repostOfId === null ? repliedTo(post.entities as TextEntities) : undefined;
      return {
        id: post.id,
        type: 'PUBLISHED' as const,
        createdAt: post.createdAt,
        text: post.text,
        entities: post.entities as TextEntities,
        lang: post.lang,
        nullcast: post.nullcast,
        cardId: post.cardId,
        dynamicProductAd: post.dynamicProductAd,
        media: media(post),
        conversationSettings: post.conversationSettings,
        contributorId: post.contributorId,
        inReplyToPostId: post.inReplyToPostId,
        inReplyToUserId: post.inReplyToUserId ?? replied?.id_str ?? null,
        inReplyToName: users.get(post.inReplyToUserId ?? '')?.username ?? replied?.screen_name ?? null,
        name: called.get(post.id) ?? null,
        scheduledAt: null,
        scheduledStatus: null,
        authorId: post.authorId,
        repostOfId: post.repostOfId,
        isDeleted: post.deletedAt !== null,
        author: trimUser ? undefined : users.get(post.authorId),
      };
    });
  }

  /** Drafts and scheduled posts, whose texts are parsed here. */
  async composed(
    { db }: AccountReader,
    type: 'DRAFT' | 'SCHEDULED',
    composed: Row<DraftPost | ScheduledPost>[],
    { trimUser = false }: Looking = {},
  ): Promise<SeenPost[]> {
    const names = [...new Set(composed.flatMap(({ text }) => screenNamesIn(text)))];
    const [authors, mentioned, media] = await Promise.all([
      this.users(db, trimUser ? [] : composed.map(({ userId }) => userId)),
      names.length === 0 ? [] : rows(db, User).whereInIgnoreCase('username', names).getMany(),
      this.media(db, composed),
    ]);
    const seen: SeenPost[] = [];
    for (const each of composed) {
      if (seen.length % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) await nextTurn();
      const scheduled = 'scheduledAt' in each ? each : undefined;
      const entities = entitiesOf(each.text, mentioned);
      const replied = repliedTo(entities);
      seen.push({
        id: each.id,
        type,
        createdAt: each.createdAt,
        text: each.text,
        entities,
        lang: languageOf(each.text),
        nullcast: each.nullcast,
        cardId: each.cardId,
        dynamicProductAd: false,
        media: media(each),
        conversationSettings: 'EVERYONE',
        contributorId: null,
        inReplyToPostId: null,
        inReplyToUserId: replied?.id_str ?? null,
        inReplyToName: replied?.screen_name ?? null,
        name: each.name,
        scheduledAt: scheduled?.scheduledAt ?? null,
        scheduledStatus: !scheduled ? null : scheduled.deletedAt === null ? scheduled.scheduledStatus : 'DELETED',
        authorId: each.userId,
        repostOfId: null,
        isDeleted: each.deletedAt !== null,
        author: trimUser ? undefined : authors.get(each.userId),
      });
    }
    return seen;
  }

  /** A user, deleted or not. */
  user({ db }: AccountReader, id: string): Promise<Row<User> | undefined> {
    return rows(db, User).withDeleted().where('id', id).getOne();
  }

  private async users(db: EntityManager, ids: string[], known?: Row<User>): Promise<ReadonlyMap<string, Row<User>>> {
    const users = new Map(known && [[known.id, known]]);
    const unknown = [...new Set(ids)].filter((id) => !users.has(id));
    if (unknown.length === 0) return users;
    const found = await rows(db, User).withDeleted().whereIn('id', unknown).limit(unknown.length).getMany();
    for (const user of found) users.set(user.id, user);
    return users;
  }

  private async names({ id, db }: AccountReader, postIds: string[]): Promise<ReadonlyMap<string, string>> {
    if (postIds.length === 0) return new Map();
    const names = await rows(db, PostName).where('accountId', id).whereIn('postId', postIds).getMany();
    return new Map(names.map(({ postId, name }) => [postId, name]));
  }

  /** Media of published posts; a repost shows the library media of the original post. */
  private async mediaOfPublished(
    db: EntityManager,
    posts: readonly Row<Post>[],
  ): Promise<(post: Row<Post>) => Row<LibraryMedia>[]> {
    const having = posts.filter(({ mediaKeys }) => mediaKeys.length > 0);
    const repeated = [...new Set(having.flatMap(({ repostOfId }) => repostOfId ?? []))];
    if (repeated.length === 0) return this.media(db, posts);
    const found = await rows(db, Post).withDeleted().whereIn('id', repeated).getMany();
    const originals = new Map(found.map((post) => [post.id, post]));
    const source = (post: Row<Post>) => originals.get(post.repostOfId ?? '') ?? post;
    const media = await this.media(db, posts.map(source));
    return (post) => media(source(post));
  }

  /** The media found for posts, including deleted ones, from the libraries of the accounts that created the posts. */
  private async media(
    db: EntityManager,
    posts: readonly { accountId: string | null; mediaKeys: string[] }[],
  ): Promise<(post: { accountId: string | null; mediaKeys: string[] }) => Row<LibraryMedia>[]> {
    const having = posts.filter(({ mediaKeys }) => mediaKeys.length > 0);
    if (having.length === 0) return () => [];
    const accounts = [...new Set(having.flatMap(({ accountId }) => accountId ?? []))];
    const keys = [...new Set(having.flatMap(({ mediaKeys }) => mediaKeys))];
    const media = await rows(db, LibraryMedia)
      .withDeleted()
      .whereIn('accountId', accounts)
      .whereIn('mediaKey', keys)
      .limit(accounts.length * keys.length)
      .getMany();
    const known = new Map(media.map((each) => [`${each.accountId} ${each.mediaKey}`, each]));
    return ({ accountId, mediaKeys }) => mediaKeys.flatMap((key) => known.get(`${accountId} ${key}`) ?? []);
  }
}
