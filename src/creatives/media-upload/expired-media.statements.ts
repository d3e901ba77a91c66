import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { Counter } from '../../common/db/counters/counter.entity.js';
import { UNFINISHED_UPLOADS } from './media-limits.js';
import { Media } from './media.entity.js';

/**
 * Marks at most `limit` uploads deleted whose time is over; answers how many. What somebody takes at this moment is left.
 * Those that were not finished are none of their user's any more.
 */
export async function markExpired(db: EntityManager, at: string, limit: number): Promise<number> {
  const [{ n }] = await run<{ n: number }>(db, {
    text: `WITH due AS MATERIALIZED (
        SELECT id FROM ${tableOf(db, Media).table} WHERE "expiresAt" <= $1::timestamptz AND "deletedAt" IS NULL ORDER BY "expiresAt", id LIMIT $2 FOR UPDATE SKIP LOCKED
      ), marked AS (
        UPDATE ${tableOf(db, Media).table} m SET "deletedAt" = $1::timestamptz FROM due WHERE m.id = due.id RETURNING m."ownerId", m.state
      ), fewer AS (
        UPDATE ${tableOf(db, Counter).table} c SET value = c.value - u.n
          FROM (SELECT "ownerId", count(*)::int AS n FROM marked WHERE state = 'ARRIVING' GROUP BY "ownerId") u
          WHERE c."ownerId" = u."ownerId" AND c.kind = $3
      ) SELECT count(*)::int AS n FROM marked`,
    values: [at, limit, UNFINISHED_UPLOADS],
  });
  return n;
}
