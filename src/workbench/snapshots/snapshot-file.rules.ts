import type { ColumnValues } from '../../common/entity/columns.js';
import type { TextKind } from '../../common/entity/snapshots.js';
import { truncate, type ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { isObject } from '../../common/values/is-object.js';
import { excessIn, MAX_NUMBER, maxLengthOf, numberRangeOf, timeRangeOf } from './column-bounds.rules.js';

export const FILE_FORMAT = 'marquee-snapshot';
export const FILE_VERSION = 1;

/** A row of a snapshot: its columns as PostgreSQL writes them in JSON. */
export type SavedRow = Record<string, unknown>;

/** One account of a file. */
export interface SavedAccount {
  account_id: string;
  /** By the name of the table. */
  tables: Record<string, SavedRow[]>;
}

/** The content of a snapshot file. */
export interface SnapshotFile {
  accounts: SavedAccount[];
  /** The signature of `accountsText(accounts)` by this service; absent in files that were not exported. */
  signature?: string;
}

/** A column, as far as a file is validated. */
export interface ColumnShape {
  name: string;
  /** The type in PostgreSQL. */
  type: string;
  isArray: boolean;
  isNullable: boolean;
  /** The words of a closed set, or others that the entity declares. */
  values?: ColumnValues;
  /** A text that people write. All others are ids and words, which responses do not escape. */
  text?: TextKind;
  /** The table that has it. */
  table?: string;
  isKey?: boolean;
  /** True if no file has it. Files of earlier releases do; an import ignores it there. */
  isWithheld?: boolean;
}

/** The tables that a file may have, and their columns. */
export type TableShapes = ReadonlyMap<string, readonly ColumnShape[]>;

/** Bounds of a file. */
interface FileBounds {
  accounts: number;
  rows: number;
}

/** The text that the signature of a file signs. */
export const accountsText = (accounts: readonly SavedAccount[]): string => JSON.stringify(accounts);

const WORD = /^[\w.:+/ -]{0,200}$/;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d(:?\d\d)?)$/;
/** The only bytes in a file are SHA-256. */
const BYTES = /^\\x([0-9a-f]{2}){32}$/;
const DECIMAL = /^-?\d{1,19}$/;
const ACCOUNT_ID = /^[0-9a-z]{1,32}$/;

/** The greatest integer of each type. */
const INTEGERS: Record<string, bigint> = {
  smallint: 2n ** 15n - 1n,
  integer: 2n ** 31n - 1n,
  int: 2n ** 31n - 1n,
  bigint: 2n ** 63n - 1n,
};

/** True if PostgreSQL can store a text, and every text in a JSON value. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (Array.isArray(value)) return value.every(isStorable);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([name, each]) => isStorable(name) && isStorable(each));
}

type Shape = Pick<ColumnShape, 'name' | 'type' | 'table' | 'text'>;

/** A value of a type in words, and its validation. */
type ValueType = (shape: Shape) => { what: string; holds: (value: unknown) => boolean };

const jsonValue: ValueType = () => ({
  what: 'an object or a list',
  holds: (value) => typeof value === 'object' && value !== null && isStorable(value),
});

const integer: ValueType = ({ type, table = '', name }) => {
  const { min, max } = numberRangeOf(table, name, INTEGERS[type]);
  const isText = type === 'bigint';
  return {
    what: `${isText ? 'the digits of an integer' : 'an integer'} from ${min} to ${max}`,
    holds: (value) => {
      const isNumber = typeof value === 'number' && Number.isSafeInteger(value);
      if (!isNumber && !(isText && typeof value === 'string' && DECIMAL.test(value))) return false;
      const number = BigInt(value);
      return number >= min && number <= max;
    },
  };
};

const HOUR_MS = 3_600_000;

const time: ValueType = ({ table = '', name }) => {
  const { min, max, isWholeHour } = timeRangeOf(table, name);
  const [from, to] = [min, max].map((ms) => new Date(ms).toISOString());
  return {
    what: `a time such as 2026-10-01T08:00:00Z${isWholeHour ? ', a whole hour' : ''} from ${from} to ${to}`,
    holds: (value) => {
      const ms = typeof value === 'string' && isTime(value) ? Date.parse(value) : NaN;
      return ms >= min && ms <= max && (!isWholeHour || ms % HOUR_MS === 0);
    },
  };
};

/** Date.parse takes the 30th of February for a day in March; PostgreSQL refuses it. */
function isTime(text: string): boolean {
  if (!TIME.test(text)) return false;
  const day = text.slice(0, 10);
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

const WEB_URL = /^https?:\/\/[!-~]+$/;

const text: ValueType = ({ name, text }) => {
  const max = maxLengthOf(name);
  if (text === 'url')
    return {
      what: `a URL that begins with http:// or https://, of at most ${max} characters`,
      holds: (value) => typeof value === 'string' && value.length <= max && WEB_URL.test(value) && URL.canParse(value),
    };
  return text === 'any'
    ? {
        what: `a text of at most ${max} characters, without the character 0,`,
        holds: (value) => typeof value === 'string' && value.length <= max && isStorable(value),
      }
    : {
        what: 'a text of at most 200 letters, digits and characters of . : + / _ -',
        holds: (value) => typeof value === 'string' && WORD.test(value),
      };
};

const TYPES: Record<string, ValueType> = {
  ...Object.fromEntries(Object.keys(INTEGERS).map((type) => [type, integer])),
  boolean: () => ({ what: 'true or false', holds: (value) => typeof value === 'boolean' }),
  timestamptz: time,
  json: jsonValue,
  jsonb: jsonValue,
  bytea: () => ({
    what: 'the 32 bytes of a SHA-256, such as \\x00ff...',
    holds: (value) => typeof value === 'string' && BYTES.test(value),
  }),
  text,
  varchar: text,
};

export const isKnownType = (type: string): boolean => type in TYPES;

/** Maximum number of characters of a value in a message. */
const MAX_SHOWN = 100;

const unreadable = (place: string, expected: string, value?: unknown): ApiError => {
  const got = typeof value === 'string' ? truncate(value, MAX_SHOWN) : value;
  return invalid(place, `Expected ${expected} for ${place}${got === undefined ? '' : `, got ${quotedValue(got)}`}`, {
    value: got,
  });
};

/** Removes the columns that files do not have. Returns the names of those that there were, such as `users`, by table. */
export function removeWithheld(accounts: readonly SavedAccount[], shapes: TableShapes): string[] {
  const removed = new Set<string>();
  for (const { tables } of accounts)
    for (const [table, rows] of Object.entries(tables)) {
      const withheld = (shapes.get(table) ?? []).filter(({ isWithheld }) => isWithheld);
      for (const row of rows)
        for (const { name } of withheld)
          if (Object.hasOwn(row, name)) {
            removed.add(`${table}.${name}`);
            delete row[name];
          }
    }
  return [...removed];
}

/** Reads a snapshot file; throws the 400 of the first place that is wrong. */
export function readSnapshotFile(given: unknown, shapes: TableShapes, bounds: FileBounds): SnapshotFile {
  if (!isObject(given)) throw unreadable('body', 'a snapshot file, which is a JSON object');
  const { format, version, accounts, signature } = given;
  if (format !== FILE_FORMAT) throw unreadable('format', FILE_FORMAT, format);
  if (version !== FILE_VERSION) throw unreadable('version', String(FILE_VERSION), version);
  if (signature !== undefined && typeof signature !== 'string') throw unreadable('signature', 'a text', signature);
  if (!Array.isArray(accounts) || accounts.length === 0 || accounts.length > bounds.accounts)
    throw unreadable('accounts', `a list of 1 to ${bounds.accounts} accounts`);
  const remaining = { rows: bounds.rows };
  const read = accounts.map((each, i) => readAccount(each, `accounts[${i}]`, shapes, remaining, bounds.rows));
  const duplicate = read.find(({ account_id: id }, i) => read.findIndex((other) => other.account_id === id) !== i);
  if (duplicate) throw unreadable('accounts', 'each account once', duplicate.account_id);
  return { accounts: read, signature };
}

function readAccount(
  given: unknown,
  place: string,
  shapes: TableShapes,
  remaining: { rows: number },
  maxRows: number,
): SavedAccount {
  if (!isObject(given)) throw unreadable(place, 'an object with account_id and tables');
  const { account_id: id, tables } = given;
  if (typeof id !== 'string' || !ACCOUNT_ID.test(id))
    throw unreadable(`${place}.account_id`, 'the id of an account', id);
  if (!isObject(tables)) throw unreadable(`${place}.tables`, 'an object with lists of rows');
  for (const [name, rows] of Object.entries(tables)) {
    const columns = shapes.get(name);
    const at = `${place}.tables.${name}`;
    if (!columns) throw unreadable(at, `one of the tables ${[...shapes.keys()].join(', ')}`, name);
    if (!Array.isArray(rows)) throw unreadable(at, 'a list of rows');
    remaining.rows -= rows.length;
    if (remaining.rows < 0) throw unreadable('accounts', `at most ${maxRows} rows`);
    const known = new Map(columns.map((column) => [column.name, column]));
    rows.forEach((row, i) => checkRow(row, `${at}[${i}]`, known, id));
    requireOnce(rows as SavedRow[], columns, at);
    const excess = excessIn(name, rows as SavedRow[]);
    if (excess)
      throw unreadable(`${at}[${excess.row}].${excess.column}`, `a sum of at most ${MAX_NUMBER} over all rows`);
  }
  return { account_id: id, tables: tables as Record<string, SavedRow[]> };
}

/** Throws for a second row with the same primary key. */
function requireOnce(rows: readonly SavedRow[], columns: readonly ColumnShape[], place: string): void {
  const names = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  if (names.length === 0) return;
  const known = new Set<string>();
  for (const [i, row] of rows.entries()) {
    const key = names.map((name) => JSON.stringify(row[name])).join();
    if (known.has(key)) throw unreadable(`${place}[${i}]`, `each ${names.join(' and ')} once`, row[names[0]]);
    known.add(key);
  }
}

function checkRow(row: unknown, place: string, columns: ReadonlyMap<string, ColumnShape>, accountId: string): void {
  if (!isObject(row)) throw unreadable(place, 'an object with columns');
  for (const [name, value] of Object.entries(row as SavedRow)) {
    const column = columns.get(name);
    if (!column) throw unreadable(`${place}.${name}`, `one of the columns ${[...columns.keys()].join(', ')}`, name);
    if (column.isWithheld) continue;
    checkValue(value, `${place}.${name}`, column);
  }
  const isAbsent = ({ name, isNullable, isWithheld }: ColumnShape) =>
    !isNullable && !isWithheld && !Object.hasOwn(row, name);
  const absent = [...columns.values()].find(isAbsent);
  if (absent) throw unreadable(`${place}.${absent.name}`, 'a value');
  if (columns.has('accountId') && (row as SavedRow).accountId !== accountId)
    throw unreadable(
      `${place}.accountId`,
      `the account ${accountId}, in whose tables the row is,`,
      (row as SavedRow).accountId,
    );
}

function checkValue(value: unknown, place: string, shape: ColumnShape): void {
  const { isArray, isNullable, values } = shape;
  if (value === null && isNullable) return;
  const { what, holds } = values ?? TYPES[shape.type](shape);
  const expected = isArray ? `a list, each ${what}` : what;
  const isRight = isArray
    ? Array.isArray(value) && value.length <= 1_000 && value.every((each) => holds(each))
    : holds(value);
  if (isRight) return;
  const wrong: unknown = isArray && Array.isArray(value) ? value.find((each) => !holds(each)) : value;
  throw unreadable(place, expected, isObject(wrong) || Array.isArray(wrong) ? undefined : wrong);
}
