import type { Write } from '../../common/db/query/write.js';

/**
 * So much more was spent on a campaign, or a line item. It is no change that its advertiser made: history has none, and
 * `updatedAt` stays.
 */
export const spentOn = (table: 'campaigns' | 'line_items', id: string, amount: number): Write => ({
  sql: (_, bind, when) =>
    `UPDATE ${table} SET "spentLocalMicro" = "spentLocalMicro" + ${bind(amount)}::bigint WHERE id = ${bind(id)} AND ${when}`,
});
