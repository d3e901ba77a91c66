import type { EntityManager } from 'typeorm';
import { frozenAccounts } from '../../accounts/times/account-times.statements.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';

/** A due scheduled post and its position in time order. */
export interface DuePost {
  id: string;
  accountId: string;
  callerId: string;
  scheduledAt: string;
}

/** The columns of a due post. The status is a literal, so that PostgreSQL uses the partial index. */
const DUE = (db: EntityManager) =>
  `SELECT r.id, r."accountId", r."callerId", r."scheduledAt" FROM ${tableOf(db, ScheduledPost).table} r
    WHERE r."scheduledStatus" = 'SCHEDULED' AND r."deletedAt" IS NULL`;

/** Scheduled posts due at a time, earliest first, after `last`, except those of accounts with a test clock. */
export const duePostsAt = (db: EntityManager, now: string, limit: number, last?: DuePost): Promise<DuePost[]> =>
  run<DuePost>(db, {
    text: `${DUE(db)} AND r."scheduledAt" <= $1 AND (r."scheduledAt", r.id) > ($2::timestamptz, $3)
        AND r."accountId" NOT IN (${frozenAccounts(db)})
      ORDER BY r."scheduledAt", r.id LIMIT $4 ${OF_ALL_ACCOUNTS}`,
    values: [now, last?.scheduledAt ?? '-infinity', last?.id ?? '', limit],
  });

/** Scheduled posts of these accounts that are due until a time, earliest first. */
export const duePostsIn = (
  db: EntityManager,
  accountIds: readonly string[],
  until: string,
  limit: number,
): Promise<DuePost[]> =>
  run<DuePost>(db, {
    text: `${DUE(db)} AND r."accountId" = ANY($1) AND r."scheduledAt" <= $2 ORDER BY r."scheduledAt", r.id LIMIT $3`,
    values: [accountIds, until, limit],
  });

/** The number of scheduled posts of these accounts that are due until a time. */
export async function countDueIn(db: EntityManager, accountIds: readonly string[], until: string): Promise<number> {
  const [{ due }] = await run<{ due: number }>(db, {
    text: `SELECT count(*)::int AS due FROM (${DUE(db)} AND r."accountId" = ANY($1) AND r."scheduledAt" <= $2) d`,
    values: [accountIds, until],
  });
  return due;
}

/**
 * Precondition, held until the statement ends: the scheduled post is unchanged and not published. A concurrent
 * publication then finds the stored result. Otherwise the rules run again.
 */
export const isWaitingUnchanged = ({ accountId, id, updatedAt }: Row<ScheduledPost>): Precondition => ({
  sql: (
    db,
    bind,
  ) => `SELECT 1 FROM ${tableOf(db, ScheduledPost).table} WHERE "accountId" = ${bind(accountId)} AND id = ${bind(id)}
    AND "updatedAt" = ${bind(updatedAt)} AND "scheduledStatus" = 'SCHEDULED' AND "deletedAt" IS NULL FOR SHARE`,
  refusal: () => new ConflictRetry(),
});
