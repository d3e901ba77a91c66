import { setTimeout as pause } from 'node:timers/promises';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import type { Database } from './database.js';
import { rememberTimeouts } from './query/session-timeouts.js';
import { run } from './query/statement.js';

/** Key of the advisory lock; any number, but the same in every release. */
const MIGRATION_LOCK = 7_276_510_842;

/** The names of the migrations that the store lacks, and of those that this release does not know. Read-only. */
export async function migrationsOf(store: Database): Promise<{ pending: string[]; unknown: string[] }> {
  const known = new Set(store.dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name));
  const executed = await new MigrationExecutor(store.dataSource).getExecutedMigrations();
  const names = new Set(executed.map(({ name }) => name));
  return {
    pending: [...known].filter((name) => !names.has(name)),
    unknown: [...names].filter((name) => !known.has(name)),
  };
}

/** The names of the pending migrations. Read-only. */
export const pendingMigrations = async (store: Database): Promise<string[]> => (await migrationsOf(store)).pending;

/** The PostgreSQL release of the server, such as `17.2`. */
export async function serverVersion(store: Database): Promise<string> {
  const asked = { text: 'SHOW server_version', values: [] };
  const [{ server_version: version }] = await run<{ server_version: string }>(store.dataSource.manager, asked);
  return version.split(' ', 1)[0];
}

/** False when migrations have run and the role of this connection may not read which. */
export async function mayReadMigrations(store: Database): Promise<boolean> {
  const [{ hidden }] = await run<{ hidden: boolean }>(store.dataSource.manager, {
    text: `SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'migrations' AND relkind = 'r' AND NOT has_table_privilege(oid, 'SELECT')) AS hidden`,
    values: [],
  });
  return !hidden;
}

/**
 * Runs the pending migrations, each in a separate transaction, and returns their names. Processes that start together
 * run each migration once: one runs them, the others wait and then have none left.
 */
export async function migrate(store: Database): Promise<string[]> {
  if (store.isPooled) throw new Error('Migrations need a session: open the store of DATABASE_DIRECT_URL.');
  if ((await pendingMigrations(store)).length === 0) return [];
  const runner = store.dataSource.createQueryRunner();
  let restore: (() => Promise<unknown>) | undefined;
  try {
    if (!store.embedded) {
      restore = await rememberTimeouts((text, values) => runner.query(text, values));
      await lock(runner);
    }
    const executor = new MigrationExecutor(store.dataSource, runner);
    executor.transaction = 'each';
    return (await executor.executePendingMigrations()).map((migration) => migration.name);
  } finally {
    // a lost connection has released its lock already
    if (restore) {
      await unlock(runner).catch(() => undefined);
      await restore().catch(() => undefined);
    }
    await runner.release();
  }
}

async function lock(runner: QueryRunner): Promise<void> {
  await runner.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
  // polls: a waiting statement holds a snapshot, for which CREATE INDEX CONCURRENTLY would wait in turn
  const attempt = () =>
    runner.query(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS locked`) as Promise<{ locked: boolean }[]>;
  while (!(await attempt())[0].locked) await pause(100);
}

const unlock = (runner: QueryRunner) => runner.query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`);
