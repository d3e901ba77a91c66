import type { ObjectLiteral } from 'typeorm';
import { OF_ALL_ACCOUNTS } from '../db/query/account-key.js';
import { whereAll, type Condition } from '../db/query/condition.js';
import type { Rows } from '../db/query/rows.js';
import type { Statement } from '../db/query/statement.js';
import { quoteIdentifier, tableOf } from '../db/query/table-metadata.js';

/** A page as SQL: the order of the list, and order and limit of the page. */
export interface PageClauses {
  order: string;
  tail: string;
}

/** Reads the page of those of the next `limit` rows that meet all conditions. The index of the order serves `walk`. */
export function selectFromNextRows<T extends ObjectLiteral>(
  rows: Rows<T>,
  walk: readonly Condition[],
  limit: number,
  { order, tail }: PageClauses,
): Statement {
  const { columns, values } = rows.selection();
  const next = `${first(rows, walk)}${order} LIMIT $${values.push(limit)}`;
  return { text: `SELECT ${columns} FROM (${next}) r${others(rows, walk)}${tail}${rows.mark}`, values };
}

/**
 * Reads the page of at most `limit` rows that an index finds by `lookup`. `isCut` is true in its rows if there may be
 * more; without rows that meet all conditions it is in one without an id.
 */
export function selectFromFoundRows<T extends ObjectLiteral>(
  rows: Rows<T>,
  lookup: readonly Condition[],
  limit: number,
  { order, tail }: PageClauses,
): Statement {
  const { columns, values } = rows.selection();
  const max = `$${values.push(limit)}::bigint`;
  const text = `WITH found AS MATERIALIZED (${found(rows, lookup, ` LIMIT ${max}`)})
    SELECT ${columns}, (SELECT count(*) FROM found) = ${max} AS "isCut" FROM (SELECT) o
    LEFT JOIN (SELECT r.* FROM found r${others(rows, lookup)}${tail}) r ON true${order}${rows.mark}`;
  return { text, values };
}

/** Reads the page of all rows that an index finds by `lookup`, or without one, all that meet the conditions. */
export function selectFromAllRows<T extends ObjectLiteral>(
  rows: Rows<T>,
  { tail }: PageClauses,
  lookup: readonly Condition[] = rows.conditions,
): Statement {
  const { columns, values } = rows.selection();
  // OFFSET keeps PostgreSQL from reading in the order until it has found enough
  const source = found(rows, lookup, ' OFFSET 0');
  return { text: `SELECT ${columns} FROM (${source}) r${others(rows, lookup)}${tail}${rows.mark}`, values };
}

/**
 * The rows that meet the conditions. Those of several values are read value by value: PostgreSQL expects few rows of an
 * account, and would read them all to compare them with the values.
 */
function found<T extends ObjectLiteral>(rows: Rows<T>, conditions: readonly Condition[], bound: string): string {
  const several = conditions.find(({ test }) => test === 'any');
  if (!several) {
    // an index of lists has no accounts; the words in it do
    const mark = conditions.some(({ test }) => test === 'list') ? ` ${OF_ALL_ACCOUNTS}` : rows.mark;
    return `${first(rows, conditions)}${bound}${mark}`;
  }
  const { column, values } = several;
  const one = conditions.map((each) => (each === several ? { sql: `r.${quoteIdentifier(column!)} = v.value` } : each));
  const array = `${values}::${typeOf(rows, column!)}[]`;
  return `SELECT r.* FROM (SELECT DISTINCT unnest(${array}) AS value) v
    CROSS JOIN LATERAL (${first(rows, one)}${bound}) r${bound}${rows.mark}`;
}

function typeOf<T extends ObjectLiteral>({ db, entity }: Rows<T>, column: string): string {
  const { driver } = db.dataSource;
  return driver.normalizeType(db.dataSource.getMetadata(entity).findColumnWithPropertyName(column)!);
}

const first = <T extends ObjectLiteral>(rows: Rows<T>, conditions: readonly Condition[]) =>
  `SELECT r.* FROM ${tableOf(rows.db, rows.entity).table} r${whereAll(conditions)}`;

const others = <T extends ObjectLiteral>({ conditions }: Rows<T>, served: readonly Condition[]) =>
  whereAll(conditions.filter(({ sql }) => !served.some((each) => each.sql === sql)));
