import type { EntityManager } from 'typeorm';
import { alsoDelete } from '../../accounts/resource-definition.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { insertOrIgnore, type Write } from '../../common/db/query/write.js';
import { lowerUsage } from '../../common/storage/storage-usage.js';
import { CUSTOM_AUDIENCES, CustomAudience } from '../entities/custom-audience.entity.js';
import { DO_NOT_REACH_LISTS, DoNotReachList } from '../entities/do-not-reach-list.entity.js';
import { AudienceIdentifier } from '../entities/audience-identifier.entity.js';
import { AudienceRemoval } from './audience-removal.entity.js';
import { AudienceSizing } from '../entities/audience-sizing.entity.js';
import { AudienceSnapshot, AudienceSnapshotSlice } from '../entities/audience-snapshot.entity.js';

/** Queues the people of audiences or do-not-reach lists for removal, in the statement that deletes these. */
const queueRemovals = (audienceIds: readonly string[], queuedAt: string): Write[] => [
  insertOrIgnore(
    AudienceRemoval,
    audienceIds.map((audienceId) => ({ audienceId, queuedAt })),
  ),
];

alsoDelete(CUSTOM_AUDIENCES, queueRemovals);
alsoDelete(DO_NOT_REACH_LISTS, queueRemovals);

/** Queues the people of all audiences and do-not-reach lists of a deleted account for removal. */
export async function queueRemovalsOfAccount(db: EntityManager, accountId: string, queuedAt: string): Promise<void> {
  const owned = [CustomAudience, DoNotReachList].map(
    (entity) => `SELECT id FROM ${tableOf(db, entity).table} WHERE "accountId" = $1`,
  );
  await run(db, {
    text: `INSERT INTO ${tableOf(db, AudienceRemoval).table} ("audienceId", "queuedAt")
      SELECT o.id, $2::timestamptz FROM (${owned.join(' UNION ALL ')}) o
      WHERE EXISTS (SELECT FROM ${tableOf(db, Account).table} WHERE id = $1 AND "deletedAt" IS NOT NULL)
      ON CONFLICT DO NOTHING`,
    values: [accountId, queuedAt],
  });
}

/** The condition that audience $1 still awaits its removal: a snapshot of the workbench can restore it meanwhile. */
const isQueued = (db: EntityManager): string =>
  `EXISTS (SELECT FROM ${tableOf(db, AudienceRemoval).table} q WHERE q."audienceId" = $1)`;

/**
 * Removes at most `limit` identifiers of a deleted audience and lowers the usage of its account; returns how many it
 * removed. It skips rows that another process removes at the same time.
 */
export async function removeIdentifiers(db: EntityManager, audienceId: string, limit: number): Promise<number> {
  const { table } = tableOf(db, AudienceIdentifier);
  const values: unknown[] = [audienceId, limit];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const owner = [CustomAudience, DoNotReachList]
    .map((entity) => `SELECT "accountId" FROM ${tableOf(db, entity).table} WHERE id = $1 ${OF_ALL_ACCOUNTS}`)
    .join(' UNION ALL ');
  const text = `WITH chosen AS MATERIALIZED (
      SELECT kind, hash FROM ${table} WHERE "audienceId" = $1 AND ${isQueued(db)} ORDER BY kind, hash LIMIT $2 FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM ${table} r USING chosen c WHERE r."audienceId" = $1 AND r.kind = c.kind AND r.hash = c.hash RETURNING 1),
    lowered AS (${lowerUsage(`(SELECT "accountId" FROM (${owner}) o LIMIT 1)`, 'AUDIENCE_ROWS', '(SELECT count(*) FROM gone)', bind)})
    SELECT count(*)::int AS removed FROM gone`;
  const [{ removed }] = await run<{ removed: number }>(db, { text, values });
  return removed;
}

/**
 * Removes all other data about the people of a deleted audience, and ends its removal unless another process still
 * removes some of them; returns whether it ended.
 */
export async function endRemoval(db: EntityManager, audienceId: string): Promise<boolean> {
  const [identifiers, slices] = [tableOf(db, AudienceIdentifier).table, tableOf(db, AudienceSnapshotSlice).table];
  const ended = await run(db, {
    text: `WITH sizing AS (DELETE FROM ${tableOf(db, AudienceSizing).table} WHERE "audienceId" = $1 AND ${isQueued(db)}),
      snapshot AS (DELETE FROM ${tableOf(db, AudienceSnapshot).table} WHERE "audienceId" = $1 AND ${isQueued(db)})
      DELETE FROM ${tableOf(db, AudienceRemoval).table} WHERE "audienceId" = $1
        AND NOT EXISTS (SELECT FROM ${identifiers} WHERE "audienceId" = $1)
        AND NOT EXISTS (SELECT FROM ${slices} WHERE "audienceId" = $1) RETURNING 1`,
    values: [audienceId],
  });
  return ended.length > 0;
}

/** The number of audiences that await the removal of their people, and the time of the oldest. */
export async function countRemovals(db: EntityManager): Promise<{ waiting: number; oldest: string | null }> {
  const [counted] = await run<{ waiting: number; oldest: string | null }>(db, {
    text: `SELECT count(*)::int AS waiting, min("queuedAt") AS oldest FROM ${tableOf(db, AudienceRemoval).table}`,
    values: [],
  });
  return counted;
}
