import type { Bind } from './statement.js';

/** What `update` sets a column to where that depends on what is stored in it, so that nothing has to be read before. */
export class Computed<V> {
  /** Only the compiler looks at it: the type of the column. */
  declare readonly type?: V;

  /** `sql` makes the expression from the column as the statement names it. */
  constructor(readonly sql: (column: string, bind: Bind) => string) {}
}

/** What is stored, or this value where nothing is. */
export const unlessSet = <V>(value: V): Computed<V> =>
  new Computed((column, bind) => `COALESCE(${column}, ${bind(value)})`);

/** What is stored and so much more, or less; never below zero. */
export const added = (by: number): Computed<number> =>
  new Computed((column, bind) => `GREATEST(${column} + ${bind(by)}::int, 0)`);

/**
 * The `updatedAt` of a row that is changed now: this time, but always after the one stored (`nextUpdatedAt` for a row that
 * was not read).
 */
export const nextAfterStored = (time: string): Computed<string> =>
  new Computed((column, bind) => `GREATEST(${bind(time)}::timestamptz, ${column} + interval '1 millisecond')`);

/** The same for `update` of a TypeORM repository. */
export const nextUpdatedAtOf = (now: Date) => (): string =>
  `GREATEST('${now.toISOString()}'::timestamptz, "updatedAt" + interval '1 millisecond')`;
