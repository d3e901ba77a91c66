import type { EntityManager } from 'typeorm';
import { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { readable } from '../subscriptions/subscriptions.statements.js';

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
