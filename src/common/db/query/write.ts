import type { Type } from '@nestjs/common';
import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { Row } from './rows.js';
import { tableOf, type TableMetadata } from './table-metadata.js';
import { run } from './statement.js';

/** Rows on their way into one table. */
export interface Write {
  readonly entity: Type;
  readonly rows: readonly object[];
  readonly writes: 'new rows' | 'whole rows';
}

/** New rows for a table. They are whole: a column that is left out is stored as null, not as its default. */
export const insert = <T extends ObjectLiteral>(entity: Type<T>, rows: readonly Row<T>[]): Write => ({
  entity,
  rows,
  writes: 'new rows',
});

/** Rows that replace those with the same primary key, in every column. One that does not exist is left alone. */
export const replace = <T extends ObjectLiteral>(entity: Type<T>, rows: readonly Row<T>[]): Write => ({
  entity,
  rows,
  writes: 'whole rows',
});

/** A rule that is checked by the very statement that stores, so that nothing can happen in between. */
export interface Precondition {
  /**
   * SQL that returns a row when the store may go on: a SELECT, or an `UPDATE ... RETURNING 1` such as a counter raised
   * below its limit. Only the last guard may write, and its WHERE has to include `when`, which is true while all
   * guards before it hold; else a counter would stay raised for rows that were never stored.
   */
  sql(bind: (value: unknown) => string, when: string): string;
}

/**
 * Stores rows of several tables in one statement: one round trip, and all or nothing with or without a transaction.
 * A table's rows travel as one JSON parameter, so that the text is the same for one row and for forty. Returns
 * for each guard whether it held; unless all did, nothing was stored.
 */
export async function write(
  db: EntityManager,
  parts: readonly Write[],
  guards: readonly Precondition[] = [],
): Promise<boolean[]> {
  const full = parts.filter((part) => part.rows.length > 0);
  if (full.length === 0 && guards.length === 0) return [];

  const shapes = full.map((part) => tableOf(db, part.entity));
  const values: unknown[] = full.map((part, i) => jsonOf(part.rows, shapes[i]));
  const bind = (value: unknown) => `$${values.push(value)}`;

  const steps = guards.map((guard, i) => `guard${i} AS (${guardText(guard, i, guards.length, bind)})`);
  const when = held(guards.length);
  for (const [i, part] of full.entries()) {
    steps.push(`part${i} AS (${textOf[part.writes](shapes[i], `$${i + 1}`, when)})`);
  }
  const answer = guards.map((_, i) => `EXISTS (SELECT FROM guard${i}) AS g${i}`).join(', ');
  const [outcome] = await run<Record<string, boolean>>(db, {
    text: `WITH ${steps.join(', ')} SELECT ${answer || 'true AS stored'}`,
    values,
  });
  return guards.map((_, i) => outcome[`g${i}`]);
}

/** The condition that the first `count` guards hold. */
const held = (count: number): string =>
  Array.from({ length: count }, (_, i) => `EXISTS (SELECT FROM guard${i})`).join(' AND ') || 'true';

function guardText(guard: Precondition, index: number, count: number, bind: (value: unknown) => string): string {
  const when = held(index);
  const text = guard.sql(bind, when);
  if (!/^\s*SELECT\b/i.test(text)) {
    if (index < count - 1) throw new Error(`Only the last guard may write: ${text}`);
    if (index > 0 && !text.includes(when))
      throw new Error(`A guard that writes must do so only when the others hold: ${text}`);
  }
  return text;
}

const textOf: Record<Write['writes'], (shape: TableMetadata, rows: string, when: string) => string> = {
  'new rows'({ table, stored }, rows, when) {
    const columns = stored.join(', ');
    return `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ${rows}) WHERE ${when}`;
  },
  'whole rows'({ table, stored, primary }, rows, when) {
    const columns = stored.filter((name) => !primary.includes(name)).map((name) => `${name} = n.${name}`);
    const same = primary.map((name) => `r.${name} = n.${name}`).join(' AND ');
    return `UPDATE ${table} r SET ${columns.join(', ')} FROM json_populate_recordset(NULL::${table}, ${rows}) n WHERE ${same} AND ${when}`;
  },
};

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
