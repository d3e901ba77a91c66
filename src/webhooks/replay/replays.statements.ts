import type { EntityManager } from 'typeorm';
import { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { WebhookAttempt, WebhookDelivery } from '../entities/webhook-delivery.entity.js';
import { Webhook } from '../entities/webhook.entity.js';
import { mayReceive } from '../subscriptions/subscriptions.statements.js';
import { WebhookReplay } from './webhook-replay.entity.js';

/** The running replays after this one. */
export const runningAfter = (db: EntityManager, id: string, limit: number): Promise<{ id: string }[]> =>
  run(db, {
    text: `SELECT r.id FROM ${tableOf(db, WebhookReplay).table} r WHERE r.state = 'RUNNING' AND r.id > $1 ORDER BY r.id LIMIT $2`,
    values: [id, limit],
  });

/** The result of a step of a replay. */
interface Step {
  /** Number of events enqueued by the step. */
  enqueued: number;
  /** Number of deliveries that wait for their first attempt, those included. */
  waiting: number;
  /** True if the webhook still receives events. */
  open: boolean;
  /** True if there may be further events to look at. */
  more: boolean;
}

/** The events that a step looks at: an application may not read most of them any more. */
const LOOKED_AT = 500;

/**
 * Enqueues the next events of a replay, so that at most `limit` of its deliveries wait for their first attempt. Other
 * events to the webhook wait for no more than these. The same statement stores the progress under the lock of the
 * replay. Returns undefined if another process holds the lock or the replay has ended.
 *
 * A replay includes events that were delivered or attempted before it was requested. It excludes those of accounts that the
 * application may not read any more, and the ends of earlier replays, because they report jobs only.
 */
export async function enqueueNext(
  db: EntityManager,
  replayId: string,
  limit: number,
  now: Date,
): Promise<Step | undefined> {
  const [replays, deliveries] = [tableOf(db, WebhookReplay).table, tableOf(db, WebhookDelivery).table];
  const [attempts, webhooks] = [tableOf(db, WebhookAttempt).table, tableOf(db, Webhook).table];
  const [events, changes] = [tableOf(db, OutgoingEvent).table, tableOf(db, AccountChange).table];
  const [step] = await run<Step>(db, {
    text: `WITH job AS MATERIALIZED (
        SELECT * FROM ${replays} WHERE id = $1 AND state = 'RUNNING' FOR NO KEY UPDATE SKIP LOCKED
      ), state AS MATERIALIZED (
        SELECT s.*, CASE WHEN s.open THEN greatest($2::int - s.waiting, 0) ELSE 0 END AS room FROM (
          SELECT j.*, w."applicationId", w.id IS NOT NULL AS open,
            (SELECT count(*)::int FROM ${deliveries} d WHERE d."replayId" = j.id AND d."replayId" <> '' AND d.state = 'PENDING' AND d.attempts = 0) AS waiting
          FROM job j LEFT JOIN ${webhooks} w ON w.id = j."webhookId" AND w.valid AND w."deletedAt" IS NULL) s
      ), seen AS MATERIALIZED (
        SELECT d.* FROM state s CROSS JOIN LATERAL (
          SELECT d.id, d."webhookId", d."eventId", d."eventTime", d."settledAt", d.attempts FROM ${deliveries} d
          WHERE d."webhookId" = s."webhookId" AND d."replayId" = ''
            AND d."eventTime" < s."toTime" AND (d."eventTime", d."eventId") > (s."lastEventTime", s."lastEventId")
          ORDER BY d."eventTime", d."eventId" LIMIT CASE WHEN s.room > 0 THEN ${LOOKED_AT} ELSE 0 END
        ) d
      ), due AS MATERIALIZED (
        SELECT d.* FROM state s CROSS JOIN LATERAL (
          SELECT d."webhookId", d."eventId", d."eventTime" FROM seen d
          CROSS JOIN LATERAL (SELECT coalesce((SELECT e."accountId" FROM ${events} e WHERE e.id = d."eventId"),
            (SELECT c."accountId" FROM ${changes} c WHERE c.id = d."eventId"))) AS account (id)
          WHERE (d."settledAt" <= s."createdAt" OR (d.attempts > 0 AND EXISTS (
              SELECT FROM ${attempts} a WHERE a."deliveryId" = d.id AND a."startedAt" <= s."createdAt")))
            AND NOT EXISTS (SELECT FROM ${events} e WHERE e.id = d."eventId" AND e.body -> 'replay_job_status' IS NOT NULL)
            AND (account.id IS NULL OR ${mayReceive(db, { application: 's."applicationId"', accountId: 'account.id', eventId: 'd."eventId"', time: 'd."eventTime"', now: '$3::timestamptz' })})
          ORDER BY d."eventTime", d."eventId" LIMIT s.room
        ) d
      ), enqueued AS (
        INSERT INTO ${deliveries} (id, "webhookId", "eventId", "eventTime", "replayId", state, attempts, "dueAt", "createdAt")
        SELECT "eventId" || '-' || "webhookId" || '-' || $1::text, "webhookId", "eventId", "eventTime", $1, 'PENDING', 0, $3::timestamptz, $3::timestamptz
        FROM due
      ), moved AS (
        UPDATE ${replays} r SET "lastEventTime" = last."eventTime", "lastEventId" = last."eventId", events = r.events + (SELECT count(*)::int FROM due)
        FROM (SELECT "eventTime", "eventId" FROM due
          UNION ALL SELECT d."eventTime", d."eventId" FROM seen d, state s WHERE (SELECT count(*) FROM due) < s.room
          ORDER BY 1 DESC, 2 DESC LIMIT 1) last WHERE r.id = $1
      )
      SELECT (SELECT count(*)::int FROM due) AS enqueued, s.waiting + (SELECT count(*)::int FROM due) AS waiting, s.open,
        (SELECT count(*) FROM seen) = ${LOOKED_AT} AS more FROM state s`,
    values: [replayId, limit, now.toISOString()],
  });
  return step;
}

/** The results of a replay's deliveries. */
export interface Tally {
  pending: number;
  delivered: number;
  failed: number;
}

/** Counts the results of a replay's deliveries. */
export async function tallyOf(db: EntityManager, replayId: string): Promise<Tally> {
  const [tally] = await run<Tally>(db, {
    text: `SELECT count(*) FILTER (WHERE state = 'PENDING')::int AS pending, count(*) FILTER (WHERE state = 'DELIVERED')::int AS delivered,
        count(*) FILTER (WHERE state IN ('FAILED', 'CANCELLED'))::int AS failed
      FROM ${tableOf(db, WebhookDelivery).table} WHERE "replayId" = $1 AND "replayId" <> ''`,
    values: [replayId],
  });
  return tally;
}
