import type { Precondition, Write } from '../../common/db/query/write.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { MediaPart } from './media-part.entity.js';
import { Media } from '../entities/media.entity.js';

/**
 * The upload still takes segments, and does so until the statement is done: whoever finishes it waits. One that is replaced
 * does not count beside its successor.
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

/** The medium is whole, was looked at, and has not expired by this time; and stays so until the statement is done. */
export const isUsable = (id: string, at: string, refusal: () => Error): Precondition => ({
  sql: (db, bind) => `SELECT 1 FROM ${tableOf(db, Media).table}
      WHERE id = ${bind(id)} AND state = 'SUCCEEDED' AND "deletedAt" IS NULL AND ("expiresAt" IS NULL OR "expiresAt" > ${bind(at)}::timestamptz)
      FOR NO KEY UPDATE`,
  refusal,
});

/** A medium does not expire any more: something has it. */
export const keepForGood = (id: string): Write => ({
  sql: (db, bind, when) =>
    `UPDATE ${tableOf(db, Media).table} SET "expiresAt" = NULL WHERE id = ${bind(id)} AND "expiresAt" IS NOT NULL AND ${when}`,
});
