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
export const increasedBy = (by: number): Computed<number> =>
  new Computed((column, bind) => `GREATEST(${column} + ${bind(by)}::int, 0)`);

/**
 * The `updatedAt` of a changed row as SQL: the time, but always after the stored one (`nextUpdatedAt` for a row that was
 * not read). A sum with a `timestamptz` depends on the session's time zone; in UTC it is immutable, which distributed
 * tables require.
 */
export const afterStored = (time: string, column = '"updatedAt"'): string =>
  `GREATEST(${time}::timestamptz, (${column} AT TIME ZONE 'UTC' + interval '1 millisecond') AT TIME ZONE 'UTC')`;

/** The same for `update` of `Rows`. */
export const nextAfterStored = (time: string): Computed<string> =>
  new Computed((column, bind) => afterStored(bind(time), column));

/** The same for `update` of a TypeORM repository. */
export const nextUpdatedAtOf = (now: Date) => (): string => afterStored(`'${now.toISOString()}'`);
