import type { Type } from '@nestjs/common';
import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { Row } from './rows.js';
import { binding, run, type Bind, type RunOptions } from './statement.js';
import { quoted, tableOf, type TableMetadata } from './table-metadata.js';

/** One part of what a statement stores. */
export interface Write {
  /** Whether there is nothing to do. */
  readonly empty?: boolean;
  /** An INSERT, UPDATE or DELETE that does something only where `when` holds. */
  sql(db: EntityManager, bind: Bind, when: string): string;
  /** Called when it is stored; in a transaction that has not committed yet. */
  stored?(db: EntityManager): void;
}

/**
 * A rule that is checked by the very statement that stores, so that nothing can happen in between. Any number can be given;
 * what they have in common is that they read, and lock at most. What counts under a limit is a write: see counters.ts.
 */
export interface Precondition {
  /** A SELECT that returns a row when the statement may store. */
  sql(db: EntityManager, bind: Bind): string;
  /** What `write` throws when it did not. */
  refusal(): Error;
}

/** New rows for a table. They are whole: a column that is left out is stored as null, not as its default. */
export const insert = <T extends ObjectLiteral>(entity: Type<T>, rows: readonly Row<T>[]): Write => ({
  empty: rows.length === 0,
  sql(db, bind, when) {
    const metadata = tableOf(db, entity);
    const { table, stored } = metadata;
    const columns = stored.join(', ');
    return `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ${bind(jsonOf(rows, metadata))}) WHERE ${when}`;
  },
});

/**
 * New rows, but for those that a unique index has already, whichever it is: the primary key too, so that an id that was
 * taken is not noticed. To be followed by a read that tells who was first.
 */
export const insertOrIgnore = <T extends ObjectLiteral>(entity: Type<T>, rows: readonly Row<T>[]): Write => ({
  empty: rows.length === 0,
  sql: (db, bind, when) => `${insert(entity, rows).sql(db, bind, when)} ON CONFLICT DO NOTHING`,
});

/** New rows, or, where there is one with the same primary key, these columns of it. */
export const insertOrUpdate = <T extends ObjectLiteral>(
  entity: Type<T>,
  rows: readonly Row<T>[],
  columns: (keyof Row<T> & string)[],
): Write => ({
  empty: rows.length === 0,
  sql(db, bind, when) {
    const { primary } = tableOf(db, entity);
    const set = columns.map((name) => `${quoted(name)} = EXCLUDED.${quoted(name)}`).join(', ');
    return `${insert(entity, rows).sql(db, bind, when)} ON CONFLICT (${primary.join(', ')}) DO UPDATE SET ${set}`;
  },
});

/** Rows that replace those with the same primary key, in every column. One that does not exist is left alone. */
export const replace = <T extends ObjectLiteral>(entity: Type<T>, rows: readonly Row<T>[]): Write => ({
  empty: rows.length === 0,
  sql(db, bind, when) {
    const metadata = tableOf(db, entity);
    const { table, stored, primary } = metadata;
    const columns = stored.filter((name) => !primary.includes(name)).map((name) => `${name} = n.${name}`);
    const same = primary.map((name) => `r.${name} = n.${name}`).join(' AND ');
    return `UPDATE ${table} r SET ${columns.join(', ')} FROM json_populate_recordset(NULL::${table}, ${bind(jsonOf(rows, metadata))}) n WHERE ${same} AND ${when}`;
  },
});

/** Removes the rows with these primary keys for good; resources are marked deleted instead. */
export const erase = <T extends ObjectLiteral>(entity: Type<T>, keys: readonly Partial<Row<T>>[]): Write => ({
  empty: keys.length === 0,
  sql(db, bind, when) {
    const { table, primary } = tableOf(db, entity);
    const same = primary.map((name) => `r.${name} = n.${name}`).join(' AND ');
    return `DELETE FROM ${table} r USING json_populate_recordset(NULL::${table}, ${bind(JSON.stringify(keys))}) n WHERE ${same} AND ${when}`;
  },
});

/** Marks rows deleted whose column is one of `ids`, where they are not yet: for what goes with its parent. */
export const deleteWith = <T extends ObjectLiteral>(
  entity: Type<T>,
  column: keyof Row<T> & string,
  ids: readonly string[],
  at: string,
): Write => ({
  empty: ids.length === 0,
  sql(db, bind, when) {
    const { table } = tableOf(db, entity);
    const time = `${bind(at)}::timestamptz`;
    return `UPDATE ${table} r SET "deletedAt" = ${time}, "updatedAt" = ${time} WHERE r.${quoted(column)} = ANY(${bind(ids)}) AND r."deletedAt" IS NULL AND ${when}`;
  },
});

/**
 * Stores rows of several tables in one statement: one round trip, and all or nothing with or without a transaction.
 * A table's rows travel as one JSON parameter, so that the text is the same for one row and for forty. Where a
 * precondition does not hold nothing is stored, and the refusal of the first such one is thrown. `lockKey`: see
 * RunOptions.
 */
export async function write(
  db: EntityManager,
  writes: readonly Write[],
  preconditions: readonly Precondition[] = [],
  { lockKey }: Pick<RunOptions, 'lockKey'> = {},
): Promise<void> {
  const due = writes.filter((each) => !each.empty);
  if (due.length === 0 && preconditions.length === 0) return;

  const { bind, values } = binding();
  const steps = preconditions.map((each, i) => `pre${i} AS (${each.sql(db, bind)})`);
  const held = preconditions.map((_, i) => `EXISTS (SELECT FROM pre${i})`);
  const when = held.join(' AND ') || 'true';
  for (const [i, each] of due.entries()) steps.push(`write${i} AS (${each.sql(db, bind, when)})`);
  const answer = held.map((condition, i) => `${condition} AS p${i}`).join(', ') || 'true AS stored';
  const statement = { text: `WITH ${steps.join(', ')} SELECT ${answer}`, values };
  const [outcome] = await run<Record<string, boolean>>(db, statement, { lockKey });
  const failed = preconditions.find((_, i) => !outcome[`p${i}`]);
  if (failed) throw failed.refusal();
  for (const each of due) each.stored?.(db);
}

/** Rows as the JSON parameter they travel in; bytes as the hexadecimal text that PostgreSQL reads. */
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
