import type { Row } from '../../common/db/query/rows.js';
import type { Write } from '../../common/db/query/write.js';
import type { LineItem } from '../entities/line-item.entity.js';

/** Sets the placements of a line item and nothing else, so that its creatives can be counted concurrently. */
export const placed = ({
  accountId,
  id,
  placements,
  updatedAt,
}: Pick<Row<LineItem>, 'accountId' | 'id' | 'placements' | 'updatedAt'>): Write => ({
  sql: (
    _,
    bind,
    when,
  ) => `UPDATE line_items SET placements = ${bind(placements)}::varchar[], "updatedAt" = ${bind(updatedAt)}::timestamptz
    WHERE "accountId" = ${bind(accountId)} AND id = ${bind(id)} AND ${when}`,
});
