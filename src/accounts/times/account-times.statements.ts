import type { EntityManager } from 'typeorm';
import { FrozenTime } from '../../common/time/frozen-time.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Precondition, Write } from '../../common/db/query/write.js';
import { clockIsAdvancing } from '../accounts.errors.js';
import { Account } from '../entities/account.entity.js';

/**
 * Precondition, held until the statement ends: the test clock of the account shows the time with which the statement
 * was planned. Accounts without a test clock need none.
 */
export const clockUnchanged = (id: string, now: Date): Precondition[] =>
  now instanceof FrozenTime
    ? [
        {
          sql: (db, bind) =>
            `SELECT 1 FROM ${tableOf(db, Account).table} WHERE id = ${bind(id)} AND "frozenTime" = ${bind(now.toISOString())}::timestamptz FOR SHARE`,
          refusal: () => clockIsAdvancing(id),
        },
      ]
    : [];

/** The effect of a test clock on its accounts. */
export interface ClockState {
  clockId: string;
  frozenTime: string;
  clockAdvancing: boolean;
}

/** Moves the accounts of a test clock to its time. */
export const moveAccounts = ({ clockId, frozenTime, clockAdvancing }: ClockState): Write => ({
  sql: (db, bind, when) =>
    `UPDATE ${tableOf(db, Account).table} SET "frozenTime" = ${bind(frozenTime)}::timestamptz, "clockAdvancing" = ${bind(clockAdvancing)}
      WHERE "clockId" = ${bind(clockId)} AND ${when}`,
});

/**
 * The sandbox accounts among these that have no test clock get this one; returns their ids. Waits for hours that are being
 * delivered, which lock their account; later ones wait for this transaction and see the clock.
 */
export async function attachAccounts(
  db: EntityManager,
  { clockId, frozenTime, clockAdvancing }: ClockState,
  accountIds: readonly string[],
): Promise<string[]> {
  const { table } = tableOf(db, Account);
  const attached = await run<{ id: string }>(db, {
    text: `UPDATE ${table} r SET "clockId" = $1, "frozenTime" = $2::timestamptz, "clockAdvancing" = $3
      WHERE r.id = ANY(ARRAY(SELECT id FROM ${table} WHERE id = ANY($4) ORDER BY id FOR UPDATE))
        AND r.environment = 'sandbox' AND r."deletedAt" IS NULL AND r."clockId" IS NULL RETURNING r.id`,
    values: [clockId, frozenTime, clockAdvancing, accountIds],
  });
  return attached.map(({ id }) => id);
}

/** An account of a test clock follows the service again; undefined if it does not follow this clock. */
export async function detachAccount(
  db: EntityManager,
  clockId: string,
  accountId: string,
): Promise<string | undefined> {
  const [detached] = await run<{ id: string }>(db, {
    text: `UPDATE ${tableOf(db, Account).table} SET "clockId" = NULL, "frozenTime" = NULL, "clockAdvancing" = false
      WHERE id = $2 AND "clockId" = $1 AND "deletedAt" IS NULL RETURNING id`,
    values: [clockId, accountId],
  });
  return detached?.id;
}

/** The accounts of these test clocks accept requests again that change them. */
export async function stopAccounts(db: EntityManager, clockIds: readonly string[]): Promise<void> {
  await run(db, {
    text: `UPDATE ${tableOf(db, Account).table} SET "clockAdvancing" = false WHERE "clockId" = ANY($1)`,
    values: [clockIds],
  });
}

/** The accounts of these test clocks follow the service again. */
export async function detachAccounts(db: EntityManager, clockIds: readonly string[]): Promise<void> {
  await run(db, {
    text: `UPDATE ${tableOf(db, Account).table} SET "clockId" = NULL, "frozenTime" = NULL, "clockAdvancing" = false WHERE "clockId" = ANY($1)`,
    values: [clockIds],
  });
}

/**
 * The ids of the accounts with a test clock, as a subquery: jobs leave what becomes due there to the clock, which leaves deleted
 * accounts to them.
 */
export const frozenAccounts = (db: EntityManager): string =>
  `SELECT id FROM ${tableOf(db, Account).table} WHERE "clockId" IS NOT NULL AND "deletedAt" IS NULL`;
