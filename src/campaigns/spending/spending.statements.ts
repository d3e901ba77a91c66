import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import type { Write } from '../../common/db/query/write.js';

/**
 * Adds an amount to the spend of a campaign or line item. The advertiser did not change it: the history gets no entry
 * unless the budget runs out, and `updatedAt` stays the same.
 */
export const spentOn = (
  table: 'campaigns' | 'line_items',
  { accountId, id }: { accountId: string; id: string },
  amount: number,
): Write => ({
  sql: (_, bind, when) =>
    `UPDATE ${table} SET "spentLocalMicro" = "spentLocalMicro" + ${bind(amount)}::bigint WHERE "accountId" = ${bind(accountId)} AND id = ${bind(id)} AND ${when}`,
});

/**
 * Adds amounts to the spend of line items or campaigns of an account, which it locks in the order of their ids. Returns the
 * ids of those whose total budget ran out. The advertiser did not change them: `updatedAt` stays the same.
 */
export async function addSpends(
  db: EntityManager,
  table: 'line_items' | 'campaigns',
  accountId: string,
  amounts: ReadonlyMap<string, number>,
): Promise<string[]> {
  if (amounts.size === 0) return [];
  const ids = [...amounts.keys()];
  // alone: in the update below, PostgreSQL would compare each row with the whole list
  await run(db, {
    text: `SELECT id FROM ${table} WHERE "accountId" = $1 AND id = ANY($2::varchar[] COLLATE "C") ORDER BY id FOR NO KEY UPDATE`,
    values: [accountId, ids],
  });
  const exhausted = await run<{ id: string }>(
    db,
    {
      text: `WITH spent AS (UPDATE ${table} r SET "spentLocalMicro" = r."spentLocalMicro" + s.amount
          FROM unnest($2::varchar[], $3::bigint[]) AS s (id, amount) WHERE r."accountId" = $1 AND r.id = s.id COLLATE "C"
          RETURNING r.id, r."totalBudgetAmountLocalMicro" AS total, r."spentLocalMicro" AS after, s.amount)
        SELECT id FROM spent WHERE after >= total AND after - amount < total ORDER BY id`,
      values: [accountId, ids, [...amounts.values()]],
    },
    { large: true },
  );
  return exhausted.map(({ id }) => id);
}
