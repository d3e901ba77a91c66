import type { ColumnOf, Row, Rows } from '../db/query/rows.js';
import type { IdentifiedRow } from './page.js';

/** A part of a list: at most `limit` items that follow the one with the id `before`. */
export interface NewestQuery {
  before?: string;
  limit: number;
}

/** Reads rows by id, newest first, for lists without a cursor. */
export function readNewest<T extends IdentifiedRow>(rows: Rows<T>, { before, limit }: NewestQuery): Promise<Row<T>[]> {
  const id = 'id' as ColumnOf<T>;
  if (before !== undefined) rows.whereLessThan(id, before as Row<T>[typeof id]);
  return rows.orderBy(id, 'DESC').limit(limit).getMany();
}
