import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { run } from '../../common/db/query/statement.js';
import { quoteIdentifier, tableOf } from '../../common/db/query/table-metadata.js';
import { countColumns } from './delivery-counts.entity.js';
import { DeliveryDay, DeliveryRollup } from './delivery-day.entity.js';
import { DeliveryFact } from './delivery-fact.entity.js';

/** Until when the facts of an account are rolled up; undefined if none are. */
export async function rolledUpUntil(db: EntityManager, accountId: string): Promise<Date | undefined> {
  const [rollup] = await run<{ until: string }>(db, {
    text: `SELECT r.until FROM ${tableOf(db, DeliveryRollup).table} r WHERE r."accountId" = $1`,
    values: [accountId],
  });
  return rollup && new Date(rollup.until);
}

/** The start of a roll-up of an account. */
export interface LockedRollup {
  /** Null if nothing is rolled up yet. */
  until: Date | null;
  /** The next hour that the simulation delivers; null if it does not. */
  position: Date | null;
}

/**
 * Locks the roll-up of an account until the end of the transaction; undefined if the account does not exist. Restores and
 * resets of the account wait meanwhile, and so does the delivery of its next hour.
 */
export async function lockRollup(db: EntityManager, accountId: string): Promise<LockedRollup | undefined> {
  const table = (entity: Parameters<typeof tableOf>[1]) => tableOf(db, entity).table;
  const values = [accountId];
  const accounts = await run(db, {
    text: `SELECT a.id FROM ${table(Account)} a WHERE a.id = $1 FOR KEY SHARE`,
    values,
  });
  if (accounts.length === 0) return undefined;
  const [position] = await run<{ hour: string }>(db, {
    text: `SELECT p.hour FROM delivery_positions p WHERE p."accountId" = $1 FOR SHARE`,
    values,
  });
  // a new row is locked, too; its time lasts until the end of the transaction only
  const [{ until }] = await run<{ until: string | null }>(db, {
    text: `INSERT INTO ${table(DeliveryRollup)} AS r ("accountId", until) VALUES ($1, '-infinity')
      ON CONFLICT ("accountId") DO UPDATE SET until = r.until RETURNING NULLIF(r.until, '-infinity') AS until`,
    values,
  });
  return { until: until === null ? null : new Date(until), position: position ? new Date(position.hour) : null };
}

/** The hour of the first fact of an account since a time. */
export async function firstFactHour(
  db: EntityManager,
  accountId: string,
  since: Date | null,
): Promise<Date | undefined> {
  const values = since ? [accountId, since.toISOString()] : [accountId];
  const [fact] = await run<{ hour: string }>(db, {
    text: `SELECT f.hour FROM ${tableOf(db, DeliveryFact).table} f
      WHERE f."accountId" = $1 ${since ? 'AND f.hour >= $2::timestamptz' : ''} ORDER BY f.hour LIMIT 1`,
    values,
  });
  return fact && new Date(fact.hour);
}

/** Replaces the days of an account that begin at all but the last of these times, in order, by the sums of their facts. */
export async function storeDays(db: EntityManager, accountId: string, bounds: readonly Date[]): Promise<void> {
  const [days, facts] = [tableOf(db, DeliveryDay).table, tableOf(db, DeliveryFact).table];
  const [from, to] = [bounds[0].toISOString(), bounds[bounds.length - 1].toISOString()];
  await run(db, {
    text: `DELETE FROM ${days} WHERE "accountId" = $1 AND start >= $2::timestamptz AND start < $3::timestamptz`,
    values: [accountId, from, to],
  });
  const columns = countColumns().map(quoteIdentifier);
  const starts = bounds.slice(0, -1).map((each) => each.toISOString());
  await run(db, {
    text: `INSERT INTO ${days} ("accountId", "lineItemId", start, placement, "promotedId", "audienceId", "promotedKind",
        "firstHour", "lastHour", ${columns.join(', ')})
      SELECT f."accountId", f."lineItemId", ($4::timestamptz[])[width_bucket(f.hour, $4::timestamptz[])], f.placement,
        f."promotedId", f."audienceId", min(f."promotedKind"), min(f.hour), max(f.hour),
        ${columns.map((column) => `sum(f.${column})`).join(', ')}
      FROM ${facts} f WHERE f."accountId" = $1 AND f.hour >= $2::timestamptz AND f.hour < $3::timestamptz
      GROUP BY f."accountId", f."lineItemId", 3, f.placement, f."promotedId", f."audienceId"`,
    values: [accountId, from, to, starts],
  });
}

/** Moves the roll-up of an account, in the transaction that locked it. */
export async function moveRollup(db: EntityManager, accountId: string, until: Date): Promise<void> {
  await run(db, {
    text: `UPDATE ${tableOf(db, DeliveryRollup).table} SET until = $2::timestamptz WHERE "accountId" = $1`,
    values: [accountId, until.toISOString()],
  });
}

/** Removes the days of an account from a time on, if it has some: its facts are summed when somebody asks. */
export async function removeDays(db: EntityManager, accountId: string, from: Date): Promise<void> {
  await run(db, {
    text: `WITH moved AS (UPDATE ${tableOf(db, DeliveryRollup).table} SET until = $2::timestamptz
        WHERE "accountId" = $1 AND until > $2::timestamptz RETURNING "accountId")
      DELETE FROM ${tableOf(db, DeliveryDay).table} d USING moved m
      WHERE d."accountId" = $1 AND d."accountId" = m."accountId" AND d.start >= $2::timestamptz`,
    values: [accountId, from.toISOString()],
  });
}

/** An account, and whether it has facts of days that are not rolled up. */
export interface RolledUpAccount {
  accountId: string;
  timezone: string;
  isLagging: boolean;
}

/**
 * The next `limit` accounts without a test clock after `after`, by id, and whether their roll-up ends before a time although they
 * have facts since then. A statement that looked for lagging ones alone would look at all accounts where there are few.
 */
export const accountsToRollUp = (
  db: EntityManager,
  before: string,
  after: string,
  limit: number,
): Promise<RolledUpAccount[]> =>
  run<RolledUpAccount>(db, {
    text: `SELECT a.id AS "accountId", a.timezone, (r.until IS NULL OR r.until < $1::timestamptz)
        AND EXISTS (SELECT FROM ${tableOf(db, DeliveryFact).table} f
          WHERE f."accountId" = a.id AND f.hour >= COALESCE(r.until, '-infinity') AND f.hour < $1::timestamptz) AS "isLagging"
      FROM (SELECT id, timezone FROM ${tableOf(db, Account).table}
        WHERE id > $2 AND "clockId" IS NULL AND "deletedAt" IS NULL ORDER BY id LIMIT $3) a
      LEFT JOIN ${tableOf(db, DeliveryRollup).table} r ON r."accountId" = a.id
      ORDER BY a.id ${OF_ALL_ACCOUNTS}`,
    values: [before, after, limit],
  });
