import { readCursor, invalidCursor, writeCursor } from './cursor.js';
import type { PageQuery } from './list-query.js';
import { Page } from '../http/answers/page.js';

/** Options for a list that is paged in memory, in its own order. */
export interface Paging<T, K extends string | number> {
  /** Identifies the list and its filters: cursors of other lists do not fit. */
  listing: readonly unknown[];
  /** The key of the last item of a page, which the cursor stores. */
  key: (item: T) => K;
  /**
   * The number of items that a page after a key skips; by default all up to the item with that key. Undefined when no
   * item has it.
   */
  after?: (key: K) => number | undefined;
}

/** One page of a list in memory. */
export function pageOf<T, K extends string | number>(
  items: readonly T[],
  { count, cursor, with_total_count }: Pick<PageQuery, 'count' | 'cursor' | 'with_total_count'>,
  { listing, key, after = (last) => items.findIndex((item) => key(item) === last) + 1 || undefined }: Paging<T, K>,
): Page<T> {
  const from = cursor === undefined ? 0 : after(readCursor(cursor, listing, 1)[0] as K);
  if (from === undefined) throw invalidCursor(cursor!);
  const shown = items.slice(from, from + count);
  const last = shown.at(-1);
  const more = last !== undefined && from + count < items.length;
  const nextCursor = more ? writeCursor([key(last)], listing) : null;
  return new Page(shown, nextCursor, with_total_count ? items.length : undefined);
}

/**
 * The number of leading items whose position is not beyond the given one. Positions ascend. Also works when the list
 * has changed meanwhile.
 */
export function countLeading<T>(items: readonly T[], isBeyond: (item: T) => boolean): number {
  const next = items.findIndex(isBeyond);
  return next === -1 ? items.length : next;
}
