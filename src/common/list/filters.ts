import type { ObjectLiteral } from 'typeorm';
import { run } from '../db/query/statement.js';
import type { ColumnOf, Row, Rows } from '../db/query/rows.js';

/** Keeps rows whose column is one of `values`; an absent filter keeps everything. */
export function among<T extends ObjectLiteral>(rows: Rows<T>, column: ColumnOf<T>, values?: string[]): Rows<T> {
  return values ? rows.also(`r."${column}" = ANY(${rows.bind(values)})`) : rows;
}

/** Keeps rows whose column begins with `prefix`, without case; as a range, because a prepared LIKE finds no index. */
export function startingWith<T extends ObjectLiteral>(rows: Rows<T>, column: ColumnOf<T>, prefix?: string): Rows<T> {
  if (prefix === undefined) return rows;
  const term = `lower(r."${column}") COLLATE "C"`;
  const least = `lower(${rows.bind(prefix)}::text)`;
  return rows.also(`${term} >= ${least} AND ${term} < ${least} || chr(1114111)`);
}

/** The one row with this id, or what `otherwise` throws. */
export async function one<T extends ObjectLiteral>(
  rows: Rows<T>,
  id: string,
  otherwise: () => Error,
  { with_deleted = false }: { with_deleted?: boolean } = {},
): Promise<Row<T>> {
  rows.deletedToo = with_deleted;
  const [row] = await run<Row<T>>(rows.db, rows.also(`r."id" = ${rows.bind(id)}`).statement());
  if (!row) throw otherwise();
  return row;
}
