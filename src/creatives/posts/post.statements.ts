import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { afterStored } from '../../common/db/query/computed.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { run, type Bind } from '../../common/db/query/statement.js';
import type { Write } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { TextEntities } from '../composition/post-text.rules.js';
import { LibraryMedia } from '../entities/library-media.entity.js';
import { Post, PostName } from '../entities/post.entity.js';
import { PostTerms } from '../post-terms/post-terms.entity.js';

/** An expression over a post: the account's name for it, or null. */
export const accountNameOfPost =
  (db: EntityManager, accountId: string) =>
  (bind: Bind): string => {
    const { table } = tableOf(db, PostName);
    return `(SELECT n.name FROM ${table} n WHERE n."accountId" = ${bind(accountId)} AND n."postId" = r.id)`;
  };

/** Marks library media as used by a published post, unless already marked. */
export const markPosted = (accountId: string, mediaKeys: readonly string[], at: string): Write => ({
  empty: mediaKeys.length === 0,
  sql(db, bind, when) {
    const { table } = tableOf(db, LibraryMedia);
    return `UPDATE ${table} r SET posted = true, "updatedAt" = ${afterStored(bind(at), 'r."updatedAt"')}
      WHERE r."accountId" = ${bind(accountId)} AND r."mediaKey" = ANY(${bind(mediaKeys)}) AND NOT r.posted AND r."deletedAt" IS NULL AND ${when}`;
  },
});

/** A range of rows by id: start exclusive, end inclusive. */
interface IdSpan {
  after: string;
  /** Null after the last row. */
  upTo: string | null;
}

/** Rows per statement in tables without an index on the mentions in their texts. */
const SPAN_ROWS = 20_000;

/** Splits a table into spans, so that no statement reads all of it. */
export async function* spansOf(db: EntityManager, entity: Type<Resource>): AsyncGenerator<IdSpan> {
  const text = `SELECT id FROM ${tableOf(db, entity).table} WHERE id > $1 ORDER BY id OFFSET ${SPAN_ROWS - 1} LIMIT 1 ${OF_ALL_ACCOUNTS}`;
  for (let after: string | null = ''; after !== null;) {
    const found: { id: string }[] = await run(db, { text, values: [after] });
    const upTo: string | null = found[0]?.id ?? null;
    yield { after, upTo };
    after = upTo;
  }
}

const WITHIN = `r.id > $1 AND ($2::varchar IS NULL OR r.id <= $2)`;

/** Another user's post that refers to a user. */
export interface MentioningPost {
  id: string;
  accountId: string | null;
  /** Whether it reposts a post of the user; otherwise it mentions them. */
  repeats: boolean;
}

/** The posts of a span that mention a user or repost one of their posts, including deleted ones. */
export const postsAbout = (db: EntityManager, { after, upTo }: IdSpan, userId: string): Promise<MentioningPost[]> => {
  const { table } = tableOf(db, Post);
  const repeats = `EXISTS (SELECT FROM ${table} o WHERE o.id = r."repostOfId" AND o."authorId" = $3)`;
  return run(
    db,
    {
      text: `SELECT r.id, r."accountId", ${repeats} AS repeats FROM ${table} r
        WHERE ${WITHIN} AND ((r.entities->'user_mentions')::text LIKE '%"' || $3 || '"%' OR ${repeats})`,
      values: [after, upTo, userId],
    },
    { large: true, planned: 'each time' },
  );
};

/** A draft or scheduled post. */
export interface ComposedText {
  id: string;
  accountId: string;
  text: string;
}

/** The drafts or scheduled posts of a span that may mention a username, including deleted ones. */
export const textsMentioning = (
  db: EntityManager,
  entity: Type<Resource>,
  { after, upTo }: IdSpan,
  username: string,
): Promise<ComposedText[]> =>
  run(
    db,
    {
      text: `SELECT r.id, r."accountId", r.text FROM ${tableOf(db, entity).table} r
        WHERE ${WITHIN} AND strpos(lower(r.text), lower($3)) > 0 ${OF_ALL_ACCOUNTS}`,
      values: [after, upTo, username],
    },
    { large: true, planned: 'each time' },
  );

/** Posts as they are now, deleted ones too, which nobody else changes before the transaction ends. */
export const lockPosts = (tx: EntityManager, ids: readonly string[]): Promise<Row<Post>[]> =>
  rows(tx, Post)
    .withDeleted()
    .whereIn('id', [...ids])
    .orderBy('id')
    .setLock('for_no_key_update')
    .getMany();

/** Empties posts except for author and times. Removes the content digest too. */
export async function emptyPosts(db: EntityManager, ids: readonly string[], at: string): Promise<void> {
  const [posts, terms] = [tableOf(db, Post).table, tableOf(db, PostTerms).table];
  const entities: TextEntities = { hashtags: [], symbols: [], user_mentions: [], urls: [] };
  await run(db, {
    text: `WITH gone AS (DELETE FROM ${terms} WHERE "postId" = ANY($1))
      UPDATE ${posts} r SET text = '', lang = 'und', entities = $3::json, "cardId" = NULL, "mediaKeys" = '{}',
        "videoTitle" = NULL, "videoDescription" = NULL, "videoCta" = NULL, "videoCtaValue" = NULL, digest = r.id,
        "deletedAt" = coalesce(r."deletedAt", $2::timestamptz),
        "updatedAt" = ${afterStored('$2', 'r."updatedAt"')}
      WHERE r.id = ANY($1)`,
    values: [ids, at, JSON.stringify(entities)],
  });
}

/** A post with its new text. */
interface RewrittenPost {
  id: string;
  text: string;
  entities: TextEntities;
  terms: string[];
}

/** Stores new texts of posts. Replaces their digests, which would confirm guesses of the old text. */
export async function rewritePosts(db: EntityManager, posts: readonly RewrittenPost[], at: string): Promise<void> {
  await run(db, {
    text: `WITH given AS (SELECT * FROM json_to_recordset($1::json) AS n (id varchar, text varchar, entities json, terms bigint[])),
      found AS (UPDATE ${tableOf(db, PostTerms).table} t SET terms = n.terms FROM given n WHERE t."postId" = n.id)
      UPDATE ${tableOf(db, Post).table} r SET text = n.text, entities = n.entities, digest = r.id,
        "updatedAt" = ${afterStored('$2', 'r."updatedAt"')}
      FROM given n WHERE r.id = n.id`,
    values: [JSON.stringify(posts), at],
  });
}
