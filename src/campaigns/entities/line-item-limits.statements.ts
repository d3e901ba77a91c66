import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/** Maximum number of line items per campaign, not counting deleted ones. */
export const LINE_ITEMS_OF_CAMPAIGN = { kind: 'line items', limit: 100 };

/** Maximum number of active line items per account. */
export const ACTIVE_LINE_ITEMS = { kind: 'active line items', limit: 256 };

/** Stops counting the ended line items of an account. Returns whether there were any. */
export async function releaseExpired(db: EntityManager, accountId: string, now: Date): Promise<boolean> {
  const released = await run(db, {
    text: `WITH ended AS (UPDATE line_items SET counted = false WHERE "accountId" = $1 AND counted AND "endTime" <= $2::timestamptz
        AND "deletedAt" IS NULL RETURNING 1)
      UPDATE counters SET value = value - (SELECT count(*) FROM ended)
      WHERE "ownerId" = $1 AND kind = $3 AND EXISTS (SELECT FROM ended) RETURNING 1`,
    values: [accountId, now.toISOString(), ACTIVE_LINE_ITEMS.kind],
  });
  return released.length > 0;
}
