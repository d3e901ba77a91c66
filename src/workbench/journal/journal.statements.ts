import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/**
 * Deletes at most `limit` requests of journals that have more than `kept` rejected or other ones, the oldest of each;
 * returns their number. It looks up one entry of the index for each application. It is planned each time: a plan for an empty
 * table looks it up for each request, and takes longer than a statement may.
 */
export async function trimJournals(
  db: EntityManager,
  { rejected, kept, limit }: { rejected: boolean; kept: number; limit: number },
): Promise<number> {
  const gone = await run(
    db,
    {
      text: `WITH RECURSIVE applications AS (
        SELECT min("applicationId") AS id FROM journaled_requests
        UNION ALL SELECT (SELECT min("applicationId") FROM journaled_requests WHERE "applicationId" > a.id) FROM applications a WHERE a.id IS NOT NULL
      ), chosen AS MATERIALIZED (
        SELECT r.id FROM applications a
        CROSS JOIN LATERAL (SELECT id FROM journaled_requests WHERE "applicationId" = a.id AND rejected = $3 ORDER BY id DESC OFFSET $1 LIMIT 1) first
        JOIN journaled_requests r ON r."applicationId" = a.id AND r.rejected = $3 AND r.id <= first.id
        LIMIT $2 FOR UPDATE OF r SKIP LOCKED
      )
      DELETE FROM journaled_requests r USING chosen WHERE r.id = chosen.id RETURNING 1`,
      values: [kept, limit, rejected],
    },
    { planned: 'each time' },
  );
  return gone.length;
}

/** Deletes the requests that a person signed, or that contain their id or one of their names; returns their number. */
export async function deleteRequestsAbout(
  db: EntityManager,
  userId: string,
  names: readonly string[],
): Promise<number> {
  const gone = await run(db, {
    text: `DELETE FROM journaled_requests r WHERE r."userId" = $1 OR EXISTS (
        SELECT FROM unnest($2::varchar[]) AS word WHERE strpos(lower(r.detail), word) > 0 OR strpos(lower(r.path), word) > 0)
      RETURNING 1`,
    values: [userId, [userId, ...names.filter((name) => name !== '').map((name) => name.toLowerCase())]],
  });
  return gone.length;
}

/** Deletes the journals of the deleted applications that a user owned: nobody can read them any more. */
export async function deleteJournalsOfDeleted(db: EntityManager, userId: string): Promise<void> {
  await run(db, {
    text: `DELETE FROM journaled_requests WHERE "applicationId" IN (
      SELECT id FROM applications WHERE "ownerId" = $1 AND "deletedAt" IS NOT NULL)`,
    values: [userId],
  });
}
