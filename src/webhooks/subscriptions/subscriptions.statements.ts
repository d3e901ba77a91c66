import type { EntityManager } from 'typeorm';
import { Membership } from '../../accounts/access/membership.entity.js';
import { MANAGERS, VIEWERS } from '../../accounts/access/roles.js';
import { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { TAX_SETTINGS } from '../../accounts/tax-settings/tax-settings.entity.js';
import { Application } from '../../auth/credentials/application.entity.js';
import { User } from '../../auth/credentials/user.entity.js';
import { liveApprovals } from '../../auth/grants/grants.statements.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Precondition } from '../../common/db/query/write.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';

const isOneOf = (column: string, values: readonly string[]): string =>
  `${column} IN (${values.map((value) => `'${value}'`).join(', ')})`;
/** The condition on a member `m` who may read the resources of an account. */
export const IS_VIEWER = isOneOf('m.role', VIEWERS);
/** The condition on a member `m` who may also read what only managers read. */
export const IS_MANAGER = isOneOf('m.role', MANAGERS);
/** The condition that only managers may read the resource of a change. `entityType` is SQL. */
export const isForManagers = (entityType: string): string => isOneOf(entityType, [TAX_SETTINGS.name]);

/** Whose accounts count: deleted ones do not, unless `counts` says which. `roles`: the condition on the role of the user. */
interface Readable {
  counts?: string;
  roles?: string;
}

/**
 * The accounts that an application may read, as "accountId" of `m`: for a user with a role that may. One query for each kind of
 * approval, so that PostgreSQL can begin with the account, or with the application. The application and the time are SQL.
 */
function readable(
  db: EntityManager,
  application: string,
  now: string,
  { counts = 'c."deletedAt" IS NULL', roles = IS_VIEWER }: Readable = {},
): string[] {
  const table = (entity: Parameters<typeof tableOf>[1]) => tableOf(db, entity).table;
  return liveApprovals(db, now).map(
    (approvals) => `FROM ${table(Membership)} m
      JOIN ${table(Account)} c ON c.id = m."accountId" AND ${counts} AND ${roles}
      JOIN ${table(User)} u ON u.id = m."userId" AND u."deletedAt" IS NULL AND u."suspendedAt" IS NULL
      JOIN ${approvals} t ON t."userId" = u.id AND t."applicationId" = ${application}
      JOIN ${table(Application)} p ON p.id = t."applicationId" AND p."deletedAt" IS NULL AND ${HAS_ADS_ACCESS}`,
  );
}

/** The condition that an application `p` may use all endpoints. */
export const HAS_ADS_ACCESS = `p."adsAccess" AND NOT p."conversionsOnly"`;

/** The condition that there is an account of these queries. */
const exists = (queries: readonly string[], condition = 'true'): string =>
  `(${queries.map((query) => `EXISTS (SELECT ${query} WHERE ${condition})`).join(' OR ')})`;

/** The ids of the accounts of these queries, each once. */
const idsOf = (queries: readonly string[], condition = 'true'): string =>
  queries.map((query) => `SELECT m."accountId" AS id ${query} WHERE ${condition}`).join(' UNION ');

/** Requires that the application may read the account. */
export const mayRead = (applicationId: string, accountId: string, now: string, refusal: () => Error): Precondition => ({
  sql: (db, bind) => {
    const accounts = readable(db, bind(applicationId), `${bind(now)}::timestamptz`);
    return `SELECT 1 WHERE ${exists(accounts, `m."accountId" = ${bind(accountId)}`)}`;
  },
  refusal,
});

/**
 * The condition that an application may receive an event of an account now. The events of an account that is deleted count
 * until its deletion, which is the last of them. All arguments are SQL.
 */
export function mayReceive(
  db: EntityManager,
  { application, accountId, eventId, time, now }: Record<'application' | keyof ReceivedEvent, string>,
): string {
  const forManagers = `EXISTS (SELECT FROM ${tableOf(db, AccountChange).table} e
    WHERE e.id = ${eventId} AND e."accountId" = ${accountId} AND ${isForManagers('e."entityType"')})`;
  return exists(
    readable(db, application, now, {
      counts: `(c."deletedAt" IS NULL OR c."deletedAt" >= ${time})`,
      roles: `(${IS_MANAGER} OR ${IS_VIEWER} AND NOT ${forManagers})`,
    }),
    `m."accountId" = ${accountId}`,
  );
}

/** An event of an account, and the time now. */
interface ReceivedEvent {
  accountId: string;
  eventId: string;
  time: string;
  now: string;
}

/** True if an application may receive an event of an account of this time now. */
export async function canReceive(
  db: EntityManager,
  applicationId: string,
  { accountId, eventId, time, now }: ReceivedEvent,
): Promise<boolean> {
  const names = { application: '$1', accountId: '$2', time: '$3::timestamptz', now: '$4::timestamptz', eventId: '$5' };
  const [{ found }] = await run<{ found: boolean }>(db, {
    text: `SELECT ${mayReceive(db, names)} AS found`,
    values: [applicationId, accountId, time, now, eventId],
  });
  return found;
}

/** Those of the given accounts that an application may read. */
export async function readableOf(
  db: EntityManager,
  applicationId: string,
  accountIds: readonly string[],
  now: string,
): Promise<Set<string>> {
  const found = await run<{ id: string }>(db, {
    text: idsOf(readable(db, '$1', '$3::timestamptz'), 'm."accountId" = ANY($2)'),
    values: [applicationId, accountIds, now],
  });
  return new Set(found.map(({ id }) => id));
}

/** True if an application may read this account. */
export const canRead = async (
  db: EntityManager,
  applicationId: string,
  accountId: string,
  now: string,
): Promise<boolean> => (await readableOf(db, applicationId, [accountId], now)).has(accountId);

/** True if an application may read any account. */
export async function readsAny(db: EntityManager, applicationId: string, now: string): Promise<boolean> {
  const [{ found }] = await run<{ found: boolean }>(db, {
    text: `SELECT ${exists(readable(db, '$1', '$2::timestamptz'))} AS found`,
    values: [applicationId, now],
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
  { limit, now }: { limit: number; now: string },
): Promise<string[]> {
  const members = readable(db, '$1', '$5::timestamptz')
    .map((query) => `SELECT m."accountId" AS id, ${IS_MANAGER} AS "isManager" ${query}`)
    .join(' UNION ALL ');
  const found = await run<{ id: string }>(db, {
    text: `WITH seen AS MATERIALIZED (SELECT id, bool_or("isManager") AS "isManager" FROM (${members}) m GROUP BY id)
      (SELECT e.id FROM ${tableOf(db, OutgoingEvent).table} e
        WHERE e.id >= $2 AND e.id < $3 AND (e."applicationId" IS NULL OR e."applicationId" = $1)
          AND (e."accountId" IS NULL OR e."accountId" IN (SELECT id FROM seen))
        ORDER BY e.id LIMIT $4)
      UNION ALL
      (SELECT c.id FROM ${tableOf(db, AccountChange).table} c
        WHERE c.id >= $2 AND c.id < $3 AND c."transactionId" IS NOT NULL AND c."accountId" IN (SELECT id FROM seen)
          AND (NOT ${isForManagers('c."entityType"')} OR c."accountId" IN (SELECT id FROM seen WHERE "isManager"))
        ORDER BY c.id LIMIT $4)
      ORDER BY id LIMIT $4`,
    values: [applicationId, from, to, limit, now],
  });
  return found.map(({ id }) => id);
}
