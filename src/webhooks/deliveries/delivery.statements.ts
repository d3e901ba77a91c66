import type { EntityManager } from 'typeorm';
import { Application } from '../../auth/credentials/application.entity.js';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { Webhook } from '../entities/webhook.entity.js';
import { WebhookAttempt } from '../entities/webhook-attempt.entity.js';
import { WebhookDelivery, type DeliveryState } from '../entities/webhook-delivery.entity.js';

/** A delivery that this process is to make, and what it takes to make it. */
export interface Claimed {
  id: string;
  webhookId: string;
  eventId: string;
  /** How often it was tried before. */
  attempts: number;
  url: string;
  /** The consumer secret of the webhook's application, sealed by the Vault. */
  sealedSecret: string;
}

export interface Claim {
  now: string;
  /** Until then it is this process's alone to make what it claims. */
  until: string;
  /** How many it takes at most. */
  most: number;
  /** How many of one webhook, and of those that are treated otherwise. */
  mostOfOne: number;
  others: ReadonlyMap<string, number>;
}

/** How long what was claimed is one process's alone, by the Clock. */
export const LEASE_MS = 30_000;

/** Planned once, on a queue that was empty then, it would go through the whole table ever after. */
export const QUEUE = { planned: 'each time' } as const;

const MAX_ATTEMPTS_SHOWN = 20;

/** Of what is sent again there are at most so many for each one that is sent for the first time. */
const REPLAYED_SHARE = 4;

/**
 * The webhooks that something is still to be brought to, found one after the other by the indexes of what is pending, so
 * that neither webhooks nor deliveries are gone through.
 */
function waiting(deliveries: string): string {
  const least = (after: string) =>
    `least((SELECT min("webhookId") FROM ${deliveries} WHERE state = 'PENDING' AND "replayId" = ''${after}),
      (SELECT min("webhookId") FROM ${deliveries} WHERE state = 'PENDING' AND "replayId" <> ''${after}))`;
  return `waiting (id) AS (
    SELECT ${least('')} UNION ALL SELECT ${least(' AND "webhookId" > waiting.id')} FROM waiting WHERE id IS NOT NULL
  )`;
}

/**
 * Claims deliveries that are due: of every webhook its oldest, the webhooks in turn, and what is sent for the first time
 * before what is sent again. What others claim at the same moment is left to them.
 */
export async function claimDue(db: EntityManager, { now, until, most, mostOfOne, others }: Claim): Promise<Claimed[]> {
  const [deliveries, webhooks] = [tableOf(db, WebhookDelivery).table, tableOf(db, Webhook).table];
  const applications = tableOf(db, Application).table;
  const oldest = (which: string, limit: string) =>
    `SELECT * FROM (SELECT d.id, d."dueAt", d."replayId" FROM ${deliveries} d
      WHERE d."webhookId" = w.id AND d.state = 'PENDING' AND d."replayId" ${which} AND d."dueAt" <= $1::timestamptz
      ORDER BY d."dueAt", d.id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED) AS oldest`;
  const room = 'coalesce(o.room, $6::int)';
  return run<Claimed>(
    db,
    {
      text: `WITH RECURSIVE ${waiting(deliveries)}, due AS (
          SELECT f.id, w.id AS "webhookId", w.url, p."sealedSecret", row_number() OVER (PARTITION BY w.id ORDER BY f."replayId" <> '', f."dueAt", f.id) AS turn
          FROM waiting JOIN ${webhooks} w ON w.id = waiting.id AND w.valid AND w."deletedAt" IS NULL
          JOIN ${applications} p ON p.id = w."applicationId" AND p."deletedAt" IS NULL
          LEFT JOIN unnest($4::text[], $5::int[]) AS o (id, room) ON o.id = w.id
          CROSS JOIN LATERAL (
            ${oldest(`= ''`, room)} UNION ALL ${oldest(`<> ''`, `(${room} + ${REPLAYED_SHARE - 1}) / ${REPLAYED_SHARE}`)}
          ) AS f
        ), chosen AS MATERIALIZED (SELECT * FROM due ORDER BY turn LIMIT $3)
        UPDATE ${deliveries} d SET "dueAt" = $2::timestamptz FROM chosen WHERE d.id = chosen.id
        RETURNING d.id, d."webhookId", d."eventId", d.attempts, chosen.url, chosen."sealedSecret"`,
      values: [now, until, most, [...others.keys()], [...others.values()], mostOfOne],
    },
    { large: true, ...QUEUE },
  );
}

/** Leaves deliveries that were claimed, and not tried, to whoever claims them next. */
export async function giveBack(db: EntityManager, ids: readonly string[], now: string): Promise<void> {
  await run(db, {
    text: `UPDATE ${tableOf(db, WebhookDelivery).table} SET "dueAt" = $2::timestamptz WHERE id = ANY($1) AND state = 'PENDING'`,
    values: [ids, now],
  });
}

/** What came of an attempt. */
export interface Attempted {
  attemptId: string;
  deliveryId: string;
  webhookId: string;
  startedAt: string;
  latencyMs: number;
  /** Null where there was no answer. */
  status: number | null;
  /** Null where it succeeded. */
  error: string | null;
  /** What the delivery is then. */
  state: DeliveryState;
  /** When it is tried again, where it is pending. */
  dueAt: string | null;
  settledAt: string | null;
}

/**
 * Records attempts, what their deliveries are then, and since when their webhooks fail. What was settled meanwhile stays
 * so, unless it has arrived now. Answers the webhooks that have failed since `failingBefore` or longer, in this as well.
 */
export async function record(
  db: EntityManager,
  attempts: readonly Attempted[],
  failingBefore: string,
): Promise<string[]> {
  const webhooks = tableOf(db, Webhook).table;
  const failing = await run<{ id: string }>(
    db,
    {
      text: `WITH told AS MATERIALIZED (
        SELECT * FROM json_to_recordset($1::json) AS t ("attemptId" text, "deliveryId" text, "webhookId" text, "startedAt" timestamptz,
          "latencyMs" int, status int, error text, state text, "dueAt" timestamptz, "settledAt" timestamptz)
      ), logged AS (
        INSERT INTO ${tableOf(db, WebhookAttempt).table} (id, "deliveryId", "startedAt", "latencyMs", status, error)
        SELECT "attemptId", "deliveryId", "startedAt", "latencyMs", status, error FROM told
      ), settled AS (
        UPDATE ${tableOf(db, WebhookDelivery).table} d SET state = t.state, attempts = d.attempts + 1, "dueAt" = coalesce(t."dueAt", d."dueAt"),
          "lastStatus" = t.status, "lastError" = t.error, "settledAt" = t."settledAt"
        FROM told t WHERE d.id = t."deliveryId" AND (d.state = 'PENDING' OR t.state = 'DELIVERED')
      ), fared AS MATERIALIZED (
        SELECT "webhookId", bool_or(state = 'DELIVERED') AS arrived, min("startedAt") AS since FROM told GROUP BY 1
      ), changed AS MATERIALIZED (
        SELECT w.id, f.arrived, f.since FROM ${webhooks} w JOIN fared f ON f."webhookId" = w.id
        WHERE (w."failingSince" IS NOT NULL) = f.arrived ORDER BY w.id FOR NO KEY UPDATE OF w
      ), turned AS (
        UPDATE ${webhooks} w SET "failingSince" = CASE WHEN NOT c.arrived THEN c.since END FROM changed c WHERE w.id = c.id
      ) SELECT w.id FROM ${webhooks} w JOIN fared f ON f."webhookId" = w.id
        WHERE NOT f.arrived AND w.valid AND w."deletedAt" IS NULL AND w."failingSince" <= $2::timestamptz`,
      values: [JSON.stringify(attempts), failingBefore],
    },
    QUEUE,
  );
  return failing.map(({ id }) => id);
}

/** The last attempts at deliveries, at most 20 of each, oldest first. */
export async function lastAttempts(db: EntityManager, deliveryIds: readonly string[]): Promise<Row<WebhookAttempt>[]> {
  const { table, select } = tableOf(db, WebhookAttempt);
  return run<Row<WebhookAttempt>>(
    db,
    {
      text: `SELECT ${select} FROM unnest($1::text[]) AS d (id) CROSS JOIN LATERAL (
          SELECT * FROM ${table} a WHERE a."deliveryId" = d.id ORDER BY a.id DESC LIMIT ${MAX_ATTEMPTS_SHOWN}
        ) AS r ORDER BY r.id`,
      values: [deliveryIds],
    },
    { large: true },
  );
}

/**
 * Has a delivery of a webhook made again now, and answers it; undefined where there is none. One that somebody may be at
 * at this moment is left as it is.
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
 * Cancels at most so many deliveries, each of a webhook that is not valid any more or was deleted, or whose application
 * was; answers how many there were.
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

/** What waits to be brought to webhooks. */
export interface Waiting {
  /** Events that were given to no webhook yet. */
  events: number;
  /** When the oldest of them came about; null where there is none. */
  oldestEvent: string | null;
  /** Deliveries of events for the first time that are due, underway, or wait for another attempt. */
  deliveries: number;
}

/** Of neither more than `most` are counted. */
export async function countWaiting(db: EntityManager, most: number): Promise<Waiting> {
  const events = tableOf(db, OutgoingEvent).table;
  const [waiting] = await run<Waiting>(db, {
    text: `SELECT (SELECT count(*)::int FROM (SELECT FROM ${events} WHERE "dispatchedAt" IS NULL LIMIT $1) AS e) AS events,
        (SELECT "createdAt" FROM ${events} WHERE "dispatchedAt" IS NULL ORDER BY id LIMIT 1) AS "oldestEvent",
        (SELECT count(*)::int FROM (SELECT FROM ${tableOf(db, WebhookDelivery).table} WHERE state = 'PENDING' AND "replayId" = '' LIMIT $1) AS d) AS deliveries`,
    values: [most],
  });
  return waiting;
}
