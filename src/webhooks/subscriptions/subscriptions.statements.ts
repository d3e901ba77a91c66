import type { EntityManager } from 'typeorm';
import { Membership } from '../../accounts/access/membership.entity.js';
import { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { AccessToken } from '../../auth/credentials/access-token.entity.js';
import { Application } from '../../auth/credentials/application.entity.js';
import { User } from '../../auth/credentials/user.entity.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Precondition } from '../../common/db/query/write.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';

/** The accounts, as `m`, that an application may read: it has a live token of a user with a role there. */
function readable(db: EntityManager, application: string): string {
  const table = (entity: Parameters<typeof tableOf>[1]) => tableOf(db, entity).table;
  return `FROM ${table(Membership)} m
    JOIN ${table(Account)} c ON c.id = m."accountId" AND c."deletedAt" IS NULL
    JOIN ${table(User)} u ON u.id = m."userId" AND u."deletedAt" IS NULL AND u."suspendedAt" IS NULL
    JOIN ${table(AccessToken)} t ON t."userId" = u.id AND t."applicationId" = ${application} AND t."revokedAt" IS NULL
    JOIN ${table(Application)} p ON p.id = t."applicationId" AND p."deletedAt" IS NULL AND p."adsAccess"`;
}

/** Requires that the application may read the account. */
export const mayRead = (applicationId: string, accountId: string, refusal: () => Error): Precondition => ({
  sql: (db, bind) => `SELECT 1 ${readable(db, bind(applicationId))} WHERE m."accountId" = ${bind(accountId)} LIMIT 1`,
  refusal,
});

/** Those of the given accounts that an application may read. */
export async function readableOf(
  db: EntityManager,
  applicationId: string,
  accountIds: readonly string[],
): Promise<Set<string>> {
  const found = await run<{ id: string }>(db, {
    text: `SELECT DISTINCT m."accountId" AS id ${readable(db, '$1')} WHERE m."accountId" = ANY($2)`,
    values: [applicationId, accountIds],
  });
  return new Set(found.map(({ id }) => id));
}

/** True if an application may read this account. */
export const canRead = async (db: EntityManager, applicationId: string, accountId: string): Promise<boolean> =>
  (await readableOf(db, applicationId, [accountId])).has(accountId);

/** True if an application may read any account. */
export async function readsAny(db: EntityManager, applicationId: string): Promise<boolean> {
  const [{ found }] = await run<{ found: boolean }>(db, {
    text: `SELECT EXISTS (SELECT ${readable(db, '$1')}) AS found`,
    values: [applicationId],
  });
  return found;
}

/**
 * The ids of the events that an application may read, from one id (inclusive) to another (exclusive): those of its
 * readable accounts and its own, oldest first.
 */
export async function eventIdsFor(
  db: EntityManager,
  applicationId: string,
  from: string,
  to: string,
  limit: number,
): Promise<string[]> {
  const found = await run<{ id: string }>(db, {
    text: `WITH accounts AS MATERIALIZED (SELECT DISTINCT m."accountId" AS id ${readable(db, '$1')})
      (SELECT e.id FROM ${tableOf(db, OutgoingEvent).table} e
        WHERE e.id >= $2 AND e.id < $3 AND (e."applicationId" IS NULL OR e."applicationId" = $1)
          AND (e."accountId" IS NULL OR e."accountId" IN (SELECT id FROM accounts))
        ORDER BY e.id LIMIT $4)
      UNION ALL
      (SELECT c.id FROM ${tableOf(db, AccountChange).table} c
        WHERE c.id >= $2 AND c.id < $3 AND c."transactionId" IS NOT NULL AND c."accountId" IN (SELECT id FROM accounts)
        ORDER BY c.id LIMIT $4)
      ORDER BY id LIMIT $4`,
    values: [applicationId, from, to, limit],
  });
  return found.map(({ id }) => id);
}
