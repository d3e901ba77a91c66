import { TAG_SLOTS } from '../../campaigns/tracking-tags/tracking-tag.entity.js';
import { YEAR_10000 } from '../../common/http/params/conversions.js';

/** The least and the greatest number of a column. */
interface NumberRange {
  min: bigint;
  max: bigint;
}

const upTo = (max: number | bigint, min: number | bigint = 0): NumberRange => ({
  min: BigInt(min),
  max: BigInt(max),
});

/** JSON and JavaScript have no greater numbers without loss. */
export const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
/** Columns that the service raises have room to grow. */
const MAX_RAISED = 1_000_000_000;
/** The counts of all hours of a day fit a column of the day, also of one with 25 hours. */
const MAX_COUNT_OF_HOUR = 80_000_000;
/** Days since 1970. */
const MAX_DAY = 100_000;
const MAX_UPLOADS = 1_000_000;

/** By table and column; numbers of other columns are from 0 to MAX_NUMBER, or as far as the column goes. */
const RANGES: Record<string, NumberRange> = {
  'audience_identifiers.person': { min: -(2n ** 63n), max: 2n ** 63n - 1n },
  'audience_identifiers.lastDay': upTo(MAX_DAY),
  'audience_identifiers.updates': upTo(MAX_UPLOADS),
  'audience_identifiers.earlier': upTo(MAX_UPLOADS),
  'audience_sizings.generation': upTo(MAX_RAISED),
  'line_items.creatives': upTo(MAX_RAISED),
  'targeting_sets.revision': upTo(MAX_RAISED, 1),
  'tracking_tags.slot': upTo(TAG_SLOTS.length, 1),
};

/** The range of a column of integers, by the most that its type holds. */
export function numberRangeOf(table: string, column: string, max: bigint): NumberRange {
  const known = RANGES[`${table}.${column}`];
  if (known) return known;
  if (table === 'delivery_facts' && max < 2n ** 32n) return upTo(MAX_COUNT_OF_HOUR);
  return upTo(max < MAX_NUMBER ? max : MAX_NUMBER);
}

/** The times that a column may have, in milliseconds since 1970, and whether they are whole hours. */
interface TimeRange {
  min: number;
  max: number;
  isWholeHour: boolean;
}

/** Dates with four digits, and no earlier ones than the service has. */
const ANY_TIME: TimeRange = { min: 0, max: YEAR_10000 - 1, isWholeHour: false };
/** Delivery is summed day by day up to them. */
const HOURS: TimeRange = { min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1), isWholeHour: true };

/** Columns of times that are whole hours, by table. */
const WHOLE_HOURS: Record<string, readonly string[]> = {
  delivery_facts: ['hour'],
  delivery_days: ['start', 'firstHour', 'lastHour'],
  delivery_rollups: ['until'],
};

/** The range of a column of times. */
export const timeRangeOf = (table: string, column: string): TimeRange =>
  WHOLE_HOURS[table]?.includes(column) ? HOURS : ANY_TIME;

/** Columns with an index, which takes no longer texts, and hashes. */
const INDEXED = new Set(['name', 'terms']);
const MAX_INDEXED = 512;
const MAX_TEXT = 10_000;

/** The greatest length of a text of people. */
export const maxLengthOf = (column: string): number => (INDEXED.has(column) ? MAX_INDEXED : MAX_TEXT);

/** Money whose sum over the rows of an account is a number, by table. */
const SUMMED: Record<string, readonly string[]> = Object.fromEntries(
  ['delivery_facts', 'delivery_days'].map((table) => [
    table,
    ['billedChargeLocalMicro', 'webSalesAfterView', 'webSalesAfterEngagement', 'mobileSales'],
  ]),
);

/** The first column whose sum over the rows is more than MAX_NUMBER, and the first row with which it is. */
export function excessIn(
  table: string,
  rows: readonly Record<string, unknown>[],
): { column: string; row: number } | undefined {
  for (const column of SUMMED[table] ?? []) {
    let sum = 0n;
    for (const [row, values] of rows.entries()) {
      sum += BigInt((values[column] as string | number | null | undefined) ?? 0);
      if (sum > MAX_NUMBER) return { column, row };
    }
  }
  return undefined;
}
