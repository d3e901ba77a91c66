import type { Type } from '@nestjs/common';
import type { EntityManager, ObjectLiteral } from 'typeorm';
import { OF_ALL_ACCOUNTS } from '../db/query/account-key.js';
import { run } from '../db/query/statement.js';
import { tableOf } from '../db/query/table-metadata.js';
import type { StoredKind } from './storage-usage.entity.js';

/** Rows of accounts that count in their quota of a kind. */
export interface StoredRows {
  entity: Type<ObjectLiteral>;
  kind: StoredKind;
}

/**
 * Deletes the rows that a condition with its order and limit chooses, and lowers the usage of their accounts; returns their
 * number. Rows that others delete are left out.
 */
export async function deleteStored(
  db: EntityManager,
  { entity, kind }: StoredRows,
  chosen: string,
  values: readonly unknown[],
): Promise<number> {
  const { table } = tableOf(db, entity);
  const [{ gone }] = await run<{ gone: number }>(db, {
    text: `WITH chosen AS MATERIALIZED (SELECT "accountId", id FROM ${table} WHERE ${chosen} FOR UPDATE SKIP LOCKED),
      gone AS (DELETE FROM ${table} e USING chosen c WHERE e."accountId" = c."accountId" AND e.id = c.id RETURNING e."accountId"),
      used AS MATERIALIZED (SELECT u."ownerId" FROM storage_usage u WHERE u.kind = '${kind}'
        AND u."ownerId" IN (SELECT "accountId" FROM chosen) ORDER BY 1 FOR UPDATE),
      lowered AS (UPDATE storage_usage u SET used = greatest(u.used - n.by, 0)
        FROM (SELECT "accountId", count(*) AS by FROM gone GROUP BY 1) n
        WHERE u.kind = '${kind}' AND u."ownerId" = n."accountId" AND u."ownerId" IN (SELECT "ownerId" FROM used))
      SELECT count(*)::int AS gone FROM gone ${OF_ALL_ACCOUNTS}`,
    values: [...values],
  });
  return gone;
}

/** Deletes at most `limit` rows of all accounts with ids before this one; returns their number. */
export const deleteStoredBefore = (
  db: EntityManager,
  stored: StoredRows,
  before: string,
  limit: number,
): Promise<number> => deleteStored(db, stored, `id < $1 ORDER BY id LIMIT ${limit}`, [before]);

/** Deletes at most `limit` rows of an account; returns their number. */
export const deleteStoredOf = (
  db: EntityManager,
  stored: StoredRows,
  accountId: string,
  limit: number,
): Promise<number> => deleteStored(db, stored, `"accountId" = $1 ORDER BY id LIMIT ${limit}`, [accountId]);
