import type { ObjectLiteral } from 'typeorm';
import { run, type RunOptions, type Statement } from '../db/query/statement.js';
import type { Condition } from '../db/query/condition.js';
import type { Row, Rows } from '../db/query/rows.js';
import { sqlStateOf } from '../db/sqlstate.js';
import { invalidCursor, readCursor, writeCursor } from './cursor.js';
import { indexesOf, planOf, type ListPlan } from './list-plan.js';
import { selectFromAllRows, selectFromFoundRows, selectFromNextRows } from './list-statements.js';
import type { PageQuery } from './list-query.js';
import { followsPosition, decisiveKeys, orderOf, positionOf, sortKeysOf } from './sort.js';
import { Page } from '../http/answers/page.js';

/** A row that can be paged: the id ends every order. */
export type IdentifiedRow = ObjectLiteral & { id: string };

/** The default order of lists. */
export const NEWEST_FIRST = ['created_at-desc'];
const BY_NAME = ['name-asc'];

/**
 * Reads one page of the given rows, by key and never by offset: newest first, by name with a name prefix, or by
 * `sort_by`. `otherwise` is the order of a list whose `q` is not a name prefix. `meaning` is what cursors are bound to besides the
 * order, where conditions differ from page to page, such as those with the time.
 */
export async function page<T extends IdentifiedRow, R extends T = T>(
  rows: Rows<R>,
  query: PageQuery<T>,
  otherwise = 'q' in query && query.q !== undefined ? BY_NAME : NEWEST_FIRST,
  meaning?: readonly unknown[],
): Promise<Page<Row<R>>> {
  const { cursor, count, with_total_count } = query;
  rows.asAnswer();
  if (query.with_deleted) rows.withDeleted();
  const totalCount = with_total_count ? await rows.getCount() : undefined;

  const metadata = rows.db.connection.getMetadata(rows.entity);
  const sortBy = query.sort_by ?? otherwise;
  const { conditions } = rows;
  const isPresent = (name: string) => conditions.some(({ column, test }) => column === name && test === 'range');
  const keys = decisiveKeys(sortKeysOf(metadata, sortBy, isPresent), query.with_deleted);
  const listing = [sortBy, ...(meaning ?? meaningOf(rows))];
  const plan = planOf(indexesOf(metadata), conditions, keys);
  if (cursor !== undefined) {
    const length = keys.some((key) => key.column === 'id') ? keys.length : keys.length + 1;
    const position = followsPosition(keys, readCursor(cursor, listing, length), (value) => rows.bind(value));
    rows.whereSql(position);
    plan.walk?.push({ sql: position });
  }
  const items = await nextOf(rows, plan, ` ORDER BY ${orderOf(keys)}`, count + 1).catch((error: unknown) => {
    // a forged position can have a value that no row has
    throw cursor !== undefined && isBadValue(error) ? invalidCursor(cursor) : error;
  });
  const more = items.length > count;
  if (more) items.length = count;
  return new Page(items, more ? writeCursor(positionOf(keys, items[count - 1]), listing) : null, totalCount);
}

interface Found {
  id: string | null;
  isCut: boolean;
}

/** Maximum number of rows, as a multiple of the page, that a filter may exclude in a read of a shared connection. */
const EXCLUDED = 10;
/** The largest page whose rows do not delay others on a shared connection, with the row that begins the next one. */
const SMALL = 21;

/**
 * The next rows in the order. If no index serves filter and order, it reads at most ten times as many rows: first those
 * that the filter finds, to sort them, then those next in the order, to filter them. If neither suffices, a read that
 * takes longer does, where it does not delay others.
 */
async function nextOf<T extends IdentifiedRow>(
  rows: Rows<T>,
  plan: ListPlan,
  order: string,
  wanted: number,
): Promise<Row<T>[]> {
  const read = <R = Row<T>>(statement: Statement, options: Pick<RunOptions, 'large' | 'long'>) =>
    run<R>(rows.db, statement, rows.runOptions(options));
  const large = wanted > SMALL;
  const clauses = { order, tail: `${order} LIMIT ${rows.bind(wanted)}` };
  if (plan.isDirect) return read(rows.statement(clauses.tail), { large });
  const max = EXCLUDED * Math.max(wanted, SMALL);
  const isList = plan.lookup?.some(({ test }) => test === 'list') ?? false;
  /** Undefined if an index finds more rows by these conditions. */
  const few = async (lookup: readonly Condition[]): Promise<Row<T>[] | undefined> => {
    const statement = selectFromFoundRows(rows, lookup, max, clauses);
    const found = await read<Row<T> & Found>(statement, { large: large || isList });
    return found[0].isCut ? undefined : found.filter(({ id }) => id !== null);
  };
  const filtered = plan.lookup && (await few(plan.lookup));
  if (filtered) return filtered;
  if (plan.walk) {
    const next = await read(selectFromNextRows(rows, plan.walk, max, clauses), { large });
    if (next.length === wanted) return next;
    const last = plan.lookup ? undefined : await few(plan.walk);
    if (last) return last;
  }
  const whole =
    plan.isNarrower && !isList ? selectFromAllRows(rows, clauses, plan.lookup) : rows.statement(clauses.tail);
  return read(whole, { long: rows.owner });
}

/** Whether PostgreSQL rejects a value: its class of data exceptions. */
const isBadValue = (error: unknown): boolean => sqlStateOf(error).code?.startsWith('22') ?? false;

/** What a query selects, independent of its wording: the conditions of the filters and their values. */
export function meaningOf<T extends ObjectLiteral>(rows: Rows<T>): [conditions: string, values: unknown[]] {
  const { text, values } = rows.statement('', '');
  return [text, values.map((value) => (Array.isArray(value) ? [...new Set<unknown>(value)].sort() : value))];
}
