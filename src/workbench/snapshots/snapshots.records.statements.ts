import type { EntityManager } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { retrying } from '../../common/db/query/retry.js';
import { inTransactionFor, run } from '../../common/db/query/statement.js';
import { wordsInSql } from '../../common/text/patterns.js';
import type { SavedAccount, SavedRow } from './snapshot-file.rules.js';
import { COUNTED_SNAPSHOTS, type Snapshot } from './snapshot.entity.js';

/** A snapshot that is being saved. */
type NewSnapshot = Pick<Row<Snapshot>, 'id' | 'applicationId' | 'name' | 'accountIds'> & { now: Date };

/**
 * Stores a snapshot without content. One with the same name keeps its id and loses its content. Others that store this name
 * wait for the end of the transaction.
 */
export async function replaceSnapshot(
  tx: EntityManager,
  { id, applicationId, name, accountIds, now }: NewSnapshot,
): Promise<{ id: string; isNew: boolean }> {
  const [stored] = await run<{ id: string; isNew: boolean }>(tx, {
    text: `INSERT INTO snapshots AS s (id, "applicationId", "createdAt", "updatedAt", name, "accountIds", rows, bytes)
      VALUES ($1, $2, $3::timestamptz, $3::timestamptz, $4, $5, 0, 0)
      ON CONFLICT ("applicationId", name) DO UPDATE SET "updatedAt" = EXCLUDED."updatedAt", "accountIds" = EXCLUDED."accountIds"
      RETURNING s.id, s.id = $1 AS "isNew"`,
    values: [id, applicationId, now.toISOString(), name, accountIds],
  });
  if (!stored.isNew) await run(tx, { text: `DELETE FROM snapshot_parts WHERE "snapshotId" = $1`, values: [stored.id] });
  return stored;
}

/** A table of an account in a snapshot. */
interface StoredPart {
  table: string;
  content: SavedRow[];
}

/** The tables that an account has in a snapshot, one at a time. */
export async function* readParts(db: EntityManager, snapshotId: string, accountId: string): AsyncGenerator<StoredPart> {
  for (let last = ''; ;) {
    const [part] = await run<StoredPart>(
      db,
      {
        text: `SELECT "table", content FROM snapshot_parts WHERE "snapshotId" = $1 AND "accountId" = $2 AND "table" > $3 ORDER BY "table" LIMIT 1`,
        values: [snapshotId, accountId, last],
      },
      { large: true },
    );
    if (!part) return;
    yield part;
    last = part.table;
  }
}

/** Stores the content of a file as the parts of a snapshot. */
export async function insertParts(
  tx: EntityManager,
  snapshotId: string,
  accounts: readonly SavedAccount[],
): Promise<{ rows: number; bytes: number }> {
  const size = { rows: 0, bytes: 0 };
  for (const { account_id: accountId, tables } of accounts)
    for (const [table, rows] of Object.entries(tables)) {
      if (rows.length === 0) continue;
      const content = JSON.stringify(rows);
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      await run(tx, {
        text: `INSERT INTO snapshot_parts ("snapshotId", "accountId", "table", columns, content, rows) VALUES ($1, $2, $3, $4, $5::json, $6)`,
        values: [snapshotId, accountId, table, columns, content, rows.length],
      });
      size.rows += rows.length;
      size.bytes += Buffer.byteLength(content);
    }
  return size;
}

/** Deletes a snapshot of an application; returns whether there was one. */
export async function deleteSnapshot(db: EntityManager, applicationId: string, name: string): Promise<boolean> {
  const condition = 's."applicationId" = $1 AND s.name = $2';
  return (await deleteCounted(db, applicationId, { condition, values: [applicationId, name] })) > 0;
}

/** The traces of a person in a snapshot: texts such as ids and hashes, and names that are whole words. */
interface PersonTexts {
  texts: readonly string[];
  names: readonly string[];
}

/** Waits until the snapshots that are being saved are stored, so that others see them. They may have read what is gone since. */
export async function waitForSavedSnapshots(db: EntityManager): Promise<void> {
  await db.transaction((tx) => run(tx, { text: 'LOCK TABLE snapshots IN SHARE MODE', values: [] }));
}

/** The ids of the next snapshots. */
export async function snapshotsAfter(db: EntityManager, after: string, limit: number): Promise<string[]> {
  const found = await run<{ id: string }>(db, {
    text: `SELECT id FROM snapshots WHERE id > $1 ORDER BY id LIMIT $2`,
    values: [after, limit],
  });
  return found.map(({ id }) => id);
}

/** Deletes the snapshots of the applications that a user owns; returns their number. */
export const deleteSnapshotsOf = (db: EntityManager, ownerId: string): Promise<number> =>
  deleteCounted(db, ownerId, {
    condition: 's."applicationId" IN (SELECT id FROM applications WHERE "ownerId" = $1)',
    values: [ownerId],
  });

/** Deletes a snapshot if one of its values shows a person. Returns the number of snapshots, 0 or 1. */
export function deleteSnapshotAbout(db: EntityManager, id: string, { texts, names }: PersonTexts): Promise<number> {
  return deleteCounted(db, id, {
    condition: `s.id = $1 AND s.id IN (
      SELECT p."snapshotId" FROM snapshot_parts p CROSS JOIN LATERAL (SELECT lower(p.content::text) AS text OFFSET 0) c
      WHERE p."snapshotId" = $1
        AND (c.text ~ ANY($3::varchar[]) OR EXISTS (SELECT FROM unnest($2::varchar[]) AS part WHERE strpos(c.text, part) > 0)))`,
    // columns have names such as "name"
    values: [id, texts, wordsInSql(names, '(?!":)')],
  });
}

/** Deletes at most `limit` snapshots that nobody can restore: of deleted applications, and of deleted accounts. Returns their number. */
export const deleteOrphanedSnapshots = (db: EntityManager, limit: number): Promise<number> =>
  deleteCounted(db, 'orphaned', {
    condition: `s.id IN (SELECT o.id FROM snapshots o
      WHERE EXISTS (SELECT FROM applications p WHERE p.id = o."applicationId" AND p."deletedAt" IS NOT NULL)
        OR EXISTS (SELECT FROM accounts a WHERE a.id = ANY(o."accountIds") AND a."deletedAt" IS NOT NULL)
      ORDER BY o.id LIMIT $1)`,
    values: [limit],
  });

/**
 * Deletes the content of at most `limit` snapshots that do not exist. A save commits a snapshot together with its content,
 * so no statement sees the content of a save in progress. Returns the number of these snapshots.
 */
export async function deleteLostParts(db: EntityManager, limit: number): Promise<number> {
  const [{ lost }] = await run<{ lost: number }>(db, {
    text: `WITH lost AS MATERIALIZED (SELECT DISTINCT p."snapshotId" AS id FROM snapshot_parts p
        WHERE NOT EXISTS (SELECT FROM snapshots s WHERE s.id = p."snapshotId") LIMIT $1),
      gone AS (DELETE FROM snapshot_parts p USING lost WHERE p."snapshotId" = lost.id)
      SELECT count(*)::int AS lost FROM lost`,
    values: [limit],
  });
  return lost;
}

/** The snapshots `s` to delete. */
interface Chosen {
  condition: string;
  values: unknown[];
}

/**
 * Deletes snapshots with their content, and lowers the counters of their applications. A save may hold a snapshot and
 * replace its content: the deletion locks the snapshots first, so that its statement sees what was saved.
 */
function deleteCounted(db: EntityManager, lockKey: string, { condition, values }: Chosen): Promise<number> {
  const work = async (tx: EntityManager) => {
    const locked = await run<{ id: string }>(tx, {
      text: `SELECT s.id FROM snapshots s WHERE ${condition} ORDER BY s.id FOR UPDATE`,
      values,
    });
    if (locked.length === 0) return 0;
    const [{ gone }] = await run<{ gone: number }>(tx, {
      text: `WITH gone AS (DELETE FROM snapshots s WHERE s.id = ANY($${values.length + 1}) AND ${condition} RETURNING s.id, s."applicationId"),
        parts AS (DELETE FROM snapshot_parts p USING gone WHERE p."snapshotId" = gone.id),
        lowered AS (
          UPDATE counters c SET value = c.value - fewer.n
          FROM (SELECT "applicationId", count(*)::int AS n FROM gone GROUP BY 1) fewer
          WHERE c."ownerId" = fewer."applicationId" AND c.kind = '${COUNTED_SNAPSHOTS}'
        ) SELECT count(*)::int AS gone FROM gone`,
      values: [...values, locked.map(({ id }) => id)],
    });
    return gone;
  };
  return retrying(() => inTransactionFor(db, `snapshots ${lockKey}`, work));
}
