import type { QueryRunner } from 'typeorm';
import { DAY_MS } from '../common/time/days.js';
import { firstIdOf } from '../common/entity/ids.js';
import { quoteIdentifier } from '../common/db/query/table-metadata.js';
import { withShortLock } from '../common/db/short-lock.js';
import { defaultPartitionOf } from '../common/partitions/partition.statements.js';
import { daySuffix, endOfPeriod, missingPartitions, type PartitionWidth } from '../common/partitions/periods.js';

/** A table that becomes partitioned by id. */
export interface TableToPartition {
  table: string;
  width: PartitionWidth;
  /** The number of periods after the first partition that get a partition at once. */
  ahead: number;
}

/** Rows that replicas write until the migration ends belong to the first partition. */
const MARGIN_MS = DAY_MS;

/**
 * Partitions a table, in a migration without a transaction. A partitioned table takes over its name, columns, indexes and
 * privileges, and the table becomes the first partition. No row moves, except those whose ids have a later time than the first partition. The exclusive
 * lock is held while the catalog changes; the rows are checked before it, beside other statements. Can be repeated.
 */
export async function partitionTable(runner: QueryRunner, { table, width, ahead }: TableToPartition): Promise<void> {
  const [{ now }] = (await runner.query('SELECT now() AS now')) as { now: Date | string }[];
  const end = endOfPeriod(new Date(new Date(now).getTime() + MARGIN_MS), width);
  if (!(await isPartitioned(runner, table))) {
    const first = { name: `${table}_before_${daySuffix(end)}`, end: firstIdOf(end) };
    await checkRows(runner, table, first.end);
    await patiently(runner, table, () => swap(runner, table, first));
  }
  const range = { from: '', to: firstIdOf(end) };
  for (const { suffix, from, to } of missingPartitions([range], end, { width, ahead: ahead - 1 })) {
    const values = [table, `${table}_${suffix}`, from, to];
    await patiently(runner, table, () => runner.query('SELECT marquee_add_partition($1, $2, $3, $4)', values));
  }
}

async function isPartitioned(runner: QueryRunner, table: string): Promise<boolean> {
  const found = (await runner.query(`SELECT FROM pg_partitioned_table WHERE partrelid = to_regclass($1)`, [
    quoteIdentifier(table),
  ])) as unknown[];
  return found.length > 0;
}

/** The constraint that proves, without a scan, that all rows belong to the first partition. */
const boundOf = (table: string) => quoteIdentifier(`${table}_bound`);

/**
 * Adds that constraint. Rows of later times, which only a wrong clock can have written, move to what becomes the default
 * partition.
 */
async function checkRows(runner: QueryRunner, table: string, end: string): Promise<void> {
  const [of, strays] = [quoteIdentifier(table), quoteIdentifier(defaultPartitionOf(table))];
  await patiently(runner, table, async () => {
    await runner.query(`ALTER TABLE ${of} DROP CONSTRAINT IF EXISTS ${boundOf(table)}`);
    await runner.query(`ALTER TABLE ${of} ADD CONSTRAINT ${boundOf(table)} CHECK (id < '${end}') NOT VALID`);
  });
  await runner.query(`SELECT marquee_new_partition($1, $2)`, [table, defaultPartitionOf(table)]);
  const move = (from: string, to: string, which: string) =>
    runner.query(
      `WITH moved AS (DELETE FROM ${from} WHERE ${which} RETURNING *) INSERT INTO ${to} SELECT * FROM moved`,
    );
  // an earlier attempt may have ended at an earlier time
  await move(strays, of, `id < '${end}'`);
  await move(of, strays, `id >= '${end}'`);
  await runner.query(`ALTER TABLE ${of} VALIDATE CONSTRAINT ${boundOf(table)}`);
}

/** Puts the partitioned table in the place of the table, which becomes its first partition. */
async function swap(runner: QueryRunner, table: string, first: { name: string; end: string }): Promise<void> {
  const [of, name] = [quoteIdentifier(table), quoteIdentifier(first.name)];
  await runner.query(`LOCK TABLE ${of} IN ACCESS EXCLUSIVE MODE`);
  const indexes = (await runner.query(
    `SELECT c.relname::text AS name, pg_get_indexdef(c.oid) AS definition, k.conname::text AS "primary"
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid LEFT JOIN pg_constraint k ON k.conindid = c.oid AND k.contype = 'p'
      WHERE i.indrelid = to_regclass($1) ORDER BY 1`,
    [of],
  )) as { name: string; definition: string; primary: string | null }[];
  await runner.query(`ALTER TABLE ${of} RENAME TO ${name}`);
  for (const { name: index, primary } of indexes) {
    const renamed = primary ? `PK_${first.name}` : `${index}${first.name.slice(table.length)}`;
    await runner.query(`ALTER INDEX ${quoteIdentifier(index)} RENAME TO ${quoteIdentifier(renamed)}`);
  }
  await runner.query(`CREATE TABLE ${of} (LIKE ${name} INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (id)`);
  for (const { name: index, definition, primary } of indexes) {
    // the definition names the table as before
    await runner.query(
      primary ? `ALTER TABLE ${of} ADD CONSTRAINT ${quoteIdentifier(index)} PRIMARY KEY (id)` : definition,
    );
  }
  await runner.query(`SELECT marquee_copy_privileges($1, $2)`, [first.name, table]);
  await runner.query(`ALTER TABLE ${of} ATTACH PARTITION ${name} FOR VALUES FROM (MINVALUE) TO ('${first.end}')`);
  await runner.query(`ALTER TABLE ${name} DROP CONSTRAINT ${boundOf(table)}`);
  await runner.query(`ALTER TABLE ${of} ATTACH PARTITION ${quoteIdentifier(defaultPartitionOf(table))} DEFAULT`);
  await runner.query(`SELECT marquee_name_indexes($1, $2)`, [table, defaultPartitionOf(table)]);
}

/** `withShortLock`, with an error that says what to do. */
async function patiently(runner: QueryRunner, table: string, work: () => Promise<unknown>): Promise<void> {
  await withShortLock(runner, work).catch((error: Error) => {
    throw new Error(`The table ${table} could not be partitioned: ${error.message}. Repeat the migration.`, {
      cause: error,
    });
  });
}
