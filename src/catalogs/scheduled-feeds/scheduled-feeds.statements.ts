import type { EntityManager } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { ScheduledFeed } from '../entities/scheduled-feed.entity.js';

/**
 * Claims the feed that has been due longest, and counts a claim that its process let expire as a failure. No other process
 * claims it before `until`. Undefined if none is due.
 */
export async function claimDueFeed(
  db: EntityManager,
  { now, until, claim }: { now: string; until: string; claim: string },
): Promise<Row<ScheduledFeed> | undefined> {
  const { table, select } = tableOf(db, ScheduledFeed);
  const [claimed] = await run<Row<ScheduledFeed>>(db, {
    text: `WITH due AS MATERIALIZED (
        SELECT id FROM ${table} WHERE "dueAt" <= $1::timestamptz AND ("claimedUntil" IS NULL OR "claimedUntil" <= $1::timestamptz)
        ORDER BY "dueAt" LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
      ) UPDATE ${table} r SET claim = $2, "claimedUntil" = $3::timestamptz,
        failures = r.failures + CASE WHEN r.claim IS NULL THEN 0 ELSE 1 END FROM due WHERE r.id = due.id RETURNING ${select}`,
    values: [now, claim, until],
  });
  return claimed;
}
