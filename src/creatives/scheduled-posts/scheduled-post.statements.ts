import type { EntityManager } from 'typeorm';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';

/** A scheduled post whose minute has come, and where it stands in the order of minutes. */
export interface Due {
  id: string;
  accountId: string;
  callerId: string;
  scheduledAt: string;
}

/** Those that are due at a moment, earliest first, after `last`. The words stand in the text, so that the index of what is due serves. */
export const dueAt = (db: EntityManager, now: string, limit: number, last?: Due): Promise<Due[]> =>
  run<Due>(db, {
    text: `SELECT r.id, r."accountId", r."callerId", r."scheduledAt" FROM ${tableOf(db, ScheduledPost).table} r
      WHERE r."scheduledStatus" = 'SCHEDULED' AND r."deletedAt" IS NULL AND r."scheduledAt" <= $1
        AND (r."scheduledAt", r.id) > ($2::timestamptz, $3)
      ORDER BY r."scheduledAt", r.id LIMIT $4`,
    values: [now, last?.scheduledAt ?? '-infinity', last?.id ?? '', limit],
  });

/**
 * A scheduled post is unchanged and waits to go live, and does not do so until the statement is done: whoever then
 * publishes it finds what was stored. Else the rules are asked again.
 */
export const isWaitingUnchanged = ({ id, updatedAt }: Row<ScheduledPost>): Precondition => ({
  sql: (
    db,
    bind,
  ) => `SELECT 1 FROM ${tableOf(db, ScheduledPost).table} WHERE id = ${bind(id)} AND "updatedAt" = ${bind(updatedAt)}
    AND "scheduledStatus" = 'SCHEDULED' AND "deletedAt" IS NULL FOR SHARE`,
  refusal: () => new ConflictRetry(),
});
