import { quoteIdentifier } from './table-metadata.js';

/** A condition on rows: SQL over the row `r`. */
export interface Condition {
  sql: string;
  /** The test of a column, which an index of the column can serve. */
  column?: string;
  test?: 'equal' | 'any' | 'range' | 'list';
  /** The array whose values the column is compared with, for `any`. */
  values?: string;
}

/** The condition that excludes deleted rows. */
export const notDeleted = (deletedAt: string): Condition => ({ sql: `r.${deletedAt} IS NULL` });

/** The condition that a column is one of the values of an array. */
export const equalsAny = (column: string, values: string): [sql: string, about: Omit<Condition, 'sql'>] => [
  `r.${quoteIdentifier(column)} = ANY(${values})`,
  { column, test: 'any', values },
];

/** The clause that all conditions hold; empty without any. */
export function whereAll(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => `(${sql})`).join(' AND ')}`;
}

/** Those that test the values of a list, and the others. */
export function splitLists(conditions: readonly Condition[]): [lists: Condition[], others: Condition[]] {
  return [conditions.filter(({ test }) => test === 'list'), conditions.filter(({ test }) => test !== 'list')];
}
