import type { EntityManager } from 'typeorm';
import { readLong, type Generosity } from '../../common/db/query/long-read.js';
import { run, type Bind } from '../../common/db/query/statement.js';
import type { Wanted } from './user-set.rules.js';

/** When somebody is asked for, and since when they have to have been active. */
export interface ActiveAt {
  at: Date;
  since: Date;
}

/** Requests are answered within five seconds; what works in the background may take longer. */
const COUNTING: Generosity = { seconds: 3, megabytes: 64 };
const MATCHING: Generosity = { seconds: 50, megabytes: 64 };

/** Who must not be counted although they are in the directory: few, so that they are found first, by their own indexes. */
const INACTIVE = (since: string) => `(
    SELECT o.number FROM directory_users o WHERE o."activeAt" < ${since}
    UNION ALL
    SELECT o.number FROM users u JOIN directory_users o ON o."userId" = u.id
    WHERE u."deletedAt" IS NOT NULL OR u."suspendedAt" IS NOT NULL)`;

/** The identifiers of an audience that count at a time. */
const VALID = (at: string) => `a."effectiveAt" <= ${at} AND a."expiresAt" > ${at}`;

/** How many active users are in all of the groups, and not in `without`. */
export async function countUsers(
  db: EntityManager,
  groups: readonly Wanted[],
  without: Wanted | undefined,
  { at, since }: ActiveAt,
): Promise<number> {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const active = `${bind(since.toISOString())}::timestamptz`;
  const conditions = [
    `d."activeAt" >= ${active}`,
    `NOT EXISTS (SELECT FROM users u WHERE u.id = d."userId" AND (u."deletedAt" IS NOT NULL OR u."suspendedAt" IS NOT NULL))`,
    ...groups.map((wanted) => anyOf(wanted, bind, at)),
    // what is not known of somebody does not keep them out
    ...(without ? [`(${anyOf(without, bind, at)}) IS NOT TRUE`] : []),
  ];
  const text = `SELECT count(*)::int AS "count" FROM directory_users d WHERE ${conditions.join(' AND ')}`;
  const [{ count }] = await readLong<{ count: number }>(db.dataSource, { text, values }, COUNTING);
  return count;
}

function anyOf(wanted: Wanted, bind: Bind, at: Date): string {
  const { countries, languages, genders, ages, platforms, traits, follows, audiences, users } = wanted;
  const ways: string[] = [];
  const among = (list: readonly unknown[], type: string, condition: (given: string) => string) => {
    if (list.length > 0) ways.push(condition(`${bind(list)}::${type}[]`));
  };
  among(countries, 'varchar', (given) => `d.country = ANY(${given})`);
  among(languages, 'varchar', (given) => {
    // `en` takes in `en-GB`
    return `(lower(d.language) = ANY(${given}) OR lower(split_part(d.language, '-', 1)) = ANY(${given}))`;
  });
  among(genders, 'smallint', (given) => `d.gender = ANY(${given})`);
  among(ages, 'smallint', (given) => `d."ageBucket" = ANY(${given})`);
  if (platforms !== 0) ways.push(`d.platforms & ${bind(platforms)}::smallint <> 0`);
  among(traits, 'varchar', (given) => `d.traits && ${given}`);
  among(follows, 'bigint', (given) => `d.follows && ${given}`);
  among(users, 'varchar', (given) => `d."userId" = ANY(${given})`);
  among(audiences, 'varchar', (given) => {
    const now = `${bind(at.toISOString())}::timestamptz`;
    return `d.number IN (SELECT i.number FROM audience_identifiers a JOIN directory_identifiers i ON i.kind = a.kind AND i.hash = a.hash
      WHERE a."audienceId" = ANY(${given}) AND ${VALID(now)})`;
  });
  return ways.length > 0 ? `(${ways.join(' OR ')})` : 'false';
}

/** How many distinct persons of an audience, valid at a time, have an identifier of an active user. */
export async function countMatchedPersons(
  db: EntityManager,
  audienceId: string,
  { at, since }: ActiveAt,
): Promise<number> {
  const text = `SELECT count(*)::int AS "count" FROM (
      SELECT a.person FROM audience_identifiers a JOIN directory_identifiers i ON i.kind = a.kind AND i.hash = a.hash
      WHERE a."audienceId" = $1 AND ${VALID('$2::timestamptz')}
        AND NOT EXISTS (SELECT FROM ${INACTIVE('$3::timestamptz')} o WHERE o.number = i.number)
      GROUP BY a.person) matched`;
  const values = [audienceId, at.toISOString(), since.toISOString()];
  const [{ count }] = await readLong<{ count: number }>(db.dataSource, { text, values }, MATCHING);
  return count;
}

/** The people of an audience who are active users by any of their identifiers, as `PersonsOf` wants them. */
export function matchedUsers(bind: Bind, audience: string, { since }: ActiveAt): string {
  return `SELECT i.number::bigint AS person, a."effectiveAt", a."expiresAt", a."lastDay", a.updates, a.earlier
    FROM audience_identifiers a JOIN directory_identifiers i ON i.kind = a.kind AND i.hash = a.hash
    WHERE a."audienceId" = ${audience} AND NOT EXISTS (
      SELECT FROM ${INACTIVE(`${bind(since.toISOString())}::timestamptz`)} o WHERE o.number = i.number)`;
}

/** So many followers, and so many users beside them, tell what is typical. */
const SAMPLE = 10_000;
const MOST_TYPICAL = 10;

/**
 * The users that followers of these also follow, and at least twice as often as people in general do: at most ten, the
 * most followed first. Numbers of the directory are given in the order of joining, so every n-th is a fair sample.
 */
export async function typicalFollows(db: EntityManager, seeds: readonly string[]): Promise<string[]> {
  const text = `WITH followers AS (SELECT d.follows FROM directory_users d WHERE d.follows && $1::bigint[] LIMIT ${SAMPLE}),
      followed AS (SELECT f, count(*)::float8 / (SELECT count(*) FROM followers) AS share FROM followers, unnest(follows) f
        WHERE f <> ALL($1::bigint[]) GROUP BY f HAVING count(*) >= 2 ORDER BY count(*) DESC, f LIMIT 500),
      others AS (SELECT d.follows FROM directory_users d
        WHERE d.number % (SELECT GREATEST(1, max(number) / ${SAMPLE}) FROM directory_users) = 0),
      general AS (SELECT f, count(*)::float8 / (SELECT count(*) FROM others) AS share FROM others, unnest(follows) f
        WHERE f IN (SELECT f FROM followed) GROUP BY f)
    SELECT followed.f::varchar AS id FROM followed LEFT JOIN general USING (f)
    WHERE followed.share >= 2 * COALESCE(general.share, 0) ORDER BY followed.share DESC, f LIMIT ${MOST_TYPICAL}`;
  const found = await readLong<{ id: string }>(db.dataSource, { text, values: [seeds] }, COUNTING);
  return found.map(({ id }) => id);
}

/** How many identifiers of each kind a user is known by. */
export const identifierCounts = (db: EntityManager, number: number): Promise<{ kind: number; count: number }[]> =>
  run(db, {
    text: `SELECT kind, count(*)::int AS "count" FROM directory_identifiers WHERE number = $1 GROUP BY kind ORDER BY kind`,
    values: [number],
  });
