import type { Type } from '@nestjs/common';
import type { ClientConfig, PoolConfig } from 'pg';
import { DataSource, type DataSourceOptions, type MigrationInterface } from 'typeorm';
import type { Config } from '../../config.js';
import { SESSION, types } from './postgres/type-parsers.js';
import { openEmbedded } from './embedded/embedded.js';
import { storeFailure } from './embedded/store-failure.js';
import { guardTransactions } from './query/transaction-guard.js';
import { chooseDriver } from './postgres/choose-driver.js';
import { plainQuery } from './postgres/driver.js';
import { poolExecutor, poolOf, useExecutors, type Executor } from './query/statement.js';
import { startMaintenance } from './embedded/maintenance.js';

/** What the store holds: the tables, and the way there. */
export interface Model {
  entities: Type[];
  migrations: Type<MigrationInterface>[];
}

/** Under this the store is injected where the DataSource alone does not tell enough. */
export const DATABASE = Symbol('database');

/** The database, ready to be asked. */
export interface Database {
  /** Since when it is ours, on the scale of `performance.now()`: an embedded store has belonged to this process alone since. */
  readonly ownedSince: number;
  readonly dataSource: DataSource;
  readonly embedded: boolean;
  /** How to connect to the server beside the pool; the embedded store has no other connection. */
  readonly server?: ClientConfig;
  /** Why statements run in the plain way although DATABASE_DRIVER asks for the fast one. */
  readonly driverFallback?: Error;
  /** Everything it holds, as a template for others (embedded store only). */
  dump?(): Promise<Buffer>;
  /** What its owner is told of an error that comes of the state of its files; any other as it is (embedded store only). */
  explain?(error: unknown): unknown;
  /** Ends all connections, after what is underway on them. May be called again. */
  close(): Promise<void>;
}

type Settings = Pick<
  Config,
  'mode' | 'dataDir' | 'databaseUrl' | 'databaseDriver' | 'databasePool' | 'databasePipelinedConnections'
>;

const STATEMENT_TIMEOUT_MS = 5_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * Opens the store that the configuration names: the PostgreSQL server of DATABASE_URL, or the embedded store in
 * DATA_DIR, which begins with `template` if there is none yet. In tests and on the embedded store transactions are guarded.
 */
export async function openDatabase(config: Settings, model: Model, template?: Buffer): Promise<Database> {
  const store = config.databaseUrl
    ? await openServer(config, config.databaseUrl, model)
    : await openLocal(model, { dataDir: config.dataDir, template });
  if (store.embedded || config.mode === 'test') guardTransactions(store.dataSource);
  return store;
}

/** Opens an embedded store in memory that begins with a template, for tests. */
export async function openInMemoryDatabase(model: Model, template?: Buffer): Promise<Database> {
  const store = await openLocal(model, { template });
  guardTransactions(store.dataSource);
  return store;
}

/** The connection settings of every session on a server, in the pool and beside it. */
export function serverSettings(databaseUrl: string, { timeouts = true } = {}): ClientConfig {
  const url = new URL(databaseUrl);
  // what the URL says goes before what stands beside it, so ours is added to its own
  const given = url.searchParams.get('options');
  url.searchParams.delete('options');
  return {
    connectionString: url.href,
    options: [given, ...SESSION.map((setting) => `-c ${setting}`)].filter(Boolean).join(' '),
    application_name: 'marquee',
    connectionTimeoutMillis: 3_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
    ...(timeouts && {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    }),
  };
}

/** The options of a DataSource, with what pg gets from it besides. */
export const dataSourceOptions = (model: Model, extra: PoolConfig): DataSourceOptions => ({
  type: 'postgres',
  entities: model.entities,
  migrations: model.migrations,
  migrationsTransactionMode: 'each',
  synchronize: false,
  // looking at a database must not change it
  installExtensions: false,
  logging: false,
  // pg has replaced the idle connection that was lost; whoever needs the database notices on its own
  poolErrorHandler: () => undefined,
  extra,
});

async function openServer(config: Settings, databaseUrl: string, model: Model): Promise<Database> {
  const server = serverSettings(databaseUrl);
  const most = config.databasePipelinedConnections;
  const { driver, fallback } = await chooseDriver(config.databaseDriver, server, { pipelined: most > 0 });
  const shared = most > 0 ? driver.pipelined?.(server, most) : undefined;
  const pooled: PoolConfig = {
    ...server,
    max: config.databasePool - (shared ? most : 0),
    idleTimeoutMillis: 60_000,
    Client: driver.Client,
  };
  const dataSource = await new DataSource(dataSourceOptions(model, pooled)).initialize();
  const pool = draining(poolExecutor(poolOf(dataSource), driver.query));
  useExecutors(dataSource, {
    small: shared ? (query) => shared.query(query) : pool.executor,
    large: pool.executor,
    inTransaction: driver.query,
  });
  return {
    ownedSince: performance.now(),
    dataSource,
    embedded: false,
    server,
    ...(fallback && { driverFallback: fallback }),
    async close() {
      await Promise.all([shared?.close(), pool.close()]);
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

/** An executor that can be closed, after what is underway: pg's pool forgets who waits for a connection when it ends. */
function draining(execute: Executor): { executor: Executor; close(): Promise<void> } {
  const underway = new Set<Promise<unknown>>();
  let closed = false;
  return {
    executor: (query) => {
      if (closed) return Promise.reject(new Error('The connections to the database are closed.'));
      const answer = execute(query).finally(() => underway.delete(answer));
      underway.add(answer);
      return answer;
    },
    async close() {
      closed = true;
      await Promise.allSettled(underway);
    },
  };
}

async function openLocal(model: Model, options: { dataDir?: string; template?: Buffer }): Promise<Database> {
  const local = await openEmbedded(options);
  try {
    const dataSource = await new DataSource(dataSourceOptions(model, local.extra)).initialize();
    const pool = draining(poolExecutor(poolOf(dataSource), plainQuery));
    useExecutors(dataSource, { small: pool.executor, large: pool.executor, inTransaction: plainQuery });
    const stopMaintenance = startMaintenance(dataSource);
    let closed: Promise<void> | undefined;
    return {
      ownedSince: local.ownedSince,
      dataSource,
      embedded: true,
      dump: () => local.dump(),
      explain: (error) => (options.dataDir === undefined ? error : storeFailure(error, options.dataDir)),
      close: () =>
        (closed ??= (async () => {
          stopMaintenance();
          await pool.close();
          if (dataSource.isInitialized) await dataSource.destroy();
          await local.close();
        })()),
    };
  } catch (error) {
    await local.close().catch(() => undefined);
    throw options.dataDir === undefined ? error : storeFailure(error, options.dataDir);
  }
}
