import type { Precondition, Write } from '../../common/db/query/write.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { MediaPart } from './media-part.entity.js';
import { Media } from '../entities/media.entity.js';

/**
 * Precondition that the upload accepts segments, held until the statement ends, so that a concurrent FINALIZE waits. A
 * replaced segment does not count toward the size.
 */
export const takesSegment = (
  { id, index, size }: { id: string; index: number; size: number },
  refusal: () => Error,
): Precondition => ({
  sql: (db, bind) => `SELECT 1 FROM ${tableOf(db, Media).table} m
      WHERE m.id = ${bind(id)} AND m.state = 'ARRIVING' AND m."deletedAt" IS NULL
        AND m.size >= ${bind(size)}::bigint + (SELECT COALESCE(sum(p.size), 0) FROM ${tableOf(db, MediaPart).table} p WHERE p."mediaId" = m.id AND p.index <> ${bind(index)}::int)
      FOR SHARE OF m`,
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
export const keepForGood = (id: string): Write => ({
  sql: (db, bind, when) =>
    `UPDATE ${tableOf(db, Media).table} SET "expiresAt" = NULL WHERE id = ${bind(id)} AND "expiresAt" IS NOT NULL AND ${when}`,
});
