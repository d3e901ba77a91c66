import type { EntityManager, DataSource } from 'typeorm';
import { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { TRANSACTION_ID } from '../../common/db/query/write.js';
import { ChangePosition, WEBHOOKS_POSITION } from '../entities/change-position.entity.js';
import { IS_RESTORED, NO_BATCH, UNREAD, QUEUE } from './delivery.statements.js';
import { firstIdOf } from '../../common/entity/ids.js';

const BATCH = 5_000;

/** The position, if it comes from another database cluster. */
const restored = (db: EntityManager) =>
  `SELECT * FROM ${tableOf(db, ChangePosition).table} p WHERE p.name = '${WEBHOOKS_POSITION}' AND ${IS_RESTORED}`;

/** When a change was last read; undefined if the database was not restored, or is continued already. */
async function lastReadAt(db: EntityManager): Promise<string | undefined> {
  const text = `SELECT p."readAt" FROM (${restored(db)}) p`;
  const [found] = await run<{ readAt: string }>(db, { text, values: [] }, QUEUE);
  return found?.readAt;
}

/** Sets the transaction of some changes that were read to 0; returns whether there were any. */
async function forgetReadChanges(db: EntityManager, newerThanPosition: string): Promise<boolean> {
  const { table } = tableOf(db, AccountChange);
  const text = `UPDATE ${table} r SET "transactionId" = 0 FROM (
      SELECT c.id FROM (${restored(db)}) p JOIN ${table} c
        ON c."transactionId" >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint AND c.id < $1 AND NOT (${UNREAD})
      LIMIT ${BATCH} FOR NO KEY UPDATE OF c SKIP LOCKED
    ) known WHERE r.id = known.id RETURNING 1 AS forgotten`;
  return (await run(db, { text, values: [newerThanPosition] }, QUEUE)).length > 0;
}

/**
 * Gives unread changes the id of this transaction and moves the position to before it. Whatever other transactions store
 * meanwhile has an id from the oldest running transaction on, where the position is.
 */
async function adoptChanges(tx: EntityManager, newerThanPosition: string): Promise<void> {
  const { table } = tableOf(tx, AccountChange);
  const positions = tableOf(tx, ChangePosition).table;
  const locked = { text: `${restored(tx)} FOR UPDATE`, values: [] };
  if ((await run(tx, locked, QUEUE)).length === 0) return;
  const adopted = {
    text: `WITH oldest AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS id
      ), adopted AS (
        UPDATE ${table} c SET "transactionId" = ${TRANSACTION_ID} FROM (${restored(tx)}) p
        WHERE (c."transactionId" IS NOT NULL AND c.id >= $1) OR (${UNREAD})
      ) UPDATE ${positions} p SET "readSnapshot" = oldest.id || ':' || oldest.id || ':', ${NO_BATCH}
        FROM oldest WHERE p.name = '${WEBHOOKS_POSITION}'`,
    values: [newerThanPosition],
  };
  await run(tx, adopted, QUEUE);
}

/**
 * Continues at the position of webhook deliveries in a database that was restored from a dump. The transaction ids in it
 * are those of another database cluster, and this one will reach the same numbers later. Changes that were read get the
 * id 0, unread ones the id of the transaction that finds them. Changes that are made meanwhile are unread. Can be
 * repeated, and ended at any moment.
 */
export async function adoptHistory(db: DataSource, signal?: AbortSignal): Promise<void> {
  const readAt = await lastReadAt(db.manager);
  if (readAt === undefined) return;
  const newerThanPosition = firstIdOf(new Date(readAt));
  while (await forgetReadChanges(db.manager, newerThanPosition)) if (signal?.aborted) return;
  await db.transaction((tx) => adoptChanges(tx, newerThanPosition));
}
