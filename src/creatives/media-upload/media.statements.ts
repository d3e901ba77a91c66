import type { EntityManager } from 'typeorm';
import { Counter } from '../../common/db/counters/counter.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { rows } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import type { Precondition, Write } from '../../common/db/query/write.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { StorageUsage } from '../../common/storage/storage-usage.entity.js';
import { lowerUsage } from '../../common/storage/storage-usage.js';
import { LibraryMedia } from '../entities/library-media.entity.js';
import { UNFINISHED_UPLOADS } from '../media-inspection/media-limits.js';
import { Media, MediaPart, MediaSubtitles } from '../entities/media.entity.js';

/**
 * Precondition that the upload accepts a segment. The transaction holds its row, so that other segments and a concurrent FINALIZE
 * wait. A replaced segment does not count toward the size.
 */
export const takesSegment = (
  { id, index, size }: { id: string; index: number; size: number },
  refusal: () => Error,
): Precondition => ({
  sql: (db, bind) => `SELECT 1 FROM ${tableOf(db, Media).table} m
      WHERE m.id = ${bind(id)} AND m.state = 'ARRIVING' AND m."deletedAt" IS NULL
        AND m.size >= ${bind(size)}::bigint + (SELECT COALESCE(sum(p.size), 0) FROM ${tableOf(db, MediaPart).table} p WHERE p."mediaId" = m.id AND p.index <> ${bind(index)}::int)`,
  refusal,
});

/** Precondition, held until the statement ends: the media is complete, inspected and not expired at this time. */
export const isUsable = (id: string, at: string, refusal: () => Error): Precondition => ({
  sql: (db, bind) => `SELECT 1 FROM ${tableOf(db, Media).table}
      WHERE id = ${bind(id)} AND state = 'SUCCEEDED' AND "deletedAt" IS NULL AND ("expiresAt" IS NULL OR "expiresAt" > ${bind(at)}::timestamptz)
      FOR NO KEY UPDATE`,
  refusal,
});

/** Removes the expiry of a media item, because something uses it. */
export const removeExpiry = (id: string): Write => ({
  sql: (db, bind, when) =>
    `UPDATE ${tableOf(db, Media).table} SET "expiresAt" = NULL WHERE id = ${bind(id)} AND "expiresAt" IS NOT NULL AND ${when}`,
});

/** Lets these subtitles expire at this time, unless a video has them. The transaction holds their locks. */
export async function releaseSubtitles(tx: EntityManager, fileIds: readonly string[], at: string): Promise<void> {
  if (fileIds.length === 0) return;
  // whoever is about to give one of them to a video holds its lock, and the next statement sees the result
  await rows(tx, Media)
    .whereIn('id', [...fileIds])
    .orderBy('id')
    .setLock('for_no_key_update')
    .getMany();
  await run(tx, {
    text: `UPDATE ${tableOf(tx, Media).table} m SET "expiresAt" = $2::timestamptz WHERE id = ANY($1) AND "expiresAt" IS NULL
      AND NOT EXISTS (SELECT FROM ${tableOf(tx, MediaSubtitles).table} s WHERE s."fileId" = m.id)`,
    values: [fileIds, at],
  });
}

/**
 * Marks at most `limit` expired uploads as deleted and returns their number. Skips uploads that are being used right
 * now. Unfinished uploads leave the user's counter, and all bytes leave the users' usage.
 */
export async function markExpired(db: EntityManager, at: string, limit: number): Promise<number> {
  const usage = tableOf(db, StorageUsage).table;
  const freed = (which: string, kind: string) =>
    `UPDATE ${usage} u SET used = greatest(u.used - f.bytes, 0)
          FROM (SELECT "ownerId", sum(size)::bigint AS bytes FROM marked WHERE ${which} GROUP BY "ownerId") f
          WHERE u."ownerId" = f."ownerId" AND u.kind = ${kind}`;
  // lock order everywhere: counters, unfinished bytes, then the rest
  const [{ n }] = await run<{ n: number }>(db, {
    text: `WITH due AS MATERIALIZED (
        SELECT id FROM ${tableOf(db, Media).table} WHERE "expiresAt" <= $1::timestamptz AND "deletedAt" IS NULL ORDER BY "expiresAt", id LIMIT $2 FOR UPDATE SKIP LOCKED
      ), marked AS (
        UPDATE ${tableOf(db, Media).table} m SET "deletedAt" = $1::timestamptz FROM due WHERE m.id = due.id RETURNING m."ownerId", m.state, m.size
      ), fewer AS (
        UPDATE ${tableOf(db, Counter).table} c SET value = c.value - u.n
          FROM (SELECT "ownerId", count(*)::int AS n FROM marked WHERE state = 'ARRIVING' GROUP BY "ownerId") u
          WHERE c."ownerId" = u."ownerId" AND c.kind = $3
      ), unfinished AS (${freed("state = 'ARRIVING'", '$4')}), finished AS (${freed("state <> 'ARRIVING'", '$5')})
      SELECT count(*)::int AS n FROM marked`,
    values: [at, limit, UNFINISHED_UPLOADS, 'UNFINISHED_UPLOAD_BYTES', 'USER_MEDIA_BYTES'],
  });
  return n;
}

/**
 * Lets the media of a user expire, except those in the library of an account that is not one of these, and subtitles,
 * which follow their video. What a library had may still be in posts, cards and account media.
 */
export async function expireMedia(
  db: EntityManager,
  userId: string,
  accountIds: readonly string[],
  at: string,
): Promise<void> {
  const { table } = tableOf(db, Media);
  // a library that adds one locks it, and the update that waits for it would not see the new row
  await run(db, {
    text: `SELECT count(*) FROM (SELECT FROM ${table} WHERE "ownerId" = $1 AND "deletedAt" IS NULL ORDER BY id FOR NO KEY UPDATE) held`,
    values: [userId],
  });
  await run(db, {
    text: `UPDATE ${table} m SET "expiresAt" = $3::timestamptz WHERE "ownerId" = $1 AND "deletedAt" IS NULL
      AND NOT EXISTS (SELECT FROM ${tableOf(db, LibraryMedia).table} l WHERE l."mediaId" = m.id AND l."accountId" <> ALL($2))
      AND NOT EXISTS (SELECT FROM ${tableOf(db, MediaSubtitles).table} s WHERE s."fileId" = m.id) ${OF_ALL_ACCOUNTS}`,
    values: [userId, accountIds, at],
  });
}

/** Removes a failed single-request upload, and its bytes from the user's usage if they are counted. */
export async function forgetUpload(db: EntityManager, id: string): Promise<void> {
  const values: unknown[] = [id];
  const bind = (value: unknown) => `$${values.push(value)}`;
  await run(db, {
    text: `WITH gone AS (DELETE FROM ${tableOf(db, Media).table} WHERE id = $1 AND "deletedAt" IS NULL RETURNING "ownerId", size),
      freed AS (${lowerUsage('(SELECT "ownerId" FROM gone)', 'USER_MEDIA_BYTES', '(SELECT size FROM gone)', bind)})
      SELECT 1 AS forgotten`,
    values,
  });
}
