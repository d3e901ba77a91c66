import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/** An import's data about a user, in the form of a row. */
export interface GivenUser {
  userId: string;
  /** The given columns; the others stay unchanged. */
  fields: string[];
  /** The letters of the given listed traits. */
  letters: string[];
  activeAt: string | null;
  country: string | null;
  language: string | null;
  gender: number | null;
  ageBucket: number | null;
  platforms: number;
  traits: string[];
  follows: string[];
}

const SCALARS = ['activeAt', 'country', 'language', 'gender', 'ageBucket', 'platforms', 'follows'];
const COLUMNS = [...SCALARS, 'traits'].map((column) => `"${column}"`);

/** The new value of a column: the given one, or the current one. */
const NEXT = SCALARS.map(
  (column) => `CASE WHEN '${column}' = ANY(n.fields) THEN n."${column}" ELSE d."${column}" END AS "${column}"`,
);

/** Listed traits of other kinds stay. The order is fixed, so that equal traits change nothing. */
const NEXT_TRAITS = `ARRAY(SELECT t FROM (SELECT unnest(n.traits) AS t
    UNION SELECT t FROM unnest(d.traits) t WHERE left(t, 1) <> ALL(n.letters)) kept ORDER BY t COLLATE "C") AS traits`;

/** Plans made on an empty directory would scan all of it for each part of a file. */
const GROWING = { large: true, planned: 'each time' } as const;

/**
 * Stores the given data of users, one row each, except deleted users. New users are active at `now` by default.
 * Unchanged rows are not written. Returns the numbers of all stored users.
 */
export const storeUsers = (
  tx: EntityManager,
  given: readonly GivenUser[],
  now: Date,
): Promise<{ userId: string; number: number; made: boolean }[]> =>
  run(
    tx,
    {
      text: `WITH given AS (SELECT * FROM json_to_recordset($1::json) AS n ("userId" varchar, fields varchar[], letters varchar[],
          "activeAt" timestamptz(3), country varchar, language varchar, gender smallint, "ageBucket" smallint, platforms smallint,
          traits varchar[], follows bigint[])),
        alive AS (SELECT u.id FROM users u WHERE u.id IN (SELECT "userId" FROM given) AND u."deletedAt" IS NULL
          ORDER BY u.id FOR KEY SHARE),
        known AS (SELECT d.number, d."userId", ${NEXT.join(', ')}, ${NEXT_TRAITS}
          FROM given n JOIN alive ON alive.id = n."userId" JOIN directory_users d ON d."userId" = n."userId"),
        changed AS (UPDATE directory_users d SET ${COLUMNS.map((column) => `${column} = k.${column}`).join(', ')}
          FROM known k WHERE d.number = k.number
            AND (${COLUMNS.map((column) => `d.${column}`).join(', ')}) IS DISTINCT FROM (${COLUMNS.map((column) => `k.${column}`).join(', ')})),
        made AS (INSERT INTO directory_users ("userId", ${COLUMNS.join(', ')})
          SELECT n."userId", ${COLUMNS.map((column) => (column === '"activeAt"' ? `COALESCE(n.${column}, $2::timestamptz)` : `n.${column}`)).join(', ')}
          FROM given n JOIN alive ON alive.id = n."userId"
          WHERE NOT EXISTS (SELECT FROM directory_users d WHERE d."userId" = n."userId") ORDER BY n."userId" RETURNING "userId", number)
      SELECT "userId", number, false AS made FROM known UNION ALL SELECT "userId", number, true FROM made`,
      values: [JSON.stringify(given), now.toISOString()],
    },
    GROWING,
  );

/** Identifiers of users, as lists of equal length. */
export interface GivenIdentifiers {
  numbers: number[];
  kinds: number[];
  /** In hexadecimal. */
  hashes: string[];
}

const GIVEN = `unnest($1::int[], $2::smallint[], $3::varchar[]) WITH ORDINALITY AS n (number, kind, hash, place)`;

/** Records identifiers as a DirectoryChange; does nothing without identifiers. */
const noted = (changed: string) =>
  `INSERT INTO directory_changes (kinds, hashes) SELECT array_agg(kind), array_agg(hash) FROM ${changed} HAVING count(*) > 0`;

/** Number of changes to keep. An audience that has missed more is matched from scratch. */
const MAX_CHANGES = 100;

/** Deletes all but the last changes. */
export const forgetChanges = (tx: EntityManager): Promise<unknown> =>
  run(tx, {
    text: `DELETE FROM directory_changes WHERE revision <= (SELECT max(revision) FROM directory_changes) - $1::int`,
    values: [MAX_CHANGES],
  });

/**
 * Deletes identifiers of users whose kinds are given completely, if these are not among the given. A separate query
 * first lists their owners: without statistics the planner prefers a join by kind, which reads all of them.
 */
export async function forgetOthers(
  tx: EntityManager,
  { numbers, kinds, hashes }: GivenIdentifiers,
  whole: { numbers: number[]; kinds: number[] },
): Promise<void> {
  if (whole.numbers.length === 0) return;
  await run(tx, {
    text: `WITH gone AS (DELETE FROM directory_identifiers i
        WHERE i.number = ANY($4::int[]) AND i.number::bigint * 8 + i.kind = ANY($5::bigint[])
          AND (i.number, i.kind, i.hash) NOT IN (SELECT n.number, n.kind, decode(n.hash, 'hex') FROM ${GIVEN}) RETURNING i.kind, i.hash)
      ${noted('gone')}`,
    values: [numbers, kinds, hashes, whole.numbers, whole.numbers.map((number, i) => number * 8 + whole.kinds[i])],
  });
}

/** Stores identifiers that nobody has. Returns the indexes of those that belong to others, with their owners. */
export async function storeIdentifiers(
  tx: EntityManager,
  { numbers, kinds, hashes }: GivenIdentifiers,
): Promise<{ place: number; username: string }[]> {
  const values = [numbers, kinds, hashes];
  const [{ stored }] = await run<{ stored: number }>(tx, {
    text: `WITH stored AS (INSERT INTO directory_identifiers (kind, hash, number)
        SELECT n.kind, decode(n.hash, 'hex'), n.number FROM ${GIVEN} ORDER BY 1, 2 ON CONFLICT DO NOTHING RETURNING kind, hash),
        noted AS (${noted('stored')})
      SELECT count(*)::int AS stored FROM stored`,
    values,
  });
  if (stored === numbers.length) return [];
  return run(
    tx,
    {
      text: `SELECT n.place::int - 1 AS place, u.username FROM ${GIVEN}
        JOIN directory_identifiers i ON i.kind = n.kind AND i.hash = decode(n.hash, 'hex')
        JOIN directory_users d ON d.number = i.number JOIN users u ON u.id = d."userId"
        WHERE i.number <> n.number ORDER BY n.place LIMIT 20`,
      values,
    },
    GROWING,
  );
}
