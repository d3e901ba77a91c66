import { setTimeout as pause } from 'node:timers/promises';
import {
  DataSource,
  EventSubscriber,
  MigrationExecutor,
  type EntitySubscriberInterface,
  type QueryRunner,
  type TransactionStartEvent,
} from 'typeorm';
import { dataSourceOptions, type Database, type Model } from './database.js';
import { unlimitedPool } from './postgres/server-settings.js';
import { isLocked, retryOnLock } from './query/locks.js';
import { rememberTimeouts } from './query/session-timeouts.js';
import { run } from './query/statement.js';
import { LOCK_PATIENCE_MS, shortLock } from './short-lock.js';

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
  if (!store.server) {
    const runner = store.dataSource.createQueryRunner();
    return runPending(store, runner).finally(() => runner.release());
  }
  // statements of the store have three seconds, and building an index takes as long as it takes
  const { entities, migrations } = store.dataSource.options as unknown as Model;
  const options = dataSourceOptions({ entities, migrations }, unlimitedPool(store.server));
  // its error says what failed; a logger would repeat it on standard output at each attempt
  const patient = await new DataSource({ ...options, subscribers: [ShortLocks], logger: 'debug' }).initialize();
  const runner = patient.createQueryRunner();
  let restore: (() => Promise<unknown>) | undefined;
  try {
    // a pooler may give the session to others afterwards
    restore = await rememberTimeouts((text, values) => runner.query(text, values));
    await lock(runner);
    return await runPending(store, runner);
  } finally {
    // a lost connection has released its lock already
    await unlock(runner).catch(() => undefined);
    await restore?.().catch(() => undefined);
    await runner.release();
    await patient.destroy();
  }
}

/** A transaction that meets a lock has done nothing, and runs again. Each migration has the whole patience. */
async function runPending(store: Database, runner: QueryRunner): Promise<string[]> {
  const pending = await pendingMigrations(store);
  const executor = new MigrationExecutor(runner.dataSource, runner);
  executor.transaction = 'each';
  for (let left = pending.length; left > 0;) {
    try {
      await retryOnLock(() => executor.executePendingMigrations(), undefined, LOCK_PATIENCE_MS);
      left = 0;
    } catch (error) {
      const stillLeft = (await pendingMigrations(store)).length;
      if (!isLocked(error) || stillLeft === left) throw error;
      left = stillLeft;
    }
  }
  return pending;
}

/** Outside of transactions, as with CONCURRENTLY, a migration waits as long as it needs: nobody waits for it. */
@EventSubscriber()
class ShortLocks implements EntitySubscriberInterface {
  private attempts = 0;

  async afterTransactionStart({ queryRunner }: TransactionStartEvent): Promise<void> {
    await queryRunner.query(shortLock(++this.attempts));
  }

  afterTransactionCommit(): void {
    this.attempts = 0;
  }
}

async function lock(runner: QueryRunner): Promise<void> {
  // also when the role or the URL sets them
  await runner.query('SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0');
  // polls: a waiting statement holds a snapshot, for which CREATE INDEX CONCURRENTLY would wait in turn
  const attempt = () =>
    runner.query(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS locked`) as Promise<{ locked: boolean }[]>;
  while (!(await attempt())[0].locked) await pause(100);
}

const unlock = (runner: QueryRunner) => runner.query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`);
