import { Column, type ColumnOptions } from 'typeorm';

/** Money in micro-units: bigint in the table, number in code (safe to 9 billion units). */
export const MicroColumn = (options: ColumnOptions = {}) => Column({ type: 'bigint', ...options });

/** Timestamps keep milliseconds, as the clock does: microseconds would not survive a cursor. */
export const TimestampColumn = (options: ColumnOptions = {}) =>
  Column({ type: 'timestamptz', precision: 3, ...options });

/** An id; collation "C" makes its text order the order of creation. */
export const IdColumn = (options: ColumnOptions = {}) => Column({ type: 'varchar', collation: 'C', ...options });
