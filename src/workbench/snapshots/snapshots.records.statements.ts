import type { EntityManager } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
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
export const deleteSnapshot = async (db: EntityManager, applicationId: string, name: string): Promise<boolean> =>
  (await deleteCounted(db, 's."applicationId" = $1 AND s.name = $2', [applicationId, name])) > 0;

/** The traces of a person in a snapshot: texts such as ids and hashes, and names that are whole words. */
interface PersonTexts {
  texts: readonly string[];
  names: readonly string[];
}

/** Deletes the snapshots of the applications that a user owns, and all that show the user. */
export function deleteSnapshotsAbout(
  db: EntityManager,
  userId: string,
  { texts, names }: PersonTexts,
): Promise<number> {
  const words = names.filter((name) => name !== '').map((name) => `(^|\\W)${escaped(name.toLowerCase())}($|\\W)`);
  return deleteCounted(
    db,
    `s."applicationId" IN (SELECT id FROM applications WHERE "ownerId" = $1)
      OR s.id IN (SELECT p."snapshotId" FROM snapshot_parts p CROSS JOIN LATERAL (SELECT lower(p.content::text) AS text OFFSET 0) c
        WHERE c.text ~ ANY($3::varchar[]) OR EXISTS (SELECT FROM unnest($2::varchar[]) AS part WHERE strpos(c.text, part) > 0))`,
    [userId, texts, words],
  );
}

/** A text as it is in a regular expression of PostgreSQL. */
const escaped = (text: string): string => text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&');

async function deleteCounted(db: EntityManager, condition: string, values: unknown[]): Promise<number> {
  const [{ gone }] = await run<{ gone: number }>(db, {
    text: `WITH gone AS (DELETE FROM snapshots s WHERE ${condition} RETURNING s.id, s."applicationId"),
      parts AS (DELETE FROM snapshot_parts p USING gone WHERE p."snapshotId" = gone.id),
      lowered AS (
        UPDATE counters c SET value = c.value - fewer.n
        FROM (SELECT "applicationId", count(*)::int AS n FROM gone GROUP BY 1) fewer
        WHERE c."ownerId" = fewer."applicationId" AND c.kind = '${COUNTED_SNAPSHOTS}'
      ) SELECT count(*)::int AS gone FROM gone`,
    values,
  });
  return gone;
}
