import type { DataSource, ObjectLiteral } from 'typeorm';
import { readLong } from '../db/query/long-read.js';
import type { ColumnOf, Row, Rows } from '../db/query/rows.js';

const PAGE = 1_000;
/** A page may have to scan a table that has no suitable index. */
const GENEROSITY = { seconds: 300, megabytes: 32 };

/**
 * Reads any number of rows in the order of a unique text column, a page at a time. `wanted` narrows them again for each
 * page.
 */
export async function* inPages<T extends ObjectLiteral>(
  dataSource: DataSource,
  wanted: () => Rows<T>,
  key: ColumnOf<T>,
  size = PAGE,
): AsyncGenerator<Row<T>> {
  let last: Row<T>[ColumnOf<T>] | undefined;
  for (;;) {
    const page = wanted();
    if (last !== undefined) page.whereMoreThan(key, last);
    const found = await readLong<Row<T>>(dataSource, page.statement(` ORDER BY r."${key}" LIMIT ${size}`), GENEROSITY);
    yield* found;
    if (found.length < size) return;
    last = found.at(-1)![key];
  }
}
