import type { EntityManager } from 'typeorm';
import { readLong, type LongReadOptions } from '../../common/db/query/long-read.js';
import { binding, type Bind } from '../../common/db/query/statement.js';
import { IDENTIFIER_KINDS } from '../entities/audience-identifier.entity.js';
import { anyOf, VALID, type ActiveAt } from './directory-count.statements.js';
import { KEY } from './directory-sample.statements.js';
import { belongsToAny, type AskedAudience } from './user-memberships.statements.js';
import type { Wanted } from './user-set.rules.js';

/** Requests are answered within five seconds, and other statements may go before this one. */
const ESTIMATING: LongReadOptions = { seconds: 2, megabytes: 64, byIndex: true };

/** Who is estimated; sets within one are alternatives, those of `all` are not. */
export interface Asked {
  /** The primary ones, but for audiences; undefined where there are none. */
  any: Wanted | undefined;
  /** One of them is enough, too. */
  audiences: readonly AskedAudience[];
  all: readonly Wanted[];
  none: Wanted | undefined;
  /** Whose people do not count. */
  excluded: readonly AskedAudience[];
  active: ActiveAt;
}

/** How many users were found by what the directory knows of them. */
export interface Found {
  /** Who is in the primary sets, whatever else holds for them. */
  candidates: number;
  /** Those of them for whom all holds but that they may be in an excluded audience. */
  users: number;
  /** How many of these it was asked of, by chance, and how many of those are in none. */
  asked: number;
  left: number;
}

/** As many users are asked whether they are in an audience: a share of them, which is told to one or two percent of all. */
const MAX_ASKED = 1_000;
/** As many times a table is asked by key for it. */
const MAX_LOOKUPS = 12_000;
/** A user is known by about so many identifiers. */
const IDENTIFIERS = 4;

/** Counts users of the sample, or of the whole directory, in the primary sets that are no audiences. */
export async function countFound(db: EntityManager, of: 'sample' | 'directory', asked: Asked): Promise<Found> {
  const { any, excluded, active } = asked;
  if (!any) return { candidates: 0, users: 0, asked: 0, left: 0 };
  const { bind, values } = binding();
  const [table, key] = of === 'sample' ? ['directory_sample', 'd.key'] : ['directory_users', KEY];
  const primary = anyOf(any, bind, active.at, { byIndex: true });
  const rest = [...othersHold(asked, bind), isActive(table, asked, bind)];
  const leaves = excluded.reduce((sum, { madeOf }) => sum + madeOf.length, 0);
  const most = Math.ceil(Math.min(MAX_ASKED, MAX_LOOKUPS / (IDENTIFIERS * Math.max(1, leaves))));
  const counts = 'count(*)::int AS candidates, count(*) FILTER (WHERE d.holds)::int AS users';
  const found = `SELECT ${excluded.length === 0 ? '' : `d.number, ${key} AS key, `}${rest.join(' AND ')} AS holds
      FROM ${table} d WHERE ${primary} OFFSET 0`;
  const text =
    excluded.length === 0
      ? `SELECT ${counts}, 0 AS asked, 0 AS left FROM (${found}) d`
      : `WITH found AS MATERIALIZED (SELECT ${counts},
            (array_agg(d.number ORDER BY d.key) FILTER (WHERE d.holds))[1:${most}] AS asked FROM (${found}) d)
        SELECT candidates, users, COALESCE(cardinality(asked), 0) AS asked,
          (SELECT count(*) FROM unnest(asked) AS d (number) WHERE NOT ${belongsToAny(excluded, bind, active.at)})::int AS left
        FROM found`;
  const [counted] = await readLong<Found>(db.dataSource, { text, values }, ESTIMATING);
  return counted;
}

/** About how many users were found by audiences. */
export interface Matched {
  users: number;
  /** By how much one person can change that: one of those who were drawn stands for others. */
  each: number;
}

/** How many identifiers of audiences are drawn where they are many, of all audiences and kinds together. */
const MAX_DRAWN = 3_000;
/** Of so many users it is asked how many other identifiers of theirs might have been drawn. */
const MAX_WEIGHTED = 500;
/** What no hash comes after. */
const END = `'\\x${'ff'.repeat(33)}'::bytea`;
/** The fraction that the first six bytes of a hash are of all. */
const SPACE = 2 ** 48;

/**
 * About how many users are in one of the audiences, and in none of the other primary sets. Hashes come as by chance, so
 * those below some value are a fair sample of an audience, and lie together in its key. The value is the least one at which
 * there are enough of them; where there is none all are looked at, and the number is exact. A user with several identifiers
 * in the audiences is drawn by any of them, and counts for as much less each time.
 */
export async function estimateMatched(db: EntityManager, asked: Asked): Promise<Matched> {
  const { any, audiences, excluded, active } = asked;
  const madeOf = [...new Set(audiences.flatMap((each) => each.madeOf))];
  if (madeOf.length === 0) return { users: 0, each: 1 };
  const { bind, values } = binding();
  const ids = `${bind(madeOf)}::varchar[]`;
  const at = `${bind(active.at.toISOString())}::timestamptz`;
  const others = madeOf.length - 1 + excluded.reduce((sum, each) => sum + each.madeOf.length, 0);
  const most = `${bind(Math.ceil(MAX_DRAWN / (1 + others / 3)))}::int`;
  const conditions = [
    ...(any ? [`(${anyOf(any, bind, active.at)}) IS NOT TRUE`] : []),
    ...othersHold(asked, bind),
    isActiveUser(asked, bind),
    ...(audiences.some(({ segments }) => segments) ? [belongsToAny(audiences, bind, active.at)] : []),
    ...(excluded.length > 0 ? [`NOT ${belongsToAny(excluded, bind, active.at)}`] : []),
  ];
  // each step asks by key what the one before has found: OFFSET and LIMIT keep the planner from joining whole tables
  const text = `WITH parts AS MATERIALIZED (SELECT l.id, k.kind::smallint AS kind, count(*) OVER () AS parts
        FROM unnest(${ids}) l (id), generate_series(0, ${IDENTIFIER_KINDS.length - 1}) k (kind), LATERAL (
          SELECT 1 FROM audience_identifiers a WHERE a."audienceId" = l.id AND a.kind = k.kind::smallint LIMIT 1) one),
      edge AS MATERIALIZED (SELECT substr(e.hash, 1, 6) AS hash FROM parts p, LATERAL (
          SELECT a.hash FROM audience_identifiers a WHERE a."audienceId" = p.id AND a.kind = p.kind
          ORDER BY a.hash OFFSET ${most} / p.parts LIMIT 1) e
        ORDER BY 1 LIMIT 1),
      drawn AS MATERIALIZED (SELECT DISTINCT a.kind, a.hash FROM parts p, LATERAL (
          SELECT a.kind, a.hash FROM audience_identifiers a WHERE a."audienceId" = p.id AND a.kind = p.kind
            AND a.hash < COALESCE((SELECT hash FROM edge), ${END}) AND ${VALID('a', at)}
          ORDER BY a.hash LIMIT ${most} + 1) a),
      matched AS MATERIALIZED (SELECT d.number, n.hash FROM drawn n,
        LATERAL (SELECT i.number FROM directory_identifiers i WHERE i.kind = n.kind AND i.hash = n.hash OFFSET 0) i,
        LATERAL (SELECT u.* FROM directory_users u WHERE u.number = i.number OFFSET 0) d
        WHERE ${conditions.join(' AND ')}),
      weighed AS (SELECT 1 / (SELECT count(*) FROM directory_identifiers o, LATERAL (
            SELECT 1 FROM audience_identifiers a WHERE a."audienceId" = ANY(${ids}) AND a.kind = o.kind AND a.hash = o.hash
              AND ${VALID('a', at)} LIMIT 1) a
          WHERE o.number = m.number)::float8 AS weight
        FROM (SELECT number FROM matched ORDER BY hash LIMIT ${MAX_WEIGHTED}) m)
    SELECT (SELECT count(*) FROM matched)::float8 AS matched, COALESCE((SELECT avg(weight) FROM weighed), 0) AS weight,
      (SELECT ('x' || encode(hash, 'hex'))::bit(48)::bigint FROM edge)::float8 / ${SPACE} AS share`;
  const [{ matched, weight, share }] = await readLong<{ matched: number; weight: number; share: number | null }>(
    db.dataSource,
    { text, values },
    ESTIMATING,
  );
  // hashes that all begin with zeros are made up; there is nothing to be told of those that were not drawn
  const inverse = 1 / (share || 1);
  return { users: matched * weight * inverse, each: inverse * (weight < 1 ? Math.max(1, matched / MAX_WEIGHTED) : 1) };
}

/** What has to hold of a user `d` besides, of what the directory knows: numbers first, which are quicker to ask than texts. */
const othersHold = ({ all, none, active }: Asked, bind: Bind): string[] => [
  ...all.toSorted((one, other) => textsIn(one) - textsIn(other)).map((wanted) => anyOf(wanted, bind, active.at)),
  // what is not known of somebody does not keep them out
  ...(none ? [`(${anyOf(none, bind, active.at)}) IS NOT TRUE`] : []),
];

/** How dear it is to ask a row, as a number that means nothing else. */
const textsIn = ({ countries, languages, traits, follows }: Wanted): number =>
  Math.sign(countries.length) + 2 * Math.sign(languages.length) + traits.length * 4 + follows.length * 4;

/** Of many users: those who are gone are looked up once, and are few. */
const isActive = (table: string, { active }: Asked, bind: Bind): string =>
  `d."activeAt" >= ${bind(active.since.toISOString())}::timestamptz AND d."userId" NOT IN (
    SELECT u.id FROM users u JOIN ${table} o ON o."userId" = u.id WHERE u."deletedAt" IS NOT NULL OR u."suspendedAt" IS NOT NULL)`;

/** Of few. */
const isActiveUser = ({ active }: Asked, bind: Bind): string =>
  `d."activeAt" >= ${bind(active.since.toISOString())}::timestamptz AND NOT (
    SELECT u."deletedAt" IS NOT NULL OR u."suspendedAt" IS NOT NULL FROM users u WHERE u.id = d."userId")`;
