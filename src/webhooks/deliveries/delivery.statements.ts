import type { EntityManager } from 'typeorm';
import { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { Application } from '../../auth/credentials/application.entity.js';
import type { Row } from '../../common/db/query/rows.js';
import { DAY_MS } from '../../common/time/days.js';
import { firstIdOf } from '../../common/entity/ids.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { ChangePosition, WEBHOOKS_POSITION } from '../entities/change-position.entity.js';
import { Webhook } from '../entities/webhook.entity.js';
import { WebhookAttempt, WebhookDelivery, type WebhookDeliveryState } from '../entities/webhook-delivery.entity.js';

/** A delivery claimed by this process, with the data to send it. */
export interface ClaimedDelivery {
  id: string;
  webhookId: string;
  /** The application of the webhook. */
  applicationId: string;
  eventId: string;
  /** Number of previous attempts. */
  attempts: number;
  /** The fault that this attempt carries out; null without one. */
  fault: string | null;
  url: string;
  /** The consumer secret of the webhook's application, sealed by the Vault. */
  sealedSecret: string;
}

interface Claim {
  now: string;
  /** The claim's lease ends at this time. */
  until: string;
  /** Maximum number of deliveries to claim. */
  limit: number;
  /** Maximum number per webhook, and for webhooks with a different limit. */
  limitOfOne: number;
  others: ReadonlyMap<string, number>;
}

/** Lease of claimed deliveries in milliseconds, by the Clock. */
export const LEASE_MS = 30_000;

/** A plan made while the queue was empty would scan the whole table from then on. */
export const QUEUE = { planned: 'each time' } as const;

const MAX_ATTEMPTS_SHOWN = 20;

/** Maximum number of replayed deliveries for each first-time delivery. */
const REPLAYED_SHARE = 4;

/**
 * Finds the webhooks with pending deliveries one by one in the partial indexes, without scanning webhooks or
 * deliveries.
 */
function waiting(deliveries: string): string {
  const min = (after: string) =>
    `least((SELECT min("webhookId") FROM ${deliveries} WHERE state = 'PENDING' AND "replayId" = ''${after}),
      (SELECT min("webhookId") FROM ${deliveries} WHERE state = 'PENDING' AND "replayId" <> ''${after}))`;
  return `waiting (id) AS (
    SELECT ${min('')} UNION ALL SELECT ${min(' AND "webhookId" > waiting.id')} FROM waiting WHERE id IS NOT NULL
  )`;
}

/**
 * Claims due deliveries: the oldest of each webhook, the webhooks in turn, and first-time deliveries before replayed
 * ones. It skips deliveries that other processes claim at the same moment.
 */
export async function claimDue(
  db: EntityManager,
  { now, until, limit, limitOfOne, others }: Claim,
): Promise<ClaimedDelivery[]> {
  const [deliveries, webhooks] = [tableOf(db, WebhookDelivery).table, tableOf(db, Webhook).table];
  const applications = tableOf(db, Application).table;
  const oldest = (which: string, count: string) =>
    `SELECT * FROM (SELECT d.id, d."dueAt", d."replayId" FROM ${deliveries} d
      WHERE d."webhookId" = w.id AND d.state = 'PENDING' AND d."replayId" ${which} AND d."dueAt" <= $1::timestamptz
      ORDER BY d."dueAt", d.id LIMIT ${count} FOR NO KEY UPDATE SKIP LOCKED) AS oldest`;
  const room = 'coalesce(o.room, $6::int)';
  return run<ClaimedDelivery>(
    db,
    {
      text: `WITH RECURSIVE ${waiting(deliveries)}, due AS (
          SELECT f.id, w.id AS "webhookId", w."applicationId", w.url, p."sealedSecret", row_number() OVER (PARTITION BY w.id ORDER BY f."replayId" <> '', f."dueAt", f.id) AS turn
          FROM waiting JOIN ${webhooks} w ON w.id = waiting.id AND w.valid AND w."deletedAt" IS NULL
          JOIN ${applications} p ON p.id = w."applicationId" AND p."deletedAt" IS NULL
          LEFT JOIN unnest($4::text[], $5::int[]) AS o (id, room) ON o.id = w.id
          CROSS JOIN LATERAL (
            ${oldest(`= ''`, room)} UNION ALL ${oldest(`<> ''`, `(${room} + ${REPLAYED_SHARE - 1}) / ${REPLAYED_SHARE}`)}
          ) AS f
        ), chosen AS MATERIALIZED (SELECT * FROM due ORDER BY turn LIMIT $3)
        UPDATE ${deliveries} d SET "dueAt" = $2::timestamptz FROM chosen WHERE d.id = chosen.id
        RETURNING d.id, d."webhookId", chosen."applicationId", d."eventId", d.attempts, d.fault, chosen.url, chosen."sealedSecret"`,
      values: [now, until, limit, [...others.keys()], [...others.values()], limitOfOne],
    },
    { large: true, ...QUEUE },
  );
}

/** Returns claimed deliveries without an attempt to the queue. */
export async function giveBack(db: EntityManager, ids: readonly string[], now: string): Promise<void> {
  await run(db, {
    text: `UPDATE ${tableOf(db, WebhookDelivery).table} SET "dueAt" = $2::timestamptz WHERE id = ANY($1) AND state = 'PENDING'`,
    values: [ids, now],
  });
}

/** The result of an attempt. */
export interface RecordedAttempt {
  attemptId: string;
  deliveryId: string;
  webhookId: string;
  startedAt: string;
  latencyMs: number;
  /** Null if there was no response. */
  status: number | null;
  /** Null if the attempt succeeded. */
  error: string | null;
  /** The fault of the workbench that the attempt met; null without one. */
  fault: string | null;
  /** What was sent and received, as `exchangeText` has it; null if nothing was sent. */
  exchange: string | null;
  /** The fault that the next attempt carries out; null without one. */
  nextFault: string | null;
  /** The state of the delivery after the attempt. */
  state: WebhookDeliveryState;
  /** When the next attempt is due, if the delivery is pending. */
  dueAt: string | null;
  settledAt: string | null;
}

/** A webhook to which all deliveries have failed since then. */
export interface FailingWebhook {
  id: string;
  failingSince: string;
}

/**
 * Records attempts, the resulting states of their deliveries, and since when their webhooks fail. A delivery that was
 * completed meanwhile stays so, unless this attempt succeeded. An attempt with neither status nor error was dropped by a
 * fault, and says nothing about the webhook. Returns the webhooks that have failed since `failingBefore` or longer, this
 * attempt included.
 */
export async function record(
  db: EntityManager,
  attempts: readonly RecordedAttempt[],
  failingBefore: string,
): Promise<FailingWebhook[]> {
  const webhooks = tableOf(db, Webhook).table;
  return run<FailingWebhook>(
    db,
    {
      text: `WITH told AS MATERIALIZED (
        SELECT * FROM json_to_recordset($1::json) AS t ("attemptId" text, "deliveryId" text, "webhookId" text, "startedAt" timestamptz,
          "latencyMs" int, status int, error text, fault text, exchange text, "nextFault" text, state text, "dueAt" timestamptz, "settledAt" timestamptz)
      ), logged AS (
        INSERT INTO ${tableOf(db, WebhookAttempt).table} (id, "deliveryId", "startedAt", "latencyMs", status, error, fault, exchange)
        SELECT "attemptId", "deliveryId", "startedAt", "latencyMs", status, error, fault, exchange FROM told
      ), settled AS (
        UPDATE ${tableOf(db, WebhookDelivery).table} d SET state = t.state, attempts = d.attempts + 1, "dueAt" = coalesce(t."dueAt", d."dueAt"),
          "lastStatus" = t.status, "lastError" = t.error, fault = t."nextFault", "settledAt" = t."settledAt"
        FROM told t WHERE d.id = t."deliveryId" AND (d.state = 'PENDING' OR t.state = 'DELIVERED')
      ), fared AS MATERIALIZED (
        SELECT "webhookId", bool_or(error IS NULL) AS arrived, min("startedAt") AS since FROM told
        WHERE status IS NOT NULL OR error IS NOT NULL GROUP BY 1
      ), changed AS MATERIALIZED (
        SELECT w.id, f.arrived, f.since FROM ${webhooks} w JOIN fared f ON f."webhookId" = w.id
        WHERE (w."failingSince" IS NOT NULL) = f.arrived ORDER BY w.id FOR NO KEY UPDATE OF w
      ), turned AS (
        UPDATE ${webhooks} w SET "failingSince" = CASE WHEN NOT c.arrived THEN c.since END FROM changed c WHERE w.id = c.id
      ) SELECT w.id, w."failingSince" FROM ${webhooks} w JOIN fared f ON f."webhookId" = w.id
        WHERE NOT f.arrived AND w.valid AND w."deletedAt" IS NULL AND w."failingSince" <= $2::timestamptz`,
      values: [JSON.stringify(attempts), failingBefore],
    },
    QUEUE,
  );
}

/** A delivery that a fault delays. */
interface Hold {
  deliveryId: string;
  fault: string;
  now: string;
  until: string;
  /** True if the fault holds at most one delivery of a webhook. The transaction has locked the fault. */
  onlyOne: boolean;
}

/** Makes a claimed delivery wait, and carry out a fault when it is due; returns whether it does. */
export async function hold(tx: EntityManager, { deliveryId, fault, now, until, onlyOne }: Hold): Promise<boolean> {
  const { table } = tableOf(tx, WebhookDelivery);
  const other = (replay: string) =>
    `NOT EXISTS (SELECT FROM ${table} o WHERE o."webhookId" = d."webhookId" AND o.state = 'PENDING' AND o."replayId" ${replay}
      AND o."dueAt" > $4::timestamptz AND o.fault = $2)`;
  const held = await run(tx, {
    text: `UPDATE ${table} d SET "dueAt" = $3::timestamptz, fault = $2
      WHERE d.id = $1 AND d.state = 'PENDING' AND (NOT $5::boolean OR (${other(`= ''`)} AND ${other(`<> ''`)})) RETURNING 1 AS held`,
    values: [deliveryId, fault, until, now, onlyOne],
  });
  return held.length > 0;
}

/**
 * Makes those of these held deliveries due whose webhook was sent a later event; returns the ids of those that still
 * wait.
 */
export async function releaseDeliveries(db: EntityManager, ids: readonly string[], now: string): Promise<string[]> {
  const { table } = tableOf(db, WebhookDelivery);
  const waiting = await run<{ id: string }>(db, {
    text: `WITH held AS MATERIALIZED (
        SELECT d.id, EXISTS (SELECT FROM ${table} n WHERE n."webhookId" = d."webhookId" AND n.id > d.id AND n.attempts > 0) AS passed
        FROM ${table} d WHERE d.id = ANY($1) AND d.state = 'PENDING' AND d.fault IS NOT NULL AND d."dueAt" > $2::timestamptz
      ), released AS (
        UPDATE ${table} d SET "dueAt" = $2::timestamptz FROM held h WHERE d.id = h.id AND h.passed
      ) SELECT id FROM held WHERE NOT passed`,
    values: [ids, now],
  });
  return waiting.map(({ id }) => id);
}

/** An attempt as lists have it: without what was sent and received, which may be large. */
export type ListedAttempt = Omit<Row<WebhookAttempt>, 'exchange'>;

const LISTED_COLUMNS = 'r.id, r."deliveryId", r."startedAt", r."latencyMs", r.status, r.error, r.fault';

/** The last attempts of deliveries, at most 20 each, oldest first. */
export const lastAttempts = (db: EntityManager, deliveryIds: readonly string[]): Promise<ListedAttempt[]> =>
  attemptsOf<ListedAttempt>(db, deliveryIds, LISTED_COLUMNS);

/** The same, with what was sent and received. */
export const lastExchanges = (db: EntityManager, deliveryIds: readonly string[]): Promise<Row<WebhookAttempt>[]> =>
  attemptsOf<Row<WebhookAttempt>>(db, deliveryIds, tableOf(db, WebhookAttempt).select);

async function attemptsOf<Attempt extends object>(
  db: EntityManager,
  deliveryIds: readonly string[],
  columns: string,
): Promise<Attempt[]> {
  const { table } = tableOf(db, WebhookAttempt);
  return run<Attempt>(
    db,
    {
      text: `SELECT ${columns} FROM unnest($1::text[]) AS d (id) CROSS JOIN LATERAL (
          SELECT * FROM ${table} a WHERE a."deliveryId" = d.id ORDER BY a.id DESC LIMIT ${MAX_ATTEMPTS_SHOWN}
        ) AS r ORDER BY r.id`,
      values: [deliveryIds],
    },
    { large: true },
  );
}

/** The number of deliveries to a webhook in a unit of time that have a state. */
export interface DeliveryCount {
  webhookId: string;
  /** The beginning of the minute or hour in which the deliveries were created. */
  at: string;
  state: WebhookDeliveryState;
  count: number;
}

/** The unit of time of counts, and which deliveries to count: the newest `max` of a webhook from `since` on. */
export interface CountedRange {
  unit: 'minute' | 'hour';
  since: Date;
  max: number;
}

/** A replay sends events of the last day. */
const REPLAYED_MS = DAY_MS;

/** Counts deliveries to webhooks by state and time. */
export async function countDeliveries(
  db: EntityManager,
  webhookIds: readonly string[],
  { unit, since, max }: CountedRange,
): Promise<DeliveryCount[]> {
  const firstId = firstIdOf(new Date(since.getTime() - REPLAYED_MS));
  return run<DeliveryCount>(db, {
    text: `SELECT w.id AS "webhookId", date_trunc($3, d."createdAt", 'UTC') AS at, d.state, count(*)::int AS count
      FROM unnest($1::text[]) AS w (id) CROSS JOIN LATERAL (
        SELECT d.state, d."createdAt" FROM ${tableOf(db, WebhookDelivery).table} d
        WHERE d."webhookId" = w.id AND d.id >= $4 ORDER BY d.id DESC LIMIT $5
      ) d WHERE d."createdAt" >= $2::timestamptz GROUP BY 1, 2, 3`,
    values: [webhookIds, since.toISOString(), unit, firstId, max],
  });
}

/**
 * Forgets what was sent and received in those of the next attempts that contain one of these words in lower case.
 * Returns the last id of the attempts that it looked at; undefined at the end.
 */
export async function forgetExchanges(
  db: EntityManager,
  { after, words, limit }: { after: string; words: readonly string[]; limit: number },
): Promise<string | undefined> {
  const { table } = tableOf(db, WebhookAttempt);
  const [{ last }] = await run<{ last: string | null }>(db, {
    text: `WITH next AS MATERIALIZED (SELECT id, exchange FROM ${table} WHERE id > $1 ORDER BY id LIMIT $3
      ), forgotten AS (
        UPDATE ${table} a SET exchange = NULL FROM next n WHERE a.id = n.id AND n.exchange IS NOT NULL
          AND EXISTS (SELECT FROM unnest($2::text[]) AS word WHERE strpos(lower(n.exchange), word) > 0)
      ) SELECT max(id) AS last FROM next`,
    values: [after, words, limit],
  });
  return last ?? undefined;
}

/**
 * Makes a delivery of a webhook due now and returns it; undefined if there is none. A delivery that a process may be
 * sending stays unchanged.
 */
export async function resend(
  db: EntityManager,
  webhookId: string,
  deliveryId: string,
  now: Date,
): Promise<Row<WebhookDelivery> | undefined> {
  const { table, select } = tableOf(db, WebhookDelivery);
  const atOnce = `r.state <> 'PENDING' OR r."dueAt" > $4::timestamptz`;
  const [found] = await run<Row<WebhookDelivery>>(db, {
    text: `UPDATE ${table} r SET state = 'PENDING', "settledAt" = NULL, "dueAt" = CASE WHEN ${atOnce} THEN $3::timestamptz ELSE r."dueAt" END
      WHERE r.id = $2 AND r."webhookId" = $1 RETURNING ${select}`,
    values: [webhookId, deliveryId, now.toISOString(), new Date(now.getTime() + LEASE_MS).toISOString()],
  });
  return found;
}

/**
 * Cancels at most a limited number of deliveries whose webhook is invalid or deleted, or whose application is deleted;
 * returns how many.
 */
export async function cancelAbandoned(db: EntityManager, now: string, limit: number): Promise<number> {
  const [deliveries, webhooks] = [tableOf(db, WebhookDelivery).table, tableOf(db, Webhook).table];
  const cancelled = await run(
    db,
    {
      text: `WITH RECURSIVE ${waiting(deliveries)}, abandoned AS MATERIALIZED (
        SELECT f.id FROM waiting LEFT JOIN ${webhooks} w ON w.id = waiting.id
        LEFT JOIN ${tableOf(db, Application).table} p ON p.id = w."applicationId"
        CROSS JOIN LATERAL (SELECT d.id FROM ${deliveries} d WHERE d."webhookId" = waiting.id AND d.state = 'PENDING'
          LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) AS f
        WHERE w.id IS NULL OR NOT w.valid OR w."deletedAt" IS NOT NULL OR p."deletedAt" IS NOT NULL LIMIT $2
      ) UPDATE ${deliveries} d SET state = 'CANCELLED', "settledAt" = $1::timestamptz FROM abandoned a WHERE d.id = a.id RETURNING 1 AS cancelled`,
      values: [now, limit],
    },
    QUEUE,
  );
  return cancelled.length;
}

/** The backlog of webhook events. */
interface Waiting {
  /** Events not yet dispatched to webhooks. */
  events: number;
  /** When the oldest of them happened; null if there is none. */
  oldestEvent: string | null;
  /** First-time deliveries that are due, under way or waiting for a retry. */
  deliveries: number;
}

/** Counts at most `max` events and deliveries. */
export async function countWaiting(db: EntityManager, max: number): Promise<Waiting> {
  const [changes, positions] = [tableOf(db, AccountChange).table, tableOf(db, ChangePosition).table];
  const [waiting] = await run<Waiting>(db, {
    text: `WITH undispatched AS MATERIALIZED (
        SELECT c.time FROM ${positions} p CROSS JOIN LATERAL (
          SELECT c."changeTime" AS time FROM ${changes} c
          WHERE ${UNREAD}
          ORDER BY c."transactionId", c.id LIMIT $1
        ) c WHERE p.name = '${WEBHOOKS_POSITION}'
        UNION ALL (SELECT "createdAt" FROM ${tableOf(db, OutgoingEvent).table} WHERE "dispatchedAt" IS NULL ORDER BY id LIMIT $1)
      ) SELECT (SELECT least(count(*), $1)::int FROM undispatched) AS events, (SELECT min(time) FROM undispatched) AS "oldestEvent",
        (SELECT count(*)::int FROM (SELECT FROM ${tableOf(db, WebhookDelivery).table} WHERE state = 'PENDING' AND "replayId" = '' LIMIT $1) AS d) AS deliveries`,
    values: [max],
  });
  return waiting;
}

/**
 * The condition under which a change `c` was not read at the position `p`. It has one lower bound, at which PostgreSQL
 * begins in the index: it is the end of the previous batch, or the oldest transaction that may be unread.
 */
export const UNREAD = `c."transactionId" >= greatest(p."batchTransactionId", pg_snapshot_xmin(p."readSnapshot"::pg_snapshot)::text::bigint)
  AND NOT (c."transactionId" = p."batchTransactionId" AND c.id <= p."batchChangeId")
  AND NOT pg_visible_in_snapshot(c."transactionId"::text::xid8, p."readSnapshot"::pg_snapshot)`;

/**
 * The condition under which the position `p` comes from another database cluster: this one has not reached its
 * transactions.
 */
export const IS_RESTORED = `pg_snapshot_xmax(p."readSnapshot"::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())`;

/** Columns of the position `p` when it moves without a batch in progress. */
export const NO_BATCH = `"batchSnapshot" = NULL, "batchTransactionId" = 0, "batchChangeId" = '', round = p.round + 1`;
