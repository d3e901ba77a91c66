import { sqlStateOf } from '../db/sqlstate.js';
import type { Bind } from '../db/query/statement.js';
import type { Write } from '../db/query/write.js';
import { WITHIN_QUOTA, type StoredKind } from './storage-usage.entity.js';

/** A counted kind of an owner, and its limit. */
export interface StorageQuota {
  ownerId: string;
  kind: StoredKind;
  quota: number;
}

/** The amount that a statement adds or removes, in bytes or rows. */
export type Amount = StorageQuota & { by: number };

/**
 * SQL that raises usage by a bigint expression, for a statement that counts what it stores. Usage beyond the quota is set to
 * -1, which a constraint rejects: the statement fails and stores nothing (see isQuotaExceeded). The row is locked until the
 * transaction ends, so the expression comes last in it. An expression that is not positive changes nothing.
 */
export function raiseUsage({ ownerId, kind, quota }: StorageQuota, by: string, bind: Bind, when = 'true'): string {
  const max = `${bind(quota)}::bigint`;
  return `INSERT INTO storage_usage AS u ("ownerId", kind, used)
    SELECT ${bind(ownerId)}, ${bind(kind)}, CASE WHEN n.by <= ${max} THEN n.by ELSE -1 END FROM (SELECT ${by} AS by) n WHERE n.by > 0 AND ${when}
    ON CONFLICT ("ownerId", kind) DO UPDATE SET used = CASE WHEN EXCLUDED.used >= 0 AND u.used + EXCLUDED.used <= ${max} THEN u.used + EXCLUDED.used ELSE -1 END`;
}

/** SQL that lowers usage by a bigint expression, to 0 at the least. `ownerId` is an SQL expression. */
export const lowerUsage = (ownerId: string, kind: StoredKind, by: string, bind: Bind, when = 'true'): string =>
  `UPDATE storage_usage u SET used = greatest(u.used - n.by, 0) FROM (SELECT ${by} AS by) n
    WHERE u."ownerId" = ${ownerId} AND u.kind = ${bind(kind)} AND n.by > 0 AND ${when}`;

/** Raises usage with a write. */
export const reserveStorage = (amount: Amount): Write => ({
  sql: (_, bind, when) => raiseUsage(amount, `${bind(amount.by)}::bigint`, bind, when),
});

/** Lowers usage with a write; always possible. */
export const releaseStorage = ({ ownerId, kind, by }: Amount): Write => ({
  sql: (_, bind, when) => lowerUsage(bind(ownerId), kind, `${bind(by)}::bigint`, bind, when),
});

/** Whether a statement failed because usage would have exceeded a quota. */
export const isQuotaExceeded = (error: unknown): boolean => sqlStateOf(error).constraint === WITHIN_QUOTA;
