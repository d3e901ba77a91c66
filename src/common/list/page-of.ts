import { readCursor, invalidCursor, writeCursor } from './cursor.js';
import type { PageQuery } from './list-query.js';
import { Page } from '../http/answers/page.js';

/** How a list that is held in memory is paged, in its own order. */
export interface Paging<T, K extends string | number> {
  /** Which list it is, and all that it was narrowed by: its cursors fit no other. */
  listing: readonly unknown[];
  /** What a cursor keeps of the item that its page ends with. */
  key: (item: T) => K;
  /**
   * How many items a page skips that begins after a key; all up to the item with that key unless given. Undefined where
   * nothing has it.
   */
  after?: (key: K) => number | undefined;
}

/** One page of a list that is held in memory. */
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

/** How many items of a list come first whose position, which grows along it, is not beyond this: also where it has changed meanwhile. */
export function upTo<T>(items: readonly T[], isBeyond: (item: T) => boolean): number {
  const next = items.findIndex(isBeyond);
  return next === -1 ? items.length : next;
}
