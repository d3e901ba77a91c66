import type { Type } from '@nestjs/common';
import type { Resource } from '../../entity/resource.entity.js';
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
export const exists = <T extends SoftlyDeleted>(entity: Type<T>, id: string, refusal: () => Error): Precondition => ({
  sql: (db, bind) =>
    `SELECT 1 FROM ${tableOf(db, entity).table} WHERE id = ${bind(id)} AND "deletedAt" IS NULL FOR KEY SHARE`,
  refusal,
});

/** The same for several rows of a table. */
export const allExist = <T extends SoftlyDeleted>(
  entity: Type<T>,
  ids: Iterable<string>,
  refusal: () => Error,
): Precondition => {
  const expected = [...new Set(ids)].sort();
  if (expected.length === 1) return exists(entity, expected[0], refusal);
  return {
    sql: (db, bind) => `SELECT 1 FROM (
        SELECT id FROM ${tableOf(db, entity).table} WHERE id = ANY(${bind(expected)}) AND "deletedAt" IS NULL ORDER BY id FOR KEY SHARE
      ) found HAVING count(*) = ${bind(expected.length)}::int`,
    refusal,
  };
};

/** These rows, if any, still exist; otherwise the work runs again (`retrying`). */
export function allStillExist<T extends SoftlyDeleted>(
  entity: Type<T>,
  found: Iterable<{ id: string }>,
): Precondition[] {
  const ids = [...found].map(({ id }) => id);
  return ids.length > 0 ? [allExist(entity, ids, () => new ConflictRetry())] : [];
}

/**
 * All of these rows are unchanged since they were read, even if a rule used cached copies, and are not deleted until
 * the statement is done. Otherwise calls `forget`, which must clear those copies, and the work runs again on fresh ones
 * (`retrying`).
 */
export const unchanged = <T extends Resource>(
  entity: Type<T>,
  judged: Iterable<Row<Resource>>,
  forget: () => void,
): Precondition => {
  const expected = [...new Map([...judged].map((row) => [row.id, row])).values()];
  const [only] = expected;
  const refusal = () => {
    forget();
    return new ConflictRetry();
  };
  // usually there is one, and a join over a list takes an eighth of the time of storing a row
  if (expected.length === 1) {
    return {
      sql: (db, bind) =>
        `SELECT 1 FROM ${tableOf(db, entity).table} WHERE id = ${bind(only.id)} AND "updatedAt" = ${bind(only.updatedAt)} FOR KEY SHARE`,
      refusal,
    };
  }
  return {
    sql: (db, bind) => `SELECT 1 FROM (
        SELECT f.id FROM ${tableOf(db, entity).table} f
        JOIN unnest(${bind(expected.map((each) => each.id))}::text[], ${bind(expected.map((each) => each.updatedAt))}::timestamptz[]) AS e (id, at) ON f.id = e.id AND f."updatedAt" = e.at
        ORDER BY f.id FOR KEY SHARE OF f
      ) found HAVING count(*) = ${bind(expected.length)}::int`,
    refusal,
  };
};
