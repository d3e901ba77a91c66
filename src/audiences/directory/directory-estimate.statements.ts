import type { EntityManager } from 'typeorm';
import { readLong, type LongReadOptions } from '../../common/db/query/long-read.js';
import { binding, type Bind } from '../../common/db/query/statement.js';
import { IDENTIFIER_KINDS } from '../entities/audience-identifier.entity.js';
import type { ActiveAt } from './directory-activity.rules.js';
import { anyCondition, VALID } from './directory-count.statements.js';
import { KEY } from './directory-sample.statements.js';
import { belongsToAny, type AskedAudience } from './user-memberships.statements.js';
import type { WantedSet } from './user-set.rules.js';

/** Requests take at most five seconds, and other statements may precede this one. */
const ESTIMATING: LongReadOptions = { seconds: 2, megabytes: 64, byIndex: true };

/** The users to estimate. Sets within one field are alternatives, except in `all`. */
export interface AskedSets {
  /** The primary sets without audiences; undefined if there are none. */
  any: WantedSet | 'everybody' | undefined;
  /** Alternative primary audiences. */
  audiences: readonly AskedAudience[];
  all: readonly WantedSet[];
  none: WantedSet | undefined;
  /** Audiences whose people do not count. */
  excluded: readonly AskedAudience[];
  active: ActiveAt;
}

/** The number of users found by directory data. */
export interface EstimateCounts {
  /** Users in the primary sets, before other conditions. */
  candidates: number;
  /** Those who meet all conditions except the excluded audiences, which are not checked. */
  users: number;
  /** The number of randomly chosen users that were checked, and of those in no excluded audience. */
  asked: number;
  left: number;
}

/** Maximum number of users checked for audience membership. Their share is accurate to one or two percent of all. */
const MAX_ASKED = 1_000;
/** Maximum number of key lookups in a table for that. */
const MAX_LOOKUPS = 12_000;
/** Approximate number of identifiers of a user. */
const IDENTIFIERS = 4;

/** Counts users of the sample, or of the whole directory, in the primary sets without audiences. */
export async function countFound(
  db: EntityManager,
  of: 'sample' | 'directory',
  asked: AskedSets,
): Promise<EstimateCounts> {
  const { any, excluded, active } = asked;
  if (!any) return { candidates: 0, users: 0, asked: 0, left: 0 };
  const { bind, values } = binding();
  const [table, key] = of === 'sample' ? ['directory_sample', 'd.key'] : ['directory_users', KEY];
  const primary = any === 'everybody' ? 'true' : anyCondition(any, bind, active.at, { byIndex: true });
  const rest = [...othersHold(asked, bind), isActive(table, asked, bind)];
  const leaves = excluded.reduce((sum, { madeOf }) => sum + madeOf.length, 0);
  const max = Math.ceil(Math.min(MAX_ASKED, MAX_LOOKUPS / (IDENTIFIERS * Math.max(1, leaves))));
  const counts = 'count(*)::int AS candidates, count(*) FILTER (WHERE d.holds)::int AS users';
  const found = `SELECT ${excluded.length === 0 ? '' : `d.number, ${key} AS key, `}${rest.join(' AND ')} AS holds
      FROM ${table} d WHERE ${primary} OFFSET 0`;
  const text =
    excluded.length === 0
      ? `SELECT ${counts}, 0 AS asked, 0 AS left FROM (${found}) d`
      : `WITH found AS MATERIALIZED (SELECT ${counts},
            (array_agg(d.number ORDER BY d.key) FILTER (WHERE d.holds))[1:${max}] AS asked FROM (${found}) d)
        SELECT candidates, users, COALESCE(cardinality(asked), 0) AS asked,
          (SELECT count(*) FROM unnest(asked) AS d (number) WHERE NOT ${belongsToAny(excluded, bind, active.at)})::int AS left
        FROM found`;
  const [counted] = await readLong<EstimateCounts>(db.dataSource, { text, values }, ESTIMATING);
  return counted;
}

/** The approximate number of users found by audiences. */
export interface Matched {
  users: number;
  /** The largest change that one person causes. A sampled user represents others. */
  each: number;
}

/** Number of identifiers to draw from large audiences, over all audiences and kinds. */
const MAX_DRAWN = 3_000;
/** Number of users for whom it checks how many other identifiers might have been drawn. */
const MAX_WEIGHTED = 500;
/** Greater than every hash. */
const END = `'\\x${'ff'.repeat(33)}'::bytea`;
/** The number of values of the first six bytes of a hash. */
const SPACE = 2 ** 48;

/**
 * The approximate number of users in one of the audiences and in none of the other primary sets. Hashes are evenly
 * distributed, so those below a limit are a fair sample of an audience, and adjacent in its key. The limit is the
 * smallest one that yields enough hashes. Without one, all are read and the number is exact. A user with several
 * identifiers in the audiences can be drawn by each of them, and counts proportionally less.
 */
export async function estimateMatched(db: EntityManager, asked: AskedSets): Promise<Matched> {
  const { any, audiences, excluded, active } = asked;
  const madeOf = [...new Set(audiences.flatMap((each) => each.madeOf))];
  if (madeOf.length === 0 || any === 'everybody') return { users: 0, each: 1 };
  const { bind, values } = binding();
  const ids = `${bind(madeOf)}::varchar[]`;
  const at = `${bind(active.at.toISOString())}::timestamptz`;
  const others = madeOf.length - 1 + excluded.reduce((sum, each) => sum + each.madeOf.length, 0);
  const max = `${bind(Math.ceil(MAX_DRAWN / (1 + others / 3)))}::int`;
  const conditions = [
    ...(any ? [`(${anyCondition(any, bind, active.at)}) IS NOT TRUE`] : []),
    ...othersHold(asked, bind),
    isActiveUser(asked, bind),
    ...(audiences.some(({ segments }) => segments) ? [belongsToAny(audiences, bind, active.at)] : []),
    ...(excluded.length > 0 ? [`NOT ${belongsToAny(excluded, bind, active.at)}`] : []),
  ];
  // Each step looks up by key what the previous one found. OFFSET and LIMIT prevent the planner from joining whole
  // tables.
  const text = `WITH parts AS MATERIALIZED (SELECT l.id, k.kind::smallint AS kind, count(*) OVER () AS parts
        FROM unnest(${ids}) l (id), generate_series(0, ${IDENTIFIER_KINDS.length - 1}) k (kind), LATERAL (
          SELECT 1 FROM audience_identifiers a WHERE a."audienceId" = l.id AND a.kind = k.kind::smallint LIMIT 1) one),
      edge AS MATERIALIZED (SELECT substr(e.hash, 1, 6) AS hash FROM parts p, LATERAL (
          SELECT a.hash FROM audience_identifiers a WHERE a."audienceId" = p.id AND a.kind = p.kind
          ORDER BY a.hash OFFSET ${max} / p.parts LIMIT 1) e
        ORDER BY 1 LIMIT 1),
      drawn AS MATERIALIZED (SELECT DISTINCT a.kind, a.hash FROM parts p, LATERAL (
          SELECT a.kind, a.hash FROM audience_identifiers a WHERE a."audienceId" = p.id AND a.kind = p.kind
            AND a.hash < COALESCE((SELECT hash FROM edge), ${END}) AND ${VALID('a', at)}
          ORDER BY a.hash LIMIT ${max} + 1) a),
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
  // Hashes that all begin with zeros are artificial. They say nothing about hashes that were not drawn.
  const inverse = 1 / (share || 1);
  return { users: matched * weight * inverse, each: inverse * (weight < 1 ? Math.max(1, matched / MAX_WEIGHTED) : 1) };
}

/**
 * The other conditions on a user `d` from directory data. Numbers come first, because they are faster to compare than
 * texts.
 */
const othersHold = ({ all, none, active }: AskedSets, bind: Bind): string[] => [
  ...all.toSorted((one, other) => textsIn(one) - textsIn(other)).map((wanted) => anyCondition(wanted, bind, active.at)),
  // Unknown data does not exclude a user.
  ...(none ? [`(${anyCondition(none, bind, active.at)}) IS NOT TRUE`] : []),
];

/** The relative cost of checking a row; the number has no other meaning. */
const textsIn = ({ countries, languages, traits, follows }: WantedSet): number =>
  Math.sign(countries.length) + 2 * Math.sign(languages.length) + traits.length * 4 + follows.length * 4;

/** For many users: looks up the few inactive ones once. */
const isActive = (table: string, { active }: AskedSets, bind: Bind): string =>
  `d."activeAt" >= ${bind(active.since.toISOString())}::timestamptz AND d."userId" NOT IN (
    SELECT u.id FROM users u JOIN ${table} o ON o."userId" = u.id WHERE u."deletedAt" IS NOT NULL OR u."suspendedAt" IS NOT NULL)`;

/** For few users. */
const isActiveUser = ({ active }: AskedSets, bind: Bind): string =>
  `d."activeAt" >= ${bind(active.since.toISOString())}::timestamptz AND NOT (
    SELECT u."deletedAt" IS NOT NULL OR u."suspendedAt" IS NOT NULL FROM users u WHERE u.id = d."userId")`;
