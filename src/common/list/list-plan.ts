import type { EntityMetadata } from 'typeorm';
import type { Condition } from '../db/query/condition.js';
import type { SortKey } from './sort.js';

/**
 * An index as lists use it: its columns, and the conditions of the rows in it. `name` stands for names as they are compared,
 * `name?` for those that may be null.
 */
export interface ListIndex {
  columns: readonly string[];
  where: readonly string[];
}

/** The conditions by which indexes find the rows of a page. */
export interface ListPlan {
  /** Those of the index that has the order; undefined without such an index. */
  walk?: Condition[];
  /** Those of the index that finds the rows of a filter, if that of the order does not. */
  lookup?: readonly Condition[];
  /** The index of the order serves all conditions. */
  isDirect: boolean;
  /** Another index leads to fewer rows. */
  isNarrower: boolean;
}

/** What an index serves of a list. */
interface Match {
  served: Condition[];
  /** Those of them that compare a column. */
  compared: ReadonlySet<Condition>;
  /** How well it finds rows: compared columns count most. */
  score: number;
  /** The columns that follow those with one value. */
  next: readonly string[];
}

const PER_COLUMN = 100;
const ONE_VALUE = 10;

/** Chooses indexes for a list with these conditions in this order. The first index is the primary key. */
export function planOf(
  indexes: readonly ListIndex[],
  conditions: readonly Condition[],
  keys: readonly Pick<SortKey, 'indexed'>[],
): ListPlan {
  const matches = indexes.map((index) => matchOf(index, conditions, indexes[0])).filter((match) => match !== undefined);
  // further keys decide between rows that are equal in the first, and all may be
  const inOrder = keys.length > 1 ? [] : matches.filter(({ next }) => isOrder(next, keys[0].indexed));
  const walk = bestOf(inOrder);
  const lists = conditions.filter(({ test }) => test === 'list');
  const others = matches.filter(({ compared }) => !walk || [...compared].some((each) => !walk.compared.has(each)));
  const isServed = (condition: Condition) => walk?.served.includes(condition) ?? false;
  return {
    walk: walk?.served,
    lookup: lists.length > 0 ? lists : bestOf(others)?.served,
    isDirect: walk !== undefined && conditions.every(isServed),
    isNarrower: lists.length > 0 || matches.some(({ served }) => !served.every(isServed)),
  };
}

/** Undefined if the index does not have all rows of the list. */
function matchOf({ columns, where }: ListIndex, conditions: readonly Condition[], key: ListIndex): Match | undefined {
  const served = where.map((sql) => conditions.find((condition) => isImplied(sql, condition)));
  if (served.includes(undefined)) return undefined;
  const compared = new Set<Condition>();
  let single = 0;
  let isSorted = true;
  for (const column of columns) {
    const condition = conditions.find((each) => each.column === column && each.test !== 'list');
    if (!condition) break;
    compared.add(condition);
    if (condition.test === 'range') break;
    // rows of several values are sorted by value first
    if (condition.test === 'any') isSorted = false;
    if (isSorted) single++;
  }
  // rows of one value of another column belong to one account, which each statement names
  const owner =
    key.columns.length > 1 && conditions.find((each) => each.column === key.columns[0] && each.test === 'equal');
  if (owner) compared.add(owner);
  const all = [...new Set([...compared, ...(served as Condition[])])];
  return {
    served: all,
    compared,
    score: compared.size * PER_COLUMN + single * ONE_VALUE + all.length,
    next: isSorted ? columns.slice(single) : [],
  };
}

/** Whether the rows that meet a condition also meet that of an index: it is the same, or another word is excluded. */
function isImplied(sql: string, condition: Condition): boolean {
  if (condition.sql === sql) return true;
  const [, column, word] = /^(.+) <> ('\w+')$/.exec(sql) ?? [];
  return column !== undefined && condition.sql.startsWith(`${column} = '`) && !condition.sql.endsWith(` ${word}`);
}

const isOrder = ([first, second]: readonly string[], column: string) =>
  first === column && (column === 'id' || second === 'id');

const bestOf = (matches: readonly Match[]): Match | undefined =>
  matches.reduce<Match | undefined>((best, match) => (best && best.score >= match.score ? best : match), undefined);

const known = new WeakMap<EntityMetadata, ListIndex[]>();

/** The primary key and the indexes of an entity, as far as their columns are declared. */
export function indexesOf(metadata: EntityMetadata): readonly ListIndex[] {
  const indexes = known.get(metadata) ?? readIndexes(metadata);
  known.set(metadata, indexes);
  return indexes;
}

function readIndexes(metadata: EntityMetadata): ListIndex[] {
  // `accountId` comes before `id` in the table, whatever the order in the class
  const key = metadata.primaryColumns.map(({ databaseName }) => databaseName).toSorted();
  const others = metadata.indices.map(({ givenColumnNames, where }) => ({
    columns: Array.isArray(givenColumnNames) ? givenColumnNames : [],
    where: where ? where.split(' AND ').map(ofRow) : [],
  }));
  return [{ columns: key, where: [] }, ...others];
}

/** `"deletedAt" IS NULL` or `state <> 'NEW'` as a condition of a query has it: `r."deletedAt" IS NULL`. */
const ofRow = (sql: string) => sql.replace(/"?\b([a-z]\w*)"?/, 'r."$1"');
