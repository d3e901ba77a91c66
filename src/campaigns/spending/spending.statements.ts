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
