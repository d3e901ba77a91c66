import type { DataSource, EntityManager } from 'typeorm';
import { Membership } from '../../accounts/access/membership.entity.js';
import { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { Application } from '../../auth/credentials/application.entity.js';
import { User } from '../../auth/credentials/user.entity.js';
import { liveApprovals } from '../../auth/grants/grants.statements.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { TRANSACTION_ID } from '../../common/db/query/write.js';
import { firstIdOf } from '../../common/entity/ids.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { HAS_ADS_ACCESS, IS_MANAGER, IS_VIEWER, isForManagers } from '../subscriptions/subscriptions.statements.js';
import { ChangePosition, WEBHOOKS_POSITION } from '../entities/change-position.entity.js';
import { Webhook } from '../entities/webhook.entity.js';
import { WebhookDelivery } from '../entities/webhook-delivery.entity.js';
import { WebhookSubscription } from '../entities/webhook-subscription.entity.js';
import { IS_RESTORED, NO_BATCH, UNREAD, QUEUE } from './delivery.statements.js';

/** Maximum number of events dispatched at a time. It is a literal in the SQL text, so that the planner knows it. */
export const MAX_EVENTS = 500;

/** Number of events dispatched, and of deliveries created for them. */
interface DispatchResult {
  events: number;
  deliveries: number;
  /** True if the position comes from another database cluster: this one was restored from a dump. */
  isRestored: boolean;
}

type Tables = (entity: Parameters<typeof tableOf>[1]) => string;

/**
 * True if there is an unread change at the position `p`. In this order PostgreSQL reads the index, and not the table:
 * without statistics of the position it expects a third of all changes to be unread.
 */
const isUnread = (table: Tables) =>
  `(SELECT c.id FROM ${table(AccountChange)} c WHERE ${UNREAD} ORDER BY c."transactionId", c.id LIMIT 1) IS NOT NULL`;

/**
 * The next unread changes and unclaimed events. One process at a time reads changes: the position is locked, and a
 * statement that began before the last round finds `round` increased and reads nothing. A lock writes to the log, so
 * the position is locked only if something is new. A batch begins where the last one ended, until everything that was
 * visible when the first began is read.
 */
const due = (table: Tables) => `
  position AS MATERIALIZED (
    SELECT p.*, coalesce(p."batchSnapshot", pg_current_snapshot()::text) AS until,
      p.round = (SELECT round FROM ${table(ChangePosition)} WHERE name = p.name) AS "isCurrent",
      ${IS_RESTORED} AS "isRestored"
    FROM ${table(ChangePosition)} p WHERE p.name = '${WEBHOOKS_POSITION}' AND (p."batchSnapshot" IS NOT NULL OR ${IS_RESTORED} OR ${isUnread(table)})
    FOR NO KEY UPDATE SKIP LOCKED
  ), active AS MATERIALIZED (
    SELECT * FROM position WHERE "isCurrent" AND NOT "isRestored"
  ), changes AS MATERIALIZED (
    SELECT c.* FROM active p CROSS JOIN LATERAL (
      SELECT c.id, c."accountId", c."entityType", c."changeTime", c."transactionId" FROM ${table(AccountChange)} c
      WHERE ${UNREAD} AND pg_visible_in_snapshot(c."transactionId"::text::xid8, p.until::pg_snapshot)
      ORDER BY c."transactionId", c.id LIMIT ${MAX_EVENTS}
    ) c
  ), events AS MATERIALIZED (
    SELECT id, "accountId", "applicationId", "createdAt" FROM ${table(OutgoingEvent)}
    WHERE "dispatchedAt" IS NULL ORDER BY id LIMIT ${MAX_EVENTS} FOR NO KEY UPDATE SKIP LOCKED
  ), due AS MATERIALIZED (
    SELECT id, "accountId", NULL AS "applicationId", "changeTime" AS "createdAt", ${isForManagers('"entityType"')} AS "forManagers" FROM changes
    UNION ALL SELECT *, false FROM events
  )`;

/** The applications that may read the accounts of due events, and whether also what only managers read. */
function readers(db: EntityManager, table: Tables, now: string): string {
  const readersOf = liveApprovals(db, now).map(
    (approvals) => `SELECT m."accountId", p.id AS "applicationId", c."deletedAt" AS until, ${IS_MANAGER} AS "isManager"
      FROM (SELECT DISTINCT "accountId" FROM due WHERE "accountId" IS NOT NULL) d
      JOIN ${table(Account)} c ON c.id = d."accountId"
      JOIN ${table(Membership)} m ON m."accountId" = c.id AND ${IS_VIEWER}
      JOIN ${table(User)} u ON u.id = m."userId" AND u."deletedAt" IS NULL AND u."suspendedAt" IS NULL
      JOIN ${approvals} t ON t."userId" = u.id
      JOIN ${table(Application)} p ON p.id = t."applicationId" AND p."deletedAt" IS NULL AND ${HAS_ADS_ACCESS}`,
  );
  return `readers AS MATERIALIZED (
    SELECT "accountId", "applicationId", until, bool_or("isManager") AS "isManager" FROM (${readersOf.join(' UNION ALL ')}) r GROUP BY 1, 2, 3)`;
}

const wanted = (table: Tables) => `
  wanted AS (
    SELECT d.id, d."createdAt", w.id AS "webhookId" FROM due d
    JOIN readers r ON r."accountId" = d."accountId" AND (r.until IS NULL OR r.until >= d."createdAt")
      AND (d."applicationId" IS NULL OR d."applicationId" = r."applicationId") AND (r."isManager" OR NOT d."forManagers")
    JOIN ${table(Webhook)} w ON w."applicationId" = r."applicationId" AND w.valid AND w."deletedAt" IS NULL
    WHERE EXISTS (SELECT FROM ${table(WebhookSubscription)} s WHERE s."webhookId" = w.id AND s."accountId" = d."accountId")
      OR EXISTS (SELECT FROM ${table(WebhookSubscription)} s WHERE s."webhookId" = w.id AND s."accountId" IS NULL)
    UNION ALL
    SELECT d.id, d."createdAt", w.id FROM due d
    JOIN ${table(Application)} p ON p.id = d."applicationId" AND p."deletedAt" IS NULL
    JOIN ${table(Webhook)} w ON w."applicationId" = p.id AND w.valid AND w."deletedAt" IS NULL
    WHERE d."accountId" IS NULL
  )`;

/**
 * Moves the position over all unread changes if there is no webhook that could receive them; returns whether nothing is
 * left to dispatch. `dispatch` is planned each time, which takes longer than this.
 */
export async function skipUnwanted(db: EntityManager, now: string): Promise<boolean> {
  const table: Tables = (entity) => tableOf(db, entity).table;
  const text = `WITH position AS MATERIALIZED (
      SELECT * FROM ${table(ChangePosition)} p WHERE p.name = '${WEBHOOKS_POSITION}' AND NOT (${IS_RESTORED})
        AND NOT EXISTS (SELECT FROM ${table(Webhook)} WHERE valid AND "deletedAt" IS NULL)
    ), skipped AS (
      UPDATE ${table(ChangePosition)} r SET "readSnapshot" = pg_current_snapshot()::text, ${NO_BATCH}, "readAt" = $1::timestamptz
      FROM position p WHERE r.name = p.name AND r.round = p.round AND ${isUnread(table)}
    ) SELECT EXISTS (SELECT FROM position) AND NOT EXISTS (SELECT FROM ${table(OutgoingEvent)} WHERE "dispatchedAt" IS NULL) AS skipped`;
  const [{ skipped }] = await run<{ skipped: boolean }>(db, { text, values: [now] }, QUEUE);
  return skipped;
}

/**
 * Dispatches the next changes and events to the webhooks that want them and may receive them. An account's event goes
 * to webhooks that subscribe to the account or to all accounts and whose application may read it for a user of
 * the account. An application's own event goes to its own webhooks. An account's deletion event still reaches them. The
 * event id and the webhook id identify a delivery, so that none is created twice.
 */
export async function dispatch(db: EntityManager, now: string): Promise<DispatchResult> {
  const table: Tables = (entity) => tableOf(db, entity).table;
  const [dispatched] = await run<DispatchResult>(
    db,
    {
      text: `WITH ${due(table)}, ${readers(db, table, '$1::timestamptz')}, ${wanted(table)}, made AS (
        INSERT INTO ${table(WebhookDelivery)} (id, "webhookId", "eventId", "eventTime", "replayId", state, attempts, "dueAt", "createdAt")
        SELECT id || '-' || "webhookId", "webhookId", id, "createdAt", '', 'PENDING', 0, $1::timestamptz, $1::timestamptz FROM wanted
        ON CONFLICT DO NOTHING RETURNING 1
      ), marked AS (
        UPDATE ${table(OutgoingEvent)} e SET "dispatchedAt" = $1::timestamptz FROM events d WHERE e.id = d.id
      ), last AS (
        SELECT "transactionId", id, (SELECT count(*) FROM changes) = ${MAX_EVENTS} AS "isFull"
        FROM changes ORDER BY "transactionId" DESC, id DESC LIMIT 1
      ), moved AS (
        UPDATE ${table(ChangePosition)} p SET round = p.round + 1, "readAt" = $1::timestamptz,
          "readSnapshot" = CASE WHEN last."isFull" THEN p."readSnapshot" ELSE a.until END,
          "batchSnapshot" = CASE WHEN last."isFull" THEN a.until END,
          "batchTransactionId" = CASE WHEN last."isFull" THEN last."transactionId" ELSE 0 END,
          "batchChangeId" = CASE WHEN last."isFull" THEN last.id ELSE '' END
        FROM active a LEFT JOIN last ON true
        WHERE p.name = a.name AND (last.id IS NOT NULL OR a."batchSnapshot" IS NOT NULL)
      ) SELECT greatest((SELECT count(*) FROM changes), (SELECT count(*) FROM events))::int AS events,
          (SELECT count(*)::int FROM made) AS deliveries, coalesce((SELECT "isRestored" AND "isCurrent" FROM position), false) AS "isRestored"`,
      values: [now],
    },
    QUEUE,
  );
  return dispatched;
}

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
