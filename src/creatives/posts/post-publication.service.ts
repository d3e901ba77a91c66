import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordChanges } from '../../accounts/change-log/change-log.js';
import { User } from '../../auth/credentials/user.entity.js';
import { newRow } from '../../common/db/query/new-row.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, type Write, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import type { Composition } from '../composition/composition.rules.js';
import { screenNamesIn, type Mentionable } from '../composition/post-text.rules.js';
import { Post, PostName } from '../entities/post.entity.js';
import { PostTermsService } from '../post-terms/post-terms.service.js';
import { snapshotOfPost } from './post.presenter.js';
import { newPost } from './post.rules.js';
import { markPosted } from './post.statements.js';

/** A post made on the platform itself. */
export interface PlatformPost {
  authorId: string;
  text: string;
  at: Date;
}

/** Data read before a post is published. */
export interface PublicationContext {
  /** Users that the text may mention. */
  users: readonly Mentionable[];
  /** Countries of authors by user id. */
  countries: ReadonlyMap<string, string>;
}

/** Stores the data of published posts from any source. */
@Injectable()
export class PostPublication {
  constructor(
    private readonly db: DataSource,
    private readonly terms: PostTermsService,
  ) {}

  /** Reads the data that publishing a post with this text needs. */
  async context(authorIds: readonly string[], text: string, db: EntityManager): Promise<PublicationContext> {
    const names = screenNamesIn(text);
    const users = names.length === 0 ? [] : await rows(db, User).whereInIgnoreCase('username', names).getMany();
    return { users, countries: await this.terms.countriesOf(authorIds, db) };
  }

  /** Writes stored with a new post: its terms, its name in the account, and the posted state of its media. */
  writesBeside(
    { id }: { id: string },
    post: Row<Post>,
    { name, mediaKeys }: Composition,
    { countries }: PublicationContext,
  ): Write[] {
    return [
      this.terms.of([post], countries),
      insert(PostName, name === null ? [] : [{ accountId: id, postId: post.id, name }]),
      markPosted(id, mediaKeys, post.createdAt),
    ];
  }

  /** Converts a composition to a post, with all writes that publish it within the write of another resource. */
  async publish(
    by: { id: string; userId: string },
    composition: Composition,
    now: Date,
    db: EntityManager,
  ): Promise<{ post: Row<Post>; writes: Write[] }> {
    const context = await this.context([composition.userId], composition.text, db);
    const post: Row<Post> = { ...newRow(now, newNumber), ...newPost(by, composition, { users: context.users, now }) };
    const change = { type: 'CREATE', entity: 'POST', id: post.id, data: snapshotOfPost(post) } as const;
    const writes = [
      insert(Post, [post]),
      ...this.writesBeside(by, post, composition, context),
      recordChanges([change], by, now),
    ];
    return { post, writes };
  }

  /** Stores organic posts made on the platform itself, with their original times and without an account. */
  async fromPlatform(said: readonly PlatformPost[]): Promise<Row<Post>[]> {
    const db = this.db.manager;
    const authorIds = said.map(({ authorId }) => authorId);
    const { users, countries } = await this.context(authorIds, said.map(({ text }) => text).join('\n'), db);
    const posts = said.map(({ authorId, text, at }): Row<Post> => {
      const composition = { userId: authorId, text, cardId: null, mediaKeys: [], nullcast: false, name: null };
      const fields = newPost({ id: '', userId: authorId }, composition, { users, now: at });
      return { ...newRow(at, newNumber), ...fields, accountId: null };
    });
    await write(db, [insert(Post, posts), this.terms.of(posts, countries)]);
    return posts;
  }
}
