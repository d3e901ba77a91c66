import type { EntityManager } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Precondition } from '../../common/db/query/write.js';
import { Webhook } from '../entities/webhook.entity.js';

/** Claims webhooks whose challenge is due, earliest first. No other process claims them before `leased`. */
export async function claimChecks(
  db: EntityManager,
  now: string,
  leased: string,
  limit: number,
): Promise<Row<Webhook>[]> {
  const { table, select } = tableOf(db, Webhook);
  return run<Row<Webhook>>(db, {
    text: `WITH due AS MATERIALIZED (
        SELECT id FROM ${table} WHERE valid AND "deletedAt" IS NULL AND "nextCheckAt" <= $1::timestamptz
        ORDER BY "nextCheckAt" LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
      ) UPDATE ${table} r SET "nextCheckAt" = $2::timestamptz FROM due WHERE r.id = due.id RETURNING ${select}`,
    values: [now, leased, limit],
  });
}

/** Requires that a webhook still receives events. */
export const takesEvents = (id: string, refusal: () => Error): Precondition => ({
  sql: (db, bind) =>
    `SELECT 1 FROM ${tableOf(db, Webhook).table} WHERE id = ${bind(id)} AND valid AND "deletedAt" IS NULL FOR KEY SHARE`,
  refusal,
});
