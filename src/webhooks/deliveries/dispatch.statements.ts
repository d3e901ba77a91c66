import type { EntityManager } from 'typeorm';
import { Membership } from '../../accounts/access/membership.entity.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { AccessToken } from '../../auth/credentials/access-token.entity.js';
import { Application } from '../../auth/credentials/application.entity.js';
import { User } from '../../auth/credentials/user.entity.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { Webhook } from '../entities/webhook.entity.js';
import { WebhookSubscription } from '../entities/webhook-subscription.entity.js';
import { QUEUE } from './delivery.statements.js';
import { WebhookDelivery } from '../entities/webhook-delivery.entity.js';

/** Maximum number of events dispatched at a time. It is a literal in the SQL text, so that the planner knows it. */
export const MAX_EVENTS = 500;

/** Number of events dispatched, and of deliveries created for them. */
export interface Dispatched {
  events: number;
  deliveries: number;
}

/**
 * Dispatches the oldest unclaimed events to the webhooks that want them and may receive them. An account's event goes
 * to webhooks that subscribe to the account or to all accounts and whose application has a live token of a user of the
 * account. An application's own event goes to its own webhooks. An account's deletion event still reaches them. The
 * event id and the webhook id identify a delivery, so that none is created twice.
 */
export async function dispatch(db: EntityManager, now: string): Promise<Dispatched> {
  const table = (entity: Parameters<typeof tableOf>[1]) => tableOf(db, entity).table;
  const [dispatched] = await run<Dispatched>(
    db,
    {
      text: `WITH due AS MATERIALIZED (
        SELECT id, "accountId", "applicationId", "createdAt" FROM ${table(OutgoingEvent)}
        WHERE "dispatchedAt" IS NULL ORDER BY id LIMIT ${MAX_EVENTS} FOR NO KEY UPDATE SKIP LOCKED
      ), readers AS MATERIALIZED (
        SELECT DISTINCT m."accountId", p.id AS "applicationId", c."deletedAt" AS until
        FROM (SELECT DISTINCT "accountId" FROM due WHERE "accountId" IS NOT NULL) d
        JOIN ${table(Account)} c ON c.id = d."accountId"
        JOIN ${table(Membership)} m ON m."accountId" = c.id
        JOIN ${table(User)} u ON u.id = m."userId" AND u."deletedAt" IS NULL AND u."suspendedAt" IS NULL
        JOIN ${table(AccessToken)} t ON t."userId" = u.id AND t."revokedAt" IS NULL
        JOIN ${table(Application)} p ON p.id = t."applicationId" AND p."deletedAt" IS NULL AND p."adsAccess"
      ), wanted AS (
        SELECT d.id, d."createdAt", w.id AS "webhookId" FROM due d
        JOIN readers r ON r."accountId" = d."accountId" AND (r.until IS NULL OR r.until >= d."createdAt")
          AND (d."applicationId" IS NULL OR d."applicationId" = r."applicationId")
        JOIN ${table(Webhook)} w ON w."applicationId" = r."applicationId" AND w.valid AND w."deletedAt" IS NULL
        WHERE EXISTS (SELECT FROM ${table(WebhookSubscription)} s WHERE s."webhookId" = w.id AND s."accountId" = d."accountId")
          OR EXISTS (SELECT FROM ${table(WebhookSubscription)} s WHERE s."webhookId" = w.id AND s."accountId" IS NULL)
        UNION ALL
        SELECT d.id, d."createdAt", w.id FROM due d
        JOIN ${table(Application)} p ON p.id = d."applicationId" AND p."deletedAt" IS NULL
        JOIN ${table(Webhook)} w ON w."applicationId" = p.id AND w.valid AND w."deletedAt" IS NULL
        WHERE d."accountId" IS NULL
      ), made AS (
        INSERT INTO ${table(WebhookDelivery)} (id, "webhookId", "eventId", "eventTime", "replayId", state, attempts, "dueAt", "createdAt")
        SELECT id || '-' || "webhookId", "webhookId", id, "createdAt", '', 'PENDING', 0, $1::timestamptz, $1::timestamptz FROM wanted
        ON CONFLICT DO NOTHING RETURNING 1
      ), marked AS (
        UPDATE ${table(OutgoingEvent)} e SET "dispatchedAt" = $1::timestamptz FROM due WHERE e.id = due.id
      ) SELECT (SELECT count(*)::int FROM due) AS events, (SELECT count(*)::int FROM made) AS deliveries`,
      values: [now],
    },
    QUEUE,
  );
  return dispatched;
}
