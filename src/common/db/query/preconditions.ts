import type { Type } from '@nestjs/common';
import type { Resource } from '../../entity/resource.entity.js';
import { ofAccounts, type RowKey } from './account-key.js';
import { ConflictRetry } from './retry.js';
import type { Row } from './rows.js';
import { tableOf } from './table-metadata.js';
import type { Precondition } from './write.js';

/** An entity with soft deletion. */
type SoftlyDeleted = Pick<Resource, 'id' | 'deletedAt'>;

/**
 * The row exists and is not deleted until the statement is done: a concurrent deletion waits, and a statement that
 * waited for a deletion fails.
 */
export const exists = <T extends SoftlyDeleted>(
  entity: Type<T>,
  key: RowKey<T>,
  refusal: () => Error,
): Precondition => ({
  sql: (db, bind) => {
    const metadata = tableOf(db, entity);
    return `SELECT 1 FROM ${metadata.table} r WHERE ${ofAccounts(metadata, [key], bind)}r.id = ${bind(key.id)} AND r."deletedAt" IS NULL FOR KEY SHARE`;
  },
  refusal,
});

/** The same for several rows of a table. */
export const allExist = <T extends SoftlyDeleted>(
  entity: Type<T>,
  keys: Iterable<RowKey<T>>,
  refusal: () => Error,
): Precondition => {
  const expected = [...new Map([...keys].map((key) => [key.id, key])).values()].sort(byId);
  if (expected.length === 1) return exists(entity, expected[0], refusal);
  return {
    sql: (db, bind) => {
      const metadata = tableOf(db, entity);
      const ids = bind(expected.map(({ id }) => id));
      return `SELECT 1 FROM (
        SELECT r.id FROM ${metadata.table} r WHERE ${ofAccounts(metadata, expected, bind)}r.id = ANY(${ids}) AND r."deletedAt" IS NULL ORDER BY r.id FOR KEY SHARE
      ) found HAVING count(*) = ${bind(expected.length)}::int`;
    },
    refusal,
  };
};

/** These rows, if any, still exist; otherwise the work runs again (`retrying`). */
export function allStillExist<T extends SoftlyDeleted>(entity: Type<T>, found: Iterable<RowKey<T>>): Precondition[] {
  const keys = [...found];
  return keys.length > 0 ? [allExist(entity, keys, () => new ConflictRetry())] : [];
}

/**
 * All of these rows are unchanged since they were read, even if a rule used cached copies, and are not deleted until
 * the statement is done. Otherwise calls `forget`, which must clear those copies, and the work runs again on fresh ones
 * (`retrying`).
 */
export const unchanged = <T extends Resource>(
  entity: Type<T>,
  judged: Iterable<RowKey<T> & Pick<Row<Resource>, 'updatedAt'>>,
  forget: () => void,
): Precondition => {
  const expected = [...new Map([...judged].map((row) => [row.id, row])).values()];
  const refusal = () => {
    forget();
    return new ConflictRetry();
  };
  // usually there is one, and a join over a list takes an eighth of the time of storing a row
  if (expected.length === 1) {
    const [only] = expected;
    return {
      sql: (db, bind) => {
        const metadata = tableOf(db, entity);
        return `SELECT 1 FROM ${metadata.table} r WHERE ${ofAccounts(metadata, expected, bind)}r.id = ${bind(only.id)} AND r."updatedAt" = ${bind(only.updatedAt)} FOR KEY SHARE`;
      },
      refusal,
    };
  }
  return {
    sql: (db, bind) => {
      const metadata = tableOf(db, entity);
      return `SELECT 1 FROM (
        SELECT r.id FROM ${metadata.table} r
        JOIN unnest(${bind(expected.map((each) => each.id))}::text[], ${bind(expected.map((each) => each.updatedAt))}::timestamptz[]) AS e (id, at) ON r.id = e.id AND r."updatedAt" = e.at
        WHERE ${ofAccounts(metadata, expected, bind)}true
        ORDER BY r.id FOR KEY SHARE OF r
      ) found HAVING count(*) = ${bind(expected.length)}::int`;
    },
    refusal,
  };
};

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);
