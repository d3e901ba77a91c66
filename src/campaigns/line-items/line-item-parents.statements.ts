import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Bind } from '../../common/db/query/statement.js';
import type { Precondition } from '../../common/db/query/write.js';
import { LINE_ITEMS } from '../entities/line-item.entity.js';

/** A resource that belongs to a line item. */
interface Belonging {
  accountId: string;
  lineItemId: string;
}

type Lock = 'KEY SHARE' | 'NO KEY UPDATE';

/**
 * The line item of a new row belongs to the account, and neither it nor its campaign is deleted until the statement
 * ends.
 */
export const lineItemIsAlive = (row: Belonging): Precondition => alive(row, 'KEY SHARE');

/**
 * The same for creatives of a line item. It is locked before its campaign, as everywhere, and no concurrent write
 * changes its creatives.
 */
export const lineItemIsHeld = (row: Belonging): Precondition => alive(row, 'NO KEY UPDATE');

/**
 * The same for several line items. All of them existed when the request was validated. If one is deleted since, the
 * write is repeated.
 */
export const lineItemsAreAlive = (accountId: string, lineItemIds: Iterable<string>): Precondition => {
  const ids = [...new Set(lineItemIds)].sort();
  const refusal = () => new ConflictRetry();
  if (ids.length === 1) return { ...alive({ accountId, lineItemId: ids[0] }, 'KEY SHARE'), refusal };
  return {
    sql: (_, bind) => `SELECT 1 FROM (
        ${living(bind, accountId, `id = ANY(${bind(ids)}::varchar[])`)} ORDER BY id FOR KEY SHARE
      ) found HAVING count(*) = ${bind(ids.length)}::int`,
    refusal,
  };
};

const alive = ({ accountId, lineItemId }: Belonging, lock: Lock): Precondition => ({
  sql: (_, bind) => `${living(bind, accountId, `id = ${bind(lineItemId)}`)} FOR ${lock}`,
  refusal: () => LINE_ITEMS.notFoundError({ id: accountId })(lineItemId),
});

const living = (bind: Bind, accountId: string, which: string): string =>
  `SELECT 1 FROM line_items WHERE "accountId" = ${bind(accountId)} AND ${which} AND "deletedAt" IS NULL AND NOT "campaignDeleted"`;
