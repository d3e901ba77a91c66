import type { EntityManager } from 'typeorm';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';

/** A due scheduled post and its position in time order. */
export interface Due {
  id: string;
  accountId: string;
  callerId: string;
  scheduledAt: string;
}

/**
 * Scheduled posts due at a time, earliest first, after `last`. The status is a literal, so that PostgreSQL uses the
 * partial index.
 */
export const dueAt = (db: EntityManager, now: string, limit: number, last?: Due): Promise<Due[]> =>
  run<Due>(db, {
    text: `SELECT r.id, r."accountId", r."callerId", r."scheduledAt" FROM ${tableOf(db, ScheduledPost).table} r
      WHERE r."scheduledStatus" = 'SCHEDULED' AND r."deletedAt" IS NULL AND r."scheduledAt" <= $1
        AND (r."scheduledAt", r.id) > ($2::timestamptz, $3)
      ORDER BY r."scheduledAt", r.id LIMIT $4`,
    values: [now, last?.scheduledAt ?? '-infinity', last?.id ?? '', limit],
  });

/**
 * Precondition, held until the statement ends: the scheduled post is unchanged and not published. A concurrent
 * publication then finds the stored result. Otherwise the rules run again.
 */
export const isWaitingUnchanged = ({ id, updatedAt }: Row<ScheduledPost>): Precondition => ({
  sql: (
    db,
    bind,
  ) => `SELECT 1 FROM ${tableOf(db, ScheduledPost).table} WHERE id = ${bind(id)} AND "updatedAt" = ${bind(updatedAt)}
    AND "scheduledStatus" = 'SCHEDULED' AND "deletedAt" IS NULL FOR SHARE`,
  refusal: () => new ConflictRetry(),
});
