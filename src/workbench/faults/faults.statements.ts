import type { EntityManager } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { COUNTED_FAULTS, Fault } from './fault.entity.js';

/** True if a fault can still apply. */
const ACTIVE = (now: string) =>
  `"expiresAt" > ${now}::timestamptz AND (times IS NULL OR "appliedCount" < times) AND probability > 0`;

/**
 * Counts one application of the oldest of these faults that can still apply, and returns it; undefined if none can. No
 * fault applies more often than `times`, with any number of replicas.
 */
export async function applyOldest(
  db: EntityManager,
  applicationId: string,
  ids: readonly string[],
  now: string,
): Promise<Row<Fault> | undefined> {
  const { table, select } = tableOf(db, Fault);
  const [applied] = await run<Row<Fault>>(db, {
    text: `WITH chosen AS MATERIALIZED (
        SELECT id FROM ${table} WHERE "applicationId" = $1 AND id = ANY($2) AND ${ACTIVE('$3')}
        ORDER BY id LIMIT 1 FOR NO KEY UPDATE
      ) UPDATE ${table} r SET "appliedCount" = r."appliedCount" + 1, "lastAppliedAt" = $3::timestamptz
      FROM chosen WHERE r.id = chosen.id RETURNING ${select}`,
    values: [applicationId, ids, now],
  });
  return applied;
}

/** The faults of an application that can still apply, oldest first. */
export async function activeFaults(db: EntityManager, applicationId: string, now: string): Promise<Row<Fault>[]> {
  const { table, select } = tableOf(db, Fault);
  return run<Row<Fault>>(db, {
    text: `SELECT ${select} FROM ${table} r WHERE "applicationId" = $1 AND ${ACTIVE('$2')} ORDER BY id LIMIT 1000`,
    values: [applicationId, now],
  });
}

/** Deletes a fault of an application and lowers its count; returns whether there was one. */
export const deleteFault = async (db: EntityManager, applicationId: string, id: string): Promise<boolean> =>
  (await deleteCounted(db, 'f."applicationId" = $1 AND f.id = $2', [applicationId, id])) > 0;

/** Deletes at most `limit` faults that expired before a time and lowers their counts; returns their number. */
export const deleteExpired = (db: EntityManager, before: string, limit: number): Promise<number> =>
  deleteCounted(
    db,
    'f.id = ANY(ARRAY(SELECT id FROM faults WHERE "expiresAt" < $1::timestamptz ORDER BY "expiresAt" LIMIT $2 FOR UPDATE SKIP LOCKED))',
    [before, limit],
  );

/** Deletes the faults of the applications that a user owns; returns their number. */
export const deleteFaultsOfOwner = (db: EntityManager, userId: string): Promise<number> =>
  deleteCounted(db, 'f."applicationId" IN (SELECT id FROM applications WHERE "ownerId" = $1)', [userId]);

async function deleteCounted(db: EntityManager, condition: string, values: unknown[]): Promise<number> {
  const [{ gone }] = await run<{ gone: number }>(db, {
    text: `WITH gone AS (DELETE FROM faults f WHERE ${condition} RETURNING f."applicationId"),
      lowered AS (
        UPDATE counters c SET value = c.value - fewer.n
        FROM (SELECT "applicationId", count(*)::int AS n FROM gone GROUP BY 1) fewer
        WHERE c."ownerId" = fewer."applicationId" AND c.kind = '${COUNTED_FAULTS}'
      ) SELECT count(*)::int AS gone FROM gone`,
    values,
  });
  return gone;
}

/** The number of faults that can still apply, and of their applications. */
export interface FaultCounts {
  active: number;
  applications: number;
}

export async function countActiveFaults(db: EntityManager, now: string): Promise<FaultCounts> {
  const [counts] = await run<FaultCounts>(db, {
    text: `SELECT count(*)::int AS active, count(DISTINCT "applicationId")::int AS applications FROM faults WHERE ${ACTIVE('$1')}`,
    values: [now],
  });
  return counts;
}
