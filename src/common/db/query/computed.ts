import type { Bind } from './statement.js';

/** A value for `update` that depends on the stored one, so that it need not be read before. */
export class Computed<V> {
  /** For the compiler only: the type of the column. */
  declare readonly type?: V;

  /** `sql` creates the expression from the column's name in the statement. */
  constructor(readonly sql: (column: string, bind: Bind) => string) {}
}

/** The stored value, or this one when it is null. */
export const unlessSet = <V>(value: V): Computed<V> =>
  new Computed((column, bind) => `COALESCE(${column}, ${bind(value)})`);

/** The stored value plus or minus an amount; never below zero. */
export const added = (by: number): Computed<number> =>
  new Computed((column, bind) => `GREATEST(${column} + ${bind(by)}::int, 0)`);

/**
 * The `updatedAt` of a changed row: this time, but always after the stored one (`nextUpdatedAt` for a row that was not
 * read).
 */
export const nextAfterStored = (time: string): Computed<string> =>
  new Computed((column, bind) => `GREATEST(${bind(time)}::timestamptz, ${column} + interval '1 millisecond')`);

/** The same for `update` of a TypeORM repository. */
export const nextUpdatedAtOf = (now: Date) => (): string =>
  `GREATEST('${now.toISOString()}'::timestamptz, "updatedAt" + interval '1 millisecond')`;
