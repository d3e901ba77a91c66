import type { EntityManager } from 'typeorm';
import { run } from '../db/query/statement.js';
import { quoteIdentifier } from '../db/query/table-metadata.js';
import { sqlStateOf } from '../db/sqlstate.js';
import { BY_ID, type BoundRange, type NewPartition } from './periods.js';

/** A partition of a table that is no default partition. */
export interface Partition extends BoundRange {
  name: string;
}

const BOUND = /^FOR VALUES FROM \((?:MINVALUE|'([^']*)')\) TO \((?:MAXVALUE|'([^']*)')\)$/;

/** The partition of rows that no other partition takes. */
export const defaultPartitionOf = (table: string): string => `${table}_default`;

/** The range partitions of a table, oldest first. */
export async function partitionsOf(db: EntityManager, table: string, key = BY_ID): Promise<Partition[]> {
  const { first, last, read } = key;
  const found = await run<{ name: string; bound: string }>(db, {
    text: `SELECT c.relname::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_inherits i
      JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass($1) AND c.relispartition`,
    values: [quoteIdentifier(table)],
  });
  return found
    .flatMap(({ name, bound }) => {
      const match = BOUND.exec(bound);
      if (!match) return [];
      const [from, to] = [match[1], match[2]].map((bound) => (bound === undefined ? undefined : read(bound)));
      return [{ name, from: from ?? first, to: to ?? last }];
    })
    .sort((a, b) => (a.from < b.from ? -1 : 1));
}

/** `crowded`: the default partition has too many rows of the range, which stay there. */
export type AddResult = 'created' | 'exists' | 'crowded';

/**
 * Adds a partition, in a transaction of its own: it may wait for a lock, and others share the connections outside of
 * transactions. Rows of its range move to it from the default partition.
 */
export async function addPartition(
  db: EntityManager,
  table: string,
  { suffix, from, to }: NewPartition,
): Promise<AddResult> {
  const text = `SELECT marquee_add_partition($1, $2, $3, $4) AS outcome`;
  const values = [table, `${table}_${suffix}`, from, to];
  const [{ outcome }] = await db.transaction((tx) => run<{ outcome: AddResult }>(tx, { text, values }));
  return outcome;
}

const UNDEFINED_TABLE = '42P01';

/** Drops a partition with its rows, in a transaction of its own; returns false if there is none. */
export async function dropPartition(db: EntityManager, table: string, name: string): Promise<boolean> {
  const text = `SELECT marquee_drop_partition($1, $2) AS outcome`;
  const values = [table, name];
  try {
    const [{ outcome }] = await db.transaction((tx) => run<{ outcome: string }>(tx, { text, values }));
    return outcome === 'dropped';
  } catch (error) {
    // another replica dropped it while this one waited for its lock
    if (sqlStateOf(error).code === UNDEFINED_TABLE) return false;
    throw error;
  }
}

/** Removes at most `limit` rows of the default partition whose ids precede this one; returns their number. */
export const deleteFromDefault = (db: EntityManager, table: string, before: string, limit: number): Promise<number> =>
  deleteSome(db, quoteIdentifier(defaultPartitionOf(table)), before, limit);

/** Removes the rows of all partitions whose ids precede this one, unless there are more than `limit`. */
export async function deleteIfFew(db: EntityManager, table: string, before: string, limit: number): Promise<number> {
  const [{ found }] = await run<{ found: number }>(db, {
    text: `SELECT count(*)::int AS found FROM (SELECT FROM ${quoteIdentifier(table)} WHERE id < $1 LIMIT ${limit + 1}) AS old`,
    values: [before],
  });
  return found === 0 || found > limit ? 0 : deleteSome(db, quoteIdentifier(table), before, limit);
}

async function deleteSome(db: EntityManager, from: string, before: string, limit: number): Promise<number> {
  const gone = await run(db, {
    text: `WITH chosen AS MATERIALIZED (SELECT id FROM ${from} WHERE id < $1 LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      DELETE FROM ${from} r USING chosen WHERE r.id = chosen.id AND r.id < $1 RETURNING 1 AS gone`,
    values: [before],
  });
  return gone.length;
}

/** The number of rows in the default partition between two bounds, up to `max`. */
export async function countInDefault(
  db: EntityManager,
  table: string,
  { column, from, to }: BoundRange & { column: string },
  max: number,
): Promise<number> {
  const [{ found }] = await run<{ found: number }>(db, {
    text: `SELECT count(*)::int AS found FROM (SELECT FROM ${quoteIdentifier(defaultPartitionOf(table))} WHERE ${quoteIdentifier(column)} >= $1 AND ${quoteIdentifier(column)} < $2 LIMIT ${max}) AS strays`,
    values: [from, to],
  });
  return found;
}
