import type { EntityManager } from 'typeorm';
import { readLong } from '../../common/db/query/long-read.js';
import type { Bind, Statement } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { AudienceIdentifier } from '../audience-users/audience-identifier.entity.js';
import { CustomAudience } from './custom-audience.entity.js';
import { belongs, leavesOf, timesOf, type LeafSegment, type Segment } from './segments.js';

/**
 * A SELECT of the persons of an audience that count, of whom whoever counts sees nothing but `person`, "effectiveAt",
 * "expiresAt", "lastDay", updates and earlier (see AudienceIdentifier). `person` is a bigint that is the same in every
 * audience; several rows may have the same one, and it belongs to the audience by any of them. `audience` is the
 * placeholder of the audience's id. It reads only: a WITH of its own is fine.
 *
 * This is where AUDIENCE_MATCHING comes in: `everyPerson` is `all`; `directory` joins the identifiers of an audience with
 * those of platform users and answers, of whoever matches, the first row with the number of the user as `person`.
 */
export type PersonsOf = (db: EntityManager, bind: Bind, audience: string) => string;

/** Every person counts: of the rows of one the first stands for all. */
export const everyPerson: PersonsOf = (db, _, audience) =>
  `SELECT r.person, r."effectiveAt", r."expiresAt", r."lastDay", r.updates, r.earlier
     FROM ${tableOf(db, AudienceIdentifier).table} r WHERE r."audienceId" = ${audience} AND r.first`;

/** A job waits for it, and 10 leaves of a million persons take a few seconds. */
const GENEROSITY = { seconds: 60, megabytes: 64 };

/**
 * How many persons belong to a flexible audience at a time (decisions, "Audiences"): those for whom its tree holds, of all
 * who are in the audiences of its leaves by then. An audience that is deleted has nobody. Asked outside any transaction.
 */
export async function sizeOfFlexible(
  db: EntityManager,
  segments: Segment,
  at: Date,
  personsOf: PersonsOf = everyPerson,
): Promise<number> {
  const holds = belongs(segments);
  const groups = await readLong<{ leaves: number; persons: number }>(
    db.dataSource,
    statementOf(db, leavesOf(segments), at, personsOf),
    GENEROSITY,
  );
  return groups.reduce((size, { leaves, persons }) => (holds(leaves) ? size + persons : size), 0);
}

/**
 * How many persons there are for each set of leaves that hold for them: at most 1,024 rows, however the tree combines
 * these, which `belongs` tells afterwards. So everybody is looked at once, and no text depends on a tree.
 */
function statementOf(db: EntityManager, leaves: LeafSegment[], at: Date, personsOf: PersonsOf): Statement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const time = `${bind(at.toISOString())}::timestamptz`;
  const today = Math.floor(at.getTime() / DAY_MS);
  const parts = leaves.map((leaf, place) => {
    const audience = bind(leaf.custom_audience_id);
    return `SELECT p.person, CASE WHEN ${heldBy(leaf, today, bind)} THEN ${1 << place} ELSE 0 END AS leaves
        FROM (${personsOf(db, bind, audience)}) p
       WHERE p."effectiveAt" <= ${time} AND p."expiresAt" > ${time}
         AND EXISTS (SELECT FROM ${tableOf(db, CustomAudience).table} a WHERE a.id = ${audience} AND a."deletedAt" IS NULL)`;
  });
  return {
    text: `SELECT leaves, count(*) AS persons
        FROM (SELECT person, bit_or(leaves) AS leaves FROM (${parts.join(' UNION ALL ')}) members GROUP BY person) each
       GROUP BY leaves`,
    values,
  };
}

const DAY_MS = 86_400_000;

/** Whether a row was uploaded as often as a leaf asks for, within its days: the last ones in UTC, today included. */
function heldBy(leaf: LeafSegment, today: number, bind: Bind): string {
  const { least, most } = timesOf(leaf);
  const since = `${bind(today - leaf.lookback_window + 1)}::integer`;
  const enough = `${bind(least)}::integer`;
  // nearly nobody has earlier days and so few updates on the last one that these have to be added up
  const earlier = `(SELECT coalesce(sum(p.earlier[i + 1]), 0) FROM generate_subscripts(p.earlier, 1) i
      WHERE i % 2 = 1 AND p.earlier[i] >= ${since})`;
  const within = (times: string) =>
    most === null ? `${times} >= ${enough}` : `${times} BETWEEN ${enough} AND ${bind(most)}::integer`;
  return `CASE WHEN p."lastDay" < ${since} THEN ${within('0')}
      WHEN p.earlier IS NULL${most === null ? ` OR p.updates >= ${enough}` : ''} THEN ${within('p.updates')}
      ELSE ${within(`p.updates + ${earlier}`)} END`;
}
