import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { readLong, writeLong } from '../../common/db/query/long-read.js';
import { binding, run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { dayOf } from '../../common/time/days.js';
import { heldBy } from '../directory/user-memberships.statements.js';
import { AudienceIdentifier } from '../entities/audience-identifier.entity.js';
import { COUNTING } from './audience-sizings.statements.js';
import {
  AudienceSnapshot,
  AudienceSnapshotSlice,
  SLICES,
  type Matching,
} from '../entities/audience-snapshot.entity.js';
import { AudienceSizing } from '../entities/audience-sizing.entity.js';
import type { ActiveAt } from '../directory/directory-activity.rules.js';
import { inactiveUsers, VALID } from '../directory/directory-count.statements.js';
import { LATEST_CHANGE } from '../directory/directory-matches.statements.js';
import { CustomAudience } from '../entities/custom-audience.entity.js';
import type { LeafSegment } from '../entities/segments.js';

/** The subject of a snapshot; times are ISO 8601. */
export interface Taken {
  audienceId: string;
  accountId: string;
  generation: number;
  matching: Matching;
  revision: number;
  at: string;
  until: string | null;
}

/**
 * Selects the stored people of an audience, from rows with their days: all persons by person number, or users by user
 * number. The numbers are the same in every audience. The first row of a person represents all its rows.
 */
const PEOPLE: Record<Matching, (rows: string) => string> = {
  ALL: (table) => `SELECT a.*, a.person AS number FROM ${table} a WHERE a.first`,
  DIRECTORY: (table) =>
    `SELECT a.*, u.number::bigint AS number FROM ${table} a, unnest(a.users) u (number) WHERE a.first AND a.users IS NOT NULL`,
};

/**
 * Replaces the stored people of an audience with those who belong to it at a time. Only one process does so at a time.
 * The last statement removes them again if the audience or its account is deleted, so a deletion waits for no more than
 * that statement.
 */
export async function storeSnapshot(db: EntityManager, taken: Taken): Promise<void> {
  const { audienceId, accountId, generation, matching, revision, at, until } = taken;
  const [snapshots, slices] = [tableOf(db, AudienceSnapshot).table, tableOf(db, AudienceSnapshotSlice).table];
  const people = PEOPLE[matching](tableOf(db, AudienceIdentifier).table);
  await writeLong(
    db.dataSource,
    [
      {
        text: `INSERT INTO ${snapshots} ("audienceId", generation, matching, revision, at, until) VALUES ($1, $2, $3, $4, $5, $6)
          ON CONFLICT ("audienceId") DO UPDATE SET generation = EXCLUDED.generation, matching = EXCLUDED.matching,
            revision = EXCLUDED.revision, at = EXCLUDED.at, until = EXCLUDED.until`,
        values: [audienceId, generation, matching, revision, at, until],
      },
      { text: `DELETE FROM ${slices} WHERE "audienceId" = $1`, values: [audienceId] },
      {
        text: `INSERT INTO ${slices} ("audienceId", slice, place, "lastDay", updates, earlier, people)
          SELECT $1, slice, row_number() OVER (PARTITION BY slice), "lastDay", updates, earlier, people FROM (
            SELECT (p.number & ${SLICES - 1})::smallint AS slice, p."lastDay", p.updates, p.earlier, array_agg(p.number) AS people
            FROM (${people} AND a."audienceId" = $1 AND ${VALID('a', '$2::timestamptz')}) p GROUP BY 1, 2, 3, 4) grouped`,
        values: [audienceId, at],
      },
      {
        text: `WITH alive AS MATERIALIZED (
            SELECT 1 FROM ${tableOf(db, CustomAudience).table} h JOIN ${tableOf(db, Account).table} o ON o.id = h."accountId"
            WHERE h."accountId" = $2 AND h.id = $1 AND h."deletedAt" IS NULL AND o."deletedAt" IS NULL FOR KEY SHARE),
          gone AS (DELETE FROM ${slices} WHERE "audienceId" = $1 AND NOT EXISTS (SELECT FROM alive))
          DELETE FROM ${snapshots} WHERE "audienceId" = $1 AND NOT EXISTS (SELECT FROM alive)`,
        values: [audienceId, accountId],
      },
    ],
    COUNTING,
  );
}

/** Audiences without a snapshot for a time, with their generations. */
export async function withoutSnapshot(
  db: EntityManager,
  audienceIds: readonly string[],
  { matching, at }: Pick<Taken, 'matching' | 'at'>,
): Promise<Pick<Taken, 'audienceId' | 'generation'>[]> {
  const [snapshots, sizings] = [tableOf(db, AudienceSnapshot).table, tableOf(db, AudienceSizing).table];
  return run(db, {
    text: `SELECT l.id AS "audienceId", coalesce(z.generation, 0) AS generation
      FROM unnest($1::varchar[]) l (id) LEFT JOIN ${sizings} z ON z."audienceId" = l.id
      WHERE NOT EXISTS (SELECT FROM ${snapshots} s WHERE s."audienceId" = l.id AND s.generation = coalesce(z.generation, 0)
        AND s.matching = $2 AND (s.matching = 'ALL' OR s.revision = ${LATEST_CHANGE})
        AND s.at <= $3 AND (s.until IS NULL OR s.until > $3))`,
    values: [audienceIds, matching, at],
  });
}

/** A leaf of a tree, with the bit that represents it. */
export type PlacedLeaf = LeafSegment & { bit: number };

/** The number of people for a set of matching leaves, as bits. */
export interface Group {
  leaves: number;
  persons: number;
}

/**
 * Counts the people of the snapshots for each set of matching leaves: at most 1,024 rows for any tree. It counts slice
 * by slice, which is several times as fast as all people at once. `inactive`: directory users that do not count.
 */
export async function countByLeaves(
  db: EntityManager,
  leaves: readonly PlacedLeaf[],
  at: Date,
  inactive?: ActiveAt,
): Promise<Group[]> {
  const { bind, values } = binding();
  const { table } = tableOf(db, AudienceSnapshotSlice);
  const today = dayOf(at.getTime());
  const held = leaves.map((leaf) => {
    const holds = `p."audienceId" = ${bind(leaf.custom_audience_id)} AND ${heldBy(leaf, today, bind)}`;
    return `CASE WHEN ${holds} THEN ${leaf.bit} ELSE 0 END`;
  });
  const ids = bind([...new Set(leaves.map(({ custom_audience_id }) => custom_audience_id))]);
  const nobody = inactive ? inactiveUsers(inactive, bind) : undefined;
  const text = `WITH inactive AS MATERIALIZED (
      ${nobody ? `SELECT (number & ${SLICES - 1})::smallint AS slice, array_agg(number::bigint) AS people FROM (${nobody}) o GROUP BY 1` : 'SELECT 0::smallint AS slice, NULL::bigint[] AS people'})
    SELECT leaves, sum(persons)::int AS persons FROM generate_series(0, ${SLICES - 1}) s (slice), LATERAL (
      SELECT leaves, count(*) AS persons FROM (
        SELECT number, bit_or(leaves) AS leaves FROM (
          SELECT unnest(p.people) AS number, p.leaves FROM (SELECT p.people, ${held.join(' | ')} AS leaves
            FROM ${table} p WHERE p."audienceId" = ANY(${ids}::varchar[]) AND p.slice = s.slice::smallint OFFSET 0) p
          UNION ALL SELECT unnest(o.people), -1 FROM inactive o WHERE o.slice = s.slice) members GROUP BY number) each
      GROUP BY leaves) groups WHERE leaves >= 0 GROUP BY leaves`;
  return readLong<Group>(db.dataSource, { text, values }, COUNTING);
}
