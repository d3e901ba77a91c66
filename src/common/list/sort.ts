import type { EntityMetadata } from 'typeorm';
import type { CursorPosition } from './cursor.js';

/** One sort key: its SQL expression, and the position of its value in a row. */
export interface SortKey {
  attribute: string;
  column: string;
  descending: boolean;
  /** Wraps a column, or a bound parameter of the same type, into the compared expression. */
  wrap(term: string): string;
  type: string;
  /** The column as an index has it: with `?` if null has a place in the order. */
  indexed: string;
}

type Wrap = (term: string) => string;
const BY_ID = { column: 'id', wrap: (term: string) => term, type: 'varchar', indexed: 'id' };
const camel = (attribute: string) => attribute.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Nulls of nullable columns sort first. NULL does not compare, so a value below all others replaces it. For types
 * without such a value, the other values are raised.
 */
const GAPS_FIRST: Record<string, Wrap> = {
  bigint: (term) => `COALESCE(${term}, '-9223372036854775808'::bigint)`,
  integer: (term) => `COALESCE(${term}::bigint, '-9223372036854775808'::bigint)`,
  smallint: (term) => `COALESCE(${term}::bigint, '-9223372036854775808'::bigint)`,
  'double precision': (term) => `COALESCE(${term}, '-infinity'::double precision)`,
  boolean: (term) => `COALESCE(${term}::int, -1)`,
  date: (term) => `COALESCE(${term}, '-infinity'::date)`,
  'timestamp with time zone': (term) => `COALESCE(${term}, '-infinity'::timestamptz)`,
  'character varying': (term) => `COALESCE('.' || ${term}, '') COLLATE "C"`,
  text: (term) => `COALESCE('.' || ${term}, '') COLLATE "C"`,
};

/**
 * Looks the attributes up in the entity's columns; never builds SQL from client input. `isPresent` tells of which
 * columns all rows have a value, because of a filter.
 */
export function sortKeysOf(
  metadata: EntityMetadata,
  sortBy: string[],
  isPresent: (column: string) => boolean = () => false,
): SortKey[] {
  return sortBy.map((each) => {
    const cut = each.lastIndexOf('-');
    const attribute = each.slice(0, cut);
    return { attribute, descending: each.slice(cut + 1) === 'desc', ...termOf(metadata, attribute, isPresent) };
  });
}

function termOf(
  metadata: EntityMetadata,
  attribute: string,
  isPresent: (column: string) => boolean,
): Pick<SortKey, 'column' | 'wrap' | 'type' | 'indexed'> {
  // Ids grow with time, so the order of creation needs no second index.
  if (attribute === 'created_at') return BY_ID;
  if (attribute === 'deleted' && metadata.deleteDateColumn)
    return {
      column: 'deletedAt',
      wrap: (term) => `(${term} IS NOT NULL)`,
      type: 'timestamptz',
      indexed: 'deletedAt?',
    };
  const column = metadata.findColumnWithPropertyName(camel(attribute));
  if (!column) throw new Error(`${metadata.name} has no column to sort by ${attribute}`);
  const type = metadata.connection.driver.normalizeType(column);
  const hasGaps = column.isNullable && !isPresent(column.databaseName);
  const gapsFirst = hasGaps ? GAPS_FIRST[type] : (term: string) => term;
  if (!gapsFirst)
    throw new Error(`${metadata.name}.${column.propertyName} is nullable and of a type that cannot be sorted: ${type}`);
  // Names compare without case, and byte by byte so that an index serves order and prefix alike.
  const wrap: Wrap = attribute === 'name' ? (term) => gapsFirst(`lower(${term}) COLLATE "C"`) : gapsFirst;
  return { column: column.databaseName, wrap, type, indexed: `${column.databaseName}${hasGaps ? '?' : ''}` };
}

/**
 * The keys that decide: nothing after the id does, neither does an attribute again, nor whether rows are deleted in a list of
 * those that are not.
 */
export function decisiveKeys(sortKeys: SortKey[], isDeletedIncluded = false): SortKey[] {
  const isFirst = ({ attribute }: SortKey, i: number) => sortKeys.findIndex((key) => key.attribute === attribute) === i;
  const keys = sortKeys.filter(isFirst);
  const [first] = keys;
  if (!isDeletedIncluded && keys.every(({ column }) => column === 'deletedAt'))
    return [{ ...first, attribute: 'created_at', ...BY_ID }];
  const id = keys.findIndex(({ column }) => column === 'id');
  return id === -1 ? keys : keys.slice(0, id + 1);
}

/** `ORDER BY` for the keys, ending with the id in the first key's direction. */
export function orderOf(keys: SortKey[]): string {
  const closing = keys.some((key) => key.column === 'id') ? [] : [`r."id" ${direction(keys[0].descending)}`];
  return [...keys.map((key) => `${key.wrap(`r."${key.column}"`)} ${direction(key.descending)}`), ...closing].join(', ');
}

const direction = (descending: boolean) => (descending ? 'DESC' : 'ASC');

/** The condition that a row follows this position. */
export function followsPosition(keys: SortKey[], position: CursorPosition, bind: (value: unknown) => string): string {
  const terms = keys.map((key, i) => ({
    left: key.wrap(`r."${key.column}"`),
    right: key.wrap(`${bind(position[i])}::${key.type}`),
    descending: key.descending,
  }));
  if (!keys.some((key) => key.column === 'id')) {
    terms.push({ left: 'r."id"', right: bind(position[keys.length]), descending: keys[0].descending });
  }
  // With one direction for all keys, a row comparison is enough, which an index range serves.
  if (terms.every((term) => term.descending === terms[0].descending)) {
    const past = terms[0].descending ? '<' : '>';
    return `(${terms.map((term) => term.left).join(', ')}) ${past} (${terms.map((term) => term.right).join(', ')})`;
  }
  const ways = terms.map((term, i) => {
    const equal = terms.slice(0, i).map(({ left, right }) => `${left} = ${right}`);
    return `(${[...equal, `${term.left} ${term.descending ? '<' : '>'} ${term.right}`].join(' AND ')})`;
  });
  return `(${ways.join(' OR ')})`;
}

/** The position of a row in this order. */
export function positionOf(keys: SortKey[], row: Record<string, unknown>): CursorPosition {
  const values = keys.map((key) => row[key.column]);
  return (keys.some((key) => key.column === 'id') ? values : [...values, row.id]) as CursorPosition;
}
