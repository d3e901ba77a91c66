import type { Type } from '@nestjs/common';
import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { Row } from './rows.js';
import { ofAccounts } from './account-key.js';
import { binding, hasAutosave, run, type Bind, type RunOptions } from './statement.js';
import { quoteIdentifier, tableOf, type TableMetadata } from './table-metadata.js';

/** One part of a storing statement. */
export interface Write {
  /** Whether it changes nothing. */
  readonly empty?: boolean;
  /** The name by which later parts of the statement read the rows that it returns. */
  readonly name?: string;
  /** An INSERT, UPDATE or DELETE that applies only if `when` holds. */
  sql(db: EntityManager, bind: Bind, when: string): string;
  /** Called after it is stored, possibly in a transaction that is not committed yet. */
  stored?(db: EntityManager): void;
}

/**
 * A rule that the storing statement itself checks, so that no other change can intervene. A statement can have any
 * number of them; they only read, and lock at most. Limited counts are writes: see counters.ts.
 */
export interface Precondition {
  /** A SELECT that returns a row if the statement may store. */
  sql(db: EntityManager, bind: Bind): string;
  /** The error that `write` throws otherwise. */
  refusal(): Error;
}

/** The id of the transaction that stores a row, as a value of a bigint column. */
export const TRANSACTION_ID = 'pg_current_xact_id()::text::bigint';

/**
 * New rows of a table. They must be complete: an absent column is stored as null, not as its default. `computed` has the
 * SQL expressions of columns that the database computes.
 */
export const insert = <T extends ObjectLiteral>(
  entity: Type<T>,
  rows: readonly Row<T>[],
  computed: { [K in keyof Row<T>]?: string } = {},
): Write => ({
  empty: rows.length === 0,
  sql(db, bind, when) {
    const metadata = tableOf(db, entity);
    const { table, stored } = metadata;
    const expressions = new Map(Object.entries(computed).map(([name, sql]) => [quoteIdentifier(name), sql as string]));
    const values = stored.map((column) => expressions.get(column) ?? column);
    return `INSERT INTO ${table} (${stored.join(', ')}) SELECT ${values.join(', ')} FROM json_populate_recordset(NULL::${table}, ${bind(jsonOf(rows, metadata))}) WHERE ${when}`;
  },
});

/**
 * New rows, except those that conflict with a unique index, including the primary key, so that an existing id goes
 * unnoticed. Read afterwards to find out which row was first.
 */
export const insertOrIgnore = <T extends ObjectLiteral>(entity: Type<T>, rows: readonly Row<T>[]): Write => ({
  empty: rows.length === 0,
  sql: (db, bind, when) => `${insert(entity, rows).sql(db, bind, when)} ON CONFLICT DO NOTHING`,
});

/** New rows. For an existing primary key, updates these columns instead. */
export const insertOrUpdate = <T extends ObjectLiteral>(
  entity: Type<T>,
  rows: readonly Row<T>[],
  columns: (keyof Row<T> & string)[],
): Write => ({
  empty: rows.length === 0,
  sql(db, bind, when) {
    const { primary } = tableOf(db, entity);
    const set = columns.map((name) => `${quoteIdentifier(name)} = EXCLUDED.${quoteIdentifier(name)}`).join(', ');
    return `${insert(entity, rows).sql(db, bind, when)} ON CONFLICT (${primary.join(', ')}) DO UPDATE SET ${set}`;
  },
});

/** Replaces all columns of the rows with the same primary keys. Ignores rows that do not exist. */
export const replace = <T extends ObjectLiteral>(entity: Type<T>, rows: readonly Row<T>[]): Write => ({
  empty: rows.length === 0,
  sql(db, bind, when) {
    const metadata = tableOf(db, entity);
    const { table, stored, primary } = metadata;
    const columns = stored.filter((name) => !primary.includes(name)).map((name) => `${name} = n.${name}`);
    const same = primary.map((name) => `r.${name} = n.${name}`).join(' AND ');
    return `UPDATE ${table} r SET ${columns.join(', ')} FROM json_populate_recordset(NULL::${table}, ${bind(jsonOf(rows, metadata))}) n WHERE ${ofAccounts(metadata, rows, bind)}${same} AND ${when}`;
  },
});

/** Deletes the rows with these primary keys permanently; resources are marked deleted instead. */
export const deletePermanently = <T extends ObjectLiteral>(
  entity: Type<T>,
  keys: readonly Partial<Row<T>>[],
): Write => ({
  empty: keys.length === 0,
  sql(db, bind, when) {
    const metadata = tableOf(db, entity);
    const { table, primary } = metadata;
    const same = primary.map((name) => `r.${name} = n.${name}`).join(' AND ');
    return `DELETE FROM ${table} r USING json_populate_recordset(NULL::${table}, ${bind(JSON.stringify(keys))}) n WHERE ${ofAccounts(metadata, keys, bind)}${same} AND ${when}`;
  },
});

/** Marks rows deleted whose column is one of `ids`, unless they already are: for children of a deleted parent. */
export const softDeleteWhere = <T extends ObjectLiteral>(
  entity: Type<T>,
  column: keyof Row<T> & string,
  ids: readonly string[],
  at: string,
): Write => ({
  empty: ids.length === 0,
  sql(db, bind, when) {
    const { table } = tableOf(db, entity);
    const time = `${bind(at)}::timestamptz`;
    return `UPDATE ${table} r SET "deletedAt" = ${time}, "updatedAt" = ${time} WHERE r.${quoteIdentifier(column)} = ANY(${bind(ids)}) AND r."deletedAt" IS NULL AND ${when}`;
  },
});

/**
 * Stores rows of several tables in one statement: one round trip, and atomic with or without a transaction. The rows of
 * a table are one JSON parameter, so that the text does not depend on their number. If a precondition does not hold,
 * nothing is stored and the error of the first such one is thrown. `lockKey`: see RunOptions.
 */
export async function write(
  db: EntityManager,
  writes: readonly Write[],
  preconditions: readonly Precondition[] = [],
  options: Pick<RunOptions, 'lockKey'> = {},
): Promise<void> {
  const due = writes.filter((each) => !each.empty);
  if (due.length === 0 && preconditions.length === 0) return;
  if (hasAutosave(db)) return db.transaction((tx) => store(tx, due, preconditions, options));
  return store(db, due, preconditions, options);
}

async function store(
  db: EntityManager,
  due: readonly Write[],
  preconditions: readonly Precondition[],
  options: Pick<RunOptions, 'lockKey'>,
): Promise<void> {
  const { bind, values } = binding();
  const steps = preconditions.map((each, i) => `pre${i} AS (${each.sql(db, bind)})`);
  const held = preconditions.map((_, i) => `EXISTS (SELECT FROM pre${i})`);
  const when = held.join(' AND ') || 'true';
  for (const [i, each] of due.entries()) steps.push(`${each.name ?? `write${i}`} AS (${each.sql(db, bind, when)})`);
  const answer = held.map((condition, i) => `${condition} AS p${i}`).join(', ') || 'true AS stored';
  const statement = { text: `WITH ${steps.join(', ')} SELECT ${answer}`, values };
  const [outcome] = await run<Record<string, boolean>>(db, statement, options);
  const failed = preconditions.find((_, i) => !outcome[`p${i}`]);
  if (failed) throw failed.refusal();
  for (const each of due) each.stored?.(db);
}

/** Rows as their JSON parameter; bytes in PostgreSQL's hexadecimal format. */
function jsonOf(rows: readonly object[], { binary }: TableMetadata): string {
  if (binary.length === 0) return JSON.stringify(rows);
  return JSON.stringify(
    rows.map((row) => {
      const copy: Record<string, unknown> = { ...row };
      for (const name of binary) {
        const value = copy[name];
        if (Buffer.isBuffer(value)) copy[name] = `\\x${value.toString('hex')}`;
      }
      return copy;
    }),
  );
}
