import type { EntityManager } from 'typeorm';
import type { RowReader } from '../../common/db/query/freshness.js';
import { rows, type ColumnOf, type Row, type Rows } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { ResourceDefinition } from '../resource-definition.js';

/** A query for the rows of a resource that belong to an account. */
export function rowsOfAccount<T extends Resource>(
  db: EntityManager,
  account: { id: string } & RowReader,
  { entity, accountColumn }: ResourceDefinition<T>,
): Rows<T> {
  const all = rows(db, entity).readBy(account);
  return all.where(accountColumn, account.id as Row<T>[ColumnOf<T>]);
}

/**
 * Restricts a query to the rows with these keys in a column, by default their ids. The cast is needed because the
 * columns of a generic type are unknown.
 */
export const whereKeyIn = <T extends Resource>(
  all: Rows<T>,
  keys: readonly string[],
  column = 'id' as ColumnOf<T>,
): Rows<T> => all.whereIn(column, [...new Set(keys)] as Row<T>[ColumnOf<T>][]);
