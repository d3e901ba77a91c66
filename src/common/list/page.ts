import type { ObjectLiteral } from 'typeorm';
import { run } from '../db/query/statement.js';
import type { Row, Rows } from '../db/query/rows.js';
import { readCursor, writeCursor } from './cursor.js';
import type { PageQuery } from './list-query.js';
import { afterOf, orderOf, positionOf, sortKeysOf } from './sort.js';
import { Page } from '../http/answers/page.js';

/** A row that can be paged: the id ends every order. */
export type Identified = ObjectLiteral & { id: string };

/** The default order of lists. */
export const NEWEST_FIRST = ['created_at-desc'];
const BY_NAME = ['name-asc'];

/**
 * Reads one page of the given rows, by key and never by offset: newest first, by name with a name prefix, or by
 * `sort_by`. `otherwise` is the order of a list whose `q` is not a name prefix.
 */
export async function page<T extends Identified, R extends T = T>(
  rows: Rows<R>,
  query: PageQuery<T>,
  otherwise = 'q' in query && query.q !== undefined ? BY_NAME : NEWEST_FIRST,
): Promise<Page<Row<R>>> {
  const { cursor, count, with_total_count } = query;
  if (query.with_deleted) rows.withDeleted();
  const totalCount = with_total_count ? await rows.getCount() : undefined;

  const metadata = rows.db.connection.getMetadata(rows.entity);
  const sortBy = query.sort_by ?? otherwise;
  const keys = sortKeysOf(metadata, sortBy);
  const listing = [sortBy, ...meaningOf(rows)];
  if (cursor !== undefined) {
    const length = keys.some((key) => key.column === 'id') ? keys.length : keys.length + 1;
    rows.whereSql(afterOf(keys, readCursor(cursor, listing, length), (value) => rows.bind(value)));
  }
  const items = await run<Row<R>>(
    rows.db,
    rows.statement(` ORDER BY ${orderOf(keys)} LIMIT ${rows.bind(count + 1)}`),
    rows.runOptions({ large: count > 20 }),
  );
  const more = items.length > count;
  if (more) items.length = count;
  return new Page(items, more ? writeCursor(positionOf(keys, items[count - 1]), listing) : null, totalCount);
}

/** What a query selects, independent of its wording: the conditions of the filters and their values. */
function meaningOf<T extends ObjectLiteral>(rows: Rows<T>): [conditions: string, values: unknown[]] {
  const { text, values } = rows.statement('', '');
  return [text, values.map((value) => (Array.isArray(value) ? [...new Set<unknown>(value)].sort() : value))];
}
