import type { ObjectLiteral } from 'typeorm';
import type { Row, Rows } from '../db/query/rows.js';

/** The row with this id. Throws the error of `otherwise` when there is none. */
export async function one<T extends ObjectLiteral>(
  rows: Rows<T>,
  id: string,
  otherwise: (id: string) => Error,
  { with_deleted = false }: { with_deleted?: boolean } = {},
): Promise<Row<T>> {
  if (with_deleted) rows.withDeleted();
  const row = await rows
    .asAnswer()
    .whereSql(`r."id" = ${rows.bind(id)}`)
    .getOne();
  if (!row) throw otherwise(id);
  return row;
}
