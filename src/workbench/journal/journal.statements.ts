import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import { wordsInSql } from '../../common/text/patterns.js';

/**
 * The applications whose journals have requests after this id. It looks up two entries of the index for each journal, and is
 * planned each time, because a plan for an empty table reads each request.
 */
export async function applicationsSince(db: EntityManager, afterId: string): Promise<string[]> {
  const found = await run<{ id: string }>(
    db,
    {
      text: `WITH RECURSIVE applications AS (
        SELECT min("applicationId") AS id FROM journaled_requests
        UNION ALL SELECT (SELECT min("applicationId") FROM journaled_requests WHERE "applicationId" > a.id) FROM applications a WHERE a.id IS NOT NULL)
      SELECT a.id FROM applications a WHERE EXISTS (SELECT FROM journaled_requests r WHERE r."applicationId" = a.id AND r.id > $1)`,
      values: [afterId],
    },
    { planned: 'each time' },
  );
  return found.map(({ id }) => id);
}

/**
 * Deletes at most `limit` requests of a journal that has more than `kept` rejected or other ones, the oldest first; returns
 * their number. It is planned each time: a plan for an empty table takes longer than a statement may.
 */
export async function trimJournal(
  db: EntityManager,
  applicationId: string,
  { rejected, kept, limit }: { rejected: boolean; kept: number; limit: number },
): Promise<number> {
  const gone = await run(
    db,
    {
      text: `WITH chosen AS MATERIALIZED (
        SELECT id FROM journaled_requests WHERE "applicationId" = $1 AND rejected = $4 AND id <= (
          SELECT id FROM journaled_requests WHERE "applicationId" = $1 AND rejected = $4 ORDER BY id DESC OFFSET $2 LIMIT 1)
        ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED
      )
      DELETE FROM journaled_requests r USING chosen WHERE r.id = chosen.id RETURNING 1`,
      values: [applicationId, kept, limit, rejected],
    },
    { planned: 'each time' },
  );
  return gone.length;
}

/** A person who is removed. */
interface PersonInRequests {
  userId: string;
  names: readonly string[];
}

/**
 * Deletes those of the next requests that a person signed, or that contain their id or, as whole words, one of their names.
 * Returns the last id of those that it looked at; undefined at the end.
 */
export async function deleteRequestsAbout(
  db: EntityManager,
  { userId, names }: PersonInRequests,
  { after, limit }: { after: string; limit: number },
): Promise<string | undefined> {
  const [{ last }] = await run<{ last: string | null }>(db, {
    text: `WITH next AS MATERIALIZED (SELECT id, "userId", lower(path || ' ' || detail) AS text FROM journaled_requests WHERE id > $1 ORDER BY id LIMIT $2
      ), gone AS (
        DELETE FROM journaled_requests r USING next n WHERE r.id = n.id
          AND (n."userId" = $3 OR strpos(n.text, $3) > 0 OR n.text ~ ANY($4::varchar[]))
      ) SELECT max(id) AS last FROM next`,
    values: [after, limit, userId, wordsInSql(names)],
  });
  return last ?? undefined;
}

/** Deletes the journals of the deleted applications that a user owned: nobody can read them any more. */
export async function deleteJournalsOfDeleted(db: EntityManager, userId: string): Promise<void> {
  await run(db, {
    text: `DELETE FROM journaled_requests WHERE "applicationId" IN (
      SELECT id FROM applications WHERE "ownerId" = $1 AND "deletedAt" IS NOT NULL)`,
    values: [userId],
  });
}
