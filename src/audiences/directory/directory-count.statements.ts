import type { EntityManager } from 'typeorm';
import { readLong, type LongReadOptions } from '../../common/db/query/long-read.js';
import { binding, run, type Bind } from '../../common/db/query/statement.js';
import { MAX_WEIGHT } from '../privacy/reported-size.rules.js';
import type { ActiveAt } from './directory-activity.rules.js';
import type { WantedSet } from './user-set.rules.js';

/** Requests take at most five seconds. Background work may take longer. */
const COUNTING: LongReadOptions = { seconds: 3, megabytes: 64 };
const MATCHING: LongReadOptions = { seconds: 50, megabytes: 64 };

/** Directory users that must not count. They are few, so their own indexes find them first. */
const INACTIVE = (since: string) => `(
    SELECT o.number FROM directory_users o WHERE o."activeAt" < ${since}
    UNION ALL
    SELECT o.number FROM users u JOIN directory_users o ON o."userId" = u.id
    WHERE u."deletedAt" IS NOT NULL OR u."suspendedAt" IS NOT NULL)`;

/** The identifiers of an audience that count at a time. */
export const VALID = (of: string, at: string) => `${of}."effectiveAt" <= ${at} AND ${of}."expiresAt" > ${at}`;

/** When the people of an audience next change by time. */
export const CHANGES_AT = (of: string, at: string) =>
  `least(min(${of}."effectiveAt") FILTER (WHERE ${of}."effectiveAt" > ${at}), min(${of}."expiresAt") FILTER (WHERE ${of}."expiresAt" > ${at}))`;

/** The people of an audience at a time. */
export interface Counted {
  /** Number of people who belong to it. */
  valid: number;
  /** When that number next changes by time; null if it does not. */
  changesAt: string | null;
}

/** The data for protecting sizes, computed from the identifiers of an audience that are valid at a time. */
export interface Weighed {
  /** The sum of their secret weights. */
  weights: number;
  /** Identifies a set of identifiers. Without the seed nobody can create two sets with the same fingerprint. */
  fingerprint: string;
}

/** The number of active users in all groups and not in `without`. */
export async function countUsers(
  db: EntityManager,
  groups: readonly WantedSet[],
  without: WantedSet | undefined,
  { at, since }: ActiveAt,
): Promise<number> {
  const { bind, values } = binding();
  const active = `${bind(since.toISOString())}::timestamptz`;
  const conditions = [
    `d."activeAt" >= ${active}`,
    `NOT EXISTS (SELECT FROM users u WHERE u.id = d."userId" AND (u."deletedAt" IS NOT NULL OR u."suspendedAt" IS NOT NULL))`,
    ...groups.map((wanted) => anyCondition(wanted, bind, at)),
    // Unknown data does not exclude a user.
    ...(without ? [`(${anyCondition(without, bind, at)}) IS NOT TRUE`] : []),
  ];
  const text = `SELECT count(*)::int AS "count" FROM directory_users d WHERE ${conditions.join(' AND ')}`;
  const [{ count }] = await readLong<{ count: number }>(db.dataSource, { text, values }, COUNTING);
  return count;
}

/** More separate lists in one condition take longer to plan than they save. */
const MAX_SEPARATE_LOOKUPS = 32;

/**
 * The condition that a user `d` is in one of the sets. `byIndex`: queries few lists separately, which is three times as
 * fast with the indexes. A check of one row uses the other form.
 */
export function anyCondition(wanted: WantedSet, bind: Bind, at: Date, { byIndex = false } = {}): string {
  const { countries, languages, genders, ages, platforms, traits, follows, audiences, users } = wanted;
  const ways: string[] = [];
  const among = (list: readonly unknown[], type: string, condition: (given: string) => string) => {
    if (list.length > 0) ways.push(condition(`${bind(list)}::${type}[]`));
  };
  among(countries, 'varchar', (given) => `d.country = ANY(${given})`);
  among(languages, 'varchar', (given) => {
    // `en` includes `en-GB`.
    const language = 'lower(d.language COLLATE "C")';
    return `(${language} = ANY(${given}) OR split_part(${language}, '-', 1) = ANY(${given}))`;
  });
  among(genders, 'smallint', (given) => `d.gender = ANY(${given})`);
  among(ages, 'smallint', (given) => `d."ageBucket" = ANY(${given})`);
  if (platforms !== 0) ways.push(`d.platforms & ${bind(platforms)}::smallint <> 0`);
  const overlapping = (column: string, list: readonly string[], type: string) => {
    const lists = byIndex && list.length <= MAX_SEPARATE_LOOKUPS ? list.map((value) => [value]) : [list];
    for (const each of lists) among(each, type, (given) => `d.${column} && ${given}`);
  };
  overlapping('traits', traits, 'varchar');
  overlapping('follows', follows, 'bigint');
  among(users, 'varchar', (given) => `d."userId" = ANY(${given})`);
  among(audiences, 'varchar', (given) => {
    const now = `${bind(at.toISOString())}::timestamptz`;
    return `d.number IN (SELECT i.number FROM audience_identifiers a JOIN directory_identifiers i ON i.kind = a.kind AND i.hash = a.hash
      WHERE a."audienceId" = ANY(${given}) AND ${VALID('a', now)})`;
  });
  return ways.length > 0 ? `(${ways.join(' OR ')})` : 'false';
}

/** The distinct directory users that do not count: `number`. */
export const inactiveUsers = ({ since }: ActiveAt, bind: Bind): string =>
  `SELECT DISTINCT number FROM ${INACTIVE(`${bind(since.toISOString())}::timestamptz`)} inactive`;

/** Weights and fingerprint of the identifiers `a` of a statement. */
function weighed(seed: string, valid: string, bind: Bind): string {
  const hash = `hash_record_extended(ROW(a.kind, a.hash), ${bind(seed)}::bigint)`;
  return `coalesce(sum((${hash} & 4294967295) % ${2 * MAX_WEIGHT + 1} - ${MAX_WEIGHT}) FILTER (WHERE ${valid}), 0)::int AS weights,
      coalesce(bit_xor(${hash}) FILTER (WHERE ${valid}), 0)::text AS fingerprint`;
}

/**
 * Counts the people of an audience at a time who are active users by any identifier, as far as they are matched. With a
 * `seed` it also weighs all identifiers.
 */
export async function countMatchedPeople(
  db: EntityManager,
  audienceId: string,
  active: ActiveAt,
  seed?: string,
): Promise<Counted & Partial<Weighed>> {
  const { bind, values } = binding();
  const at = `${bind(active.at.toISOString())}::timestamptz`;
  const all = `a."audienceId" = ${bind(audienceId)}`;
  const people = `${all} AND a.first`;
  const inactive = inactiveUsers(active, bind);
  // Nearly every person is one user. The few that are several users are checked one by one. Only first rows have users.
  const counts = `SELECT count(*) FILTER (WHERE ${VALID('a', at)} AND a.users IS NOT NULL AND o.number IS NULL)::int AS valid,
      count(*) FILTER (WHERE ${VALID('a', at)} AND a.users[2] IS NOT NULL AND o.number IS NOT NULL)::int AS several, ${CHANGES_AT('a', at)} AS "changesAt"`;
  const from = `FROM audience_identifiers a LEFT JOIN (${inactive}) o ON o.number = a.users[1]`;
  const ownValues = [...values];
  const text =
    seed === undefined
      ? `${counts} ${from} WHERE ${people}`
      : `${counts}, ${weighed(seed, VALID('a', at), bind)} ${from} WHERE ${all}`;
  const [{ several, ...counted }] = await readLong<Counted & Partial<Weighed> & { several: number }>(
    db.dataSource,
    { text, values },
    MATCHING,
  );
  if (several === 0) return counted;
  const others = `WITH inactive AS MATERIALIZED (${inactive})
    SELECT count(DISTINCT a.person)::int AS "count" FROM audience_identifiers a, unnest(a.users) u (number)
    WHERE ${people} AND ${VALID('a', at)} AND a.users[2] IS NOT NULL AND a.users[1] IN (SELECT number FROM inactive)
      AND NOT EXISTS (SELECT FROM inactive o WHERE o.number = u.number)`;
  const [{ count }] = await readLong<{ count: number }>(db.dataSource, { text: others, values: ownValues }, MATCHING);
  return { ...counted, valid: counted.valid + count };
}

/** Number of followers, and of other users, that determine what is typical. */
const FOLLOWERS = 1_000;
const MAX_TYPICAL = 10;

/**
 * The users that followers of these also follow, at least twice as often as people in general: most followed first, at
 * most ten by default. The first users of the sample represent people in general, because its order is unrelated to
 * them.
 */
export async function typicalFollows(
  db: EntityManager,
  seeds: readonly string[],
  max = MAX_TYPICAL,
): Promise<string[]> {
  const text = `WITH followers AS (SELECT d.follows FROM directory_users d WHERE d.follows && $1::bigint[] LIMIT ${FOLLOWERS}),
      followed AS (SELECT f, count(*)::float8 / (SELECT count(*) FROM followers) AS share FROM followers, unnest(follows) f
        WHERE f <> ALL($1::bigint[]) GROUP BY f HAVING count(*) >= 2 ORDER BY count(*) DESC, f LIMIT 500),
      others AS (SELECT s.follows FROM directory_sample s ORDER BY s.key, s.number LIMIT ${FOLLOWERS}),
      general AS (SELECT f, count(*)::float8 / (SELECT count(*) FROM others) AS share FROM others, unnest(follows) f
        WHERE f IN (SELECT f FROM followed) GROUP BY f)
    SELECT followed.f::varchar AS id FROM followed LEFT JOIN general USING (f)
    WHERE followed.share >= 2 * COALESCE(general.share, 0) ORDER BY followed.share DESC, f LIMIT $2`;
  const found = await readLong<{ id: string }>(
    db.dataSource,
    { text, values: [seeds, max] },
    { ...COUNTING, byIndex: true },
  );
  return found.map(({ id }) => id);
}

/** The number of identifiers of each kind of a user. */
export const identifierCounts = (db: EntityManager, number: number): Promise<{ kind: number; count: number }[]> =>
  run(db, {
    text: `SELECT kind, count(*)::int AS "count" FROM directory_identifiers WHERE number = $1 GROUP BY kind ORDER BY kind`,
    values: [number],
  });
