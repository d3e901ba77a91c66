import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/**
 * Adds amounts to the spend of line items or campaigns of an account, which it locks in the order of their ids. The
 * advertiser did not change them: the history gets no entry.
 */
export async function addSpends(
  db: EntityManager,
  table: 'line_items' | 'campaigns',
  accountId: string,
  amounts: ReadonlyMap<string, number>,
): Promise<void> {
  if (amounts.size === 0) return;
  const ids = [...amounts.keys()];
  // alone: in the update below, PostgreSQL would compare each row with the whole list
  await run(db, {
    text: `SELECT id FROM ${table} WHERE "accountId" = $1 AND id = ANY($2::varchar[] COLLATE "C") ORDER BY id FOR NO KEY UPDATE`,
    values: [accountId, ids],
  });
  await run(db, {
    text: `UPDATE ${table} r SET "spentLocalMicro" = r."spentLocalMicro" + s.amount
      FROM unnest($2::varchar[], $3::bigint[]) AS s (id, amount) WHERE r."accountId" = $1 AND r.id = s.id COLLATE "C"`,
    values: [accountId, ids, [...amounts.values()]],
  });
}
