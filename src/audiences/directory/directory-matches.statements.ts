import type { EntityManager } from 'typeorm';
import { inTransactionFor, run } from '../../common/db/query/statement.js';

/** The directory user of a row with kind and hash. As a subquery it uses the index whatever the plan of the rest. */
export const matchingUsersOf = (row: string): string =>
  `directory_identifiers i WHERE i.kind = ${row}.kind AND i.hash = ${row}.hash`;

/** The last DirectoryChange; 0 before the first. Changes are committed in order, so all earlier ones exist. */
export const LATEST_CHANGE = `(SELECT coalesce(max(revision), 0) FROM directory_changes)`;

/** The change up to which an audience is matched, and the changes since. */
interface Progress {
  /** Null if it has missed deleted changes or was never matched. */
  matchedTo: number | null;
  latest: number;
  missed: number[];
}

/** A key of audience_identifiers within an audience; the hash is in hexadecimal. */
interface Position {
  kind: number;
  hash: string;
}

/** Number of rows per transaction. Uploads to the audience wait for it. */
const ROWS_AT_ONCE = 10_000;

/**
 * Matches the people of an audience with the current directory. Returns the DirectoryChange up to which they are
 * matched. Uploads match the people they store, so only people with identifiers that users gained or lost since remain.
 * An audience that missed too many changes, or was stored before matching existed, is matched person by person.
 */
export async function matchPeople(db: EntityManager, audienceId: string): Promise<number> {
  const progress = await progressOf(db, audienceId);
  if (!progress) return 0;
  const { matchedTo, latest, missed } = progress;
  if (matchedTo !== null && (await matchMissed(db, audienceId, missed))) return latest;
  for (let last: Position | undefined = { kind: -1, hash: '' }; last;)
    last = await matchNext(db, audienceId, last, latest);
  return latest;
}

/** Whether all changes still existed. */
async function matchMissed(db: EntityManager, audienceId: string, missed: readonly number[]): Promise<boolean> {
  for (const revision of missed) if (!(await matchChanged(db, audienceId, revision))) return false;
  return true;
}

async function progressOf(db: EntityManager, audienceId: string): Promise<Progress | undefined> {
  const [progress] = await run<Progress>(db, {
    text: `SELECT CASE WHEN s."matchedTo" >= coalesce((SELECT min(revision) FROM directory_changes) - 1, 0) THEN s."matchedTo" END AS "matchedTo",
        ${LATEST_CHANGE} AS latest,
        ARRAY(SELECT revision FROM directory_changes c WHERE c.revision > s."matchedTo" ORDER BY revision) AS missed
      FROM audience_sizings s WHERE s."audienceId" = $1`,
    values: [audienceId],
  });
  return progress;
}

/** Blocks uploads to the audience until the end of the transaction. */
const lock = (tx: EntityManager, audienceId: string) =>
  run(tx, { text: `SELECT FROM audience_sizings WHERE "audienceId" = $1 FOR NO KEY UPDATE`, values: [audienceId] });

/** Stores the users of the persons whose first rows are `persons` (kind, hash, person, tied). */
const MATCHED = `UPDATE audience_identifiers f SET users = m.users FROM (
    SELECT p.kind, p.hash, CASE WHEN NOT p.tied THEN (SELECT ARRAY[number] FROM ${matchingUsersOf('p')})
      ELSE (SELECT array_agg(DISTINCT number ORDER BY number) FROM (SELECT (SELECT number FROM ${matchingUsersOf('r')}) AS number
        FROM audience_identifiers r WHERE r."audienceId" = $1 AND r.person = p.person AND r.tied OFFSET 0) r WHERE number IS NOT NULL) END AS users
    FROM persons p OFFSET 0) m
  WHERE f."audienceId" = $1 AND f.kind = m.kind AND f.hash = m.hash AND f.users IS DISTINCT FROM m.users`;

/** Matches people with a changed identifier; false if the change was deleted meanwhile. */
const matchChanged = (db: EntityManager, audienceId: string, revision: number): Promise<boolean> =>
  inTransactionFor(db, audienceId, async (tx) => {
    await lock(tx, audienceId);
    const moved = await run(tx, {
      text: `WITH changed AS MATERIALIZED (SELECT a.* FROM directory_changes c, unnest(c.kinds, c.hashes) AS n (kind, hash),
          LATERAL (SELECT a.kind, a.hash, a.person, a.tied FROM audience_identifiers a
            WHERE a."audienceId" = $1 AND a.kind = n.kind AND a.hash = n.hash OFFSET 0) a
          WHERE c.revision = $2),
        persons AS MATERIALIZED (SELECT * FROM changed WHERE NOT tied
          UNION ALL SELECT f.* FROM (SELECT DISTINCT person FROM changed WHERE tied) t,
            LATERAL (SELECT f.kind, f.hash, f.person, f.tied FROM audience_identifiers f
              WHERE f."audienceId" = $1 AND f.person = t.person AND f.tied AND f.first OFFSET 0) f),
        matched AS (${MATCHED})
        UPDATE audience_sizings SET "matchedTo" = $2
        WHERE "audienceId" = $1 AND EXISTS (SELECT FROM directory_changes WHERE revision = $2) RETURNING "matchedTo"`,
      values: [audienceId, revision],
    });
    return moved.length > 0;
  });

/**
 * Matches the people of the next first rows after a position, and returns the new position; undefined after the last.
 */
const matchNext = (
  db: EntityManager,
  audienceId: string,
  { kind, hash }: Position,
  latest: number,
): Promise<Position | undefined> =>
  inTransactionFor(db, audienceId, async (tx) => {
    await lock(tx, audienceId);
    const [last] = await run<Position>(tx, {
      text: `WITH next AS MATERIALIZED (SELECT a.kind, a.hash, a.person, a.tied, a.first FROM audience_identifiers a
          WHERE a."audienceId" = $1 AND (a.kind, a.hash) > ($2::smallint, decode($3, 'hex')) ORDER BY a.kind, a.hash LIMIT ${ROWS_AT_ONCE}),
        persons AS MATERIALIZED (SELECT kind, hash, person, tied FROM next WHERE first),
        matched AS (${MATCHED})
        SELECT kind, encode(hash, 'hex') AS hash FROM next ORDER BY kind DESC, next.hash DESC LIMIT 1`,
      values: [audienceId, kind, hash],
    });
    if (!last)
      await run(tx, {
        text: `UPDATE audience_sizings SET "matchedTo" = $2 WHERE "audienceId" = $1`,
        values: [audienceId, latest],
      });
    return last;
  });
