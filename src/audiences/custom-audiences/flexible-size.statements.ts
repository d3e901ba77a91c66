import type { EntityManager } from 'typeorm';
import { readLong } from '../../common/db/query/long-read.js';
import { rows } from '../../common/db/query/rows.js';
import type { Bind, Statement } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { AudienceIdentifier, REMEMBERED_DAYS } from '../audience-users/audience-identifier.entity.js';
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
  const leaves = leavesOf(segments).map((leaf, place) => ({ ...leaf, bit: 1 << place }));
  const alive = await rows(db, CustomAudience)
    .among('id', [...new Set(leaves.map((leaf) => leaf.custom_audience_id))])
    .all();
  const ids = new Set(alive.map(({ id }) => id));
  const due = leaves.filter((leaf) => ids.has(leaf.custom_audience_id));
  if (due.length === 0) return 0;
  const statement = statementOf(db, due, at, personsOf);
  const groups = await readLong<{ leaves: number; persons: number }>(db.dataSource, statement, GENEROSITY);
  const holds = belongs(segments);
  return groups.reduce((size, { leaves, persons }) => (holds(leaves) ? size + persons : size), 0);
}

/**
 * How many persons there are for each set of leaves that hold for them: at most 1,024 rows, however the tree combines
 * these, which `belongs` tells afterwards. So everybody is looked at once, and no text depends on a tree.
 */
function statementOf(
  db: EntityManager,
  leaves: (LeafSegment & { bit: number })[],
  at: Date,
  personsOf: PersonsOf,
): Statement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const time = `${bind(at.toISOString())}::timestamptz`;
  const today = Math.floor(at.getTime() / DAY_MS);
  const parts = leaves.map((leaf) => {
    const persons = personsOf(db, bind, bind(leaf.custom_audience_id));
    return `SELECT p.person, CASE WHEN ${heldBy(leaf, today, bind)} THEN ${leaf.bit} ELSE 0 END AS leaves
        FROM (${persons}) p WHERE p."effectiveAt" <= ${time} AND p."expiresAt" > ${time}`;
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
  const isRecent = `p."lastDay" >= ${since}`;
  if (least === 1 && most === null) return isRecent;
  const enough = `${bind(least)}::integer`;
  const within = (times: string) =>
    most === null ? `${times} >= ${enough}` : `${times} BETWEEN ${enough} AND ${bind(most)}::integer`;
  return `CASE WHEN NOT ${isRecent} THEN ${within('0')}
      WHEN p.earlier IS NULL${most === null ? ` OR p.updates >= ${enough}` : ''} THEN ${within('p.updates')}
      ELSE ${within(`p.updates + ${earlierSince(since)}`)} END`;
}

/** How often within its days before the last one: a subquery would keep the statement from being read in parallel. */
const earlierSince = (since: string) =>
  Array.from({ length: REMEMBERED_DAYS }, (_, i) => {
    const [day, times] = [2 * i + 1, 2 * i + 2];
    return `CASE WHEN p.earlier[${day}] >= ${since} THEN p.earlier[${times}]::bigint ELSE 0 END`;
  }).join(' + ');
