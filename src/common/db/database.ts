import type { Type } from '@nestjs/common';
import pg, { type Pool, type PoolConfig } from 'pg';
import { DataSource, type DataSourceOptions, type MigrationInterface } from 'typeorm';
import type { Config } from '../../config.js';
import { SESSION, types } from './postgres/type-parsers.js';
import { openEmbedded } from './embedded/embedded.js';
import { storeFailure } from './embedded/store-failure.js';
import { guardTransactions } from './query/transaction-guard.js';
import { parseDatabaseUrl } from '../database-url.js';
import { AnswerTimeouts } from '../answer-timeouts.js';
import { BoundedClient, type BoundedSettings } from './postgres/bounded-client.js';
import { chooseDriver } from './postgres/choose-driver.js';
import { plainQuery, type ConnectionsInUse, type Driver } from './postgres/driver.js';
import { ServerConnection } from './postgres/own-connection.js';
import { checkSessions } from './postgres/check-sessions.js';
import { ServerTime } from './postgres/server-time.js';
import { ServerHosts } from './postgres/server-hosts.js';
import { type ServerState, ServerWatch } from './postgres/server-watch.js';
import { Bulkhead } from './query/bulkhead.js';
import { LockRetryExecutor } from './query/lock-retry-executor.js';
import {
  poolExecutor,
  poolOf,
  run,
  useExecutors,
  type Executor,
  type OwnConnection,
  type Statement,
} from './query/statement.js';
import { startMaintenance } from './embedded/maintenance.js';

/** The entities and migrations of the store. */
export interface Model {
  entities: Type[];
  migrations: Type<MigrationInterface>[];
}

/** The token that injects the store when the DataSource is not enough. */
export const DATABASE = Symbol('database');

/** The open database. */
export interface Database {
  /**
   * When this process became the owner, in `performance.now()`; an embedded store has belonged to it alone since then.
   */
  readonly ownedSince: number;
  readonly dataSource: DataSource;
  readonly embedded: boolean;
  /** How to connect to the server outside the pool; the embedded store has no other connection. */
  readonly server?: BoundedSettings;
  /** The reason that statements use the plain driver although DATABASE_DRIVER requests the fast one. */
  readonly driverFallback?: Error;
  /** The usage of its connections, by purpose. */
  connections(): Record<string, ConnectionsInUse>;
  /** The number of statements that wait for others with the same lock key, by lane. */
  contending(): Record<'quick' | 'patient', number>;
  /** Whether it serves requests, from the last check or found out within a second. */
  answers(): Promise<boolean>;
  /** Whether it is read-only, as a standby before its promotion; then it does not serve requests either. */
  isReadOnly(): boolean;
  /** The server's time; the embedded store has no separate time. */
  readonly time?: ServerTime;
  /** Opens a connection for one purpose; the embedded store shares its only one. */
  openConnection(): OwnConnection;
  /** Exports all data as a template for other stores (embedded store only). */
  dump?(): Promise<Buffer>;
  /** Explains an error caused by the state of the files; returns others unchanged (embedded store only). */
  explain?(error: unknown): unknown;
  /** Closes all connections after their statements in progress. Idempotent. */
  close(): Promise<void>;
}

type Settings = Pick<
  Config,
  'mode' | 'dataDir' | 'databaseUrl' | 'databaseDriver' | 'databasePool' | 'databasePipelinedConnections'
> & {
  /** The machine's time in milliseconds, for tests with differing clocks. */
  machineTime?: () => number;
};

/** Together with the time to get a connection and some network time, a request is answered within five seconds. */
const STATEMENT_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** How long a suspended process may keep rows locked within a transaction. */
const IDLE_TRANSACTION_TIMEOUT_MS = 3_000;
/** Lock timeout of connections that no other statements wait for. */
const LOCK_TIMEOUT_MS = 1_000;
/**
 * Lock timeout of shared connections: short locks of other requests are awaited here, longer ones on other connections.
 */
const QUICK_LOCK_TIMEOUT_MS = 20;
/** Timeout of a statement on a connection for one purpose, and of opening it. */
const OWN_LIMIT_MS = 1_000;
/** Minimum time between replacements of connections that may be lost. */
const RENEWAL_MS = 500;
/** Maximum number of concurrent statements with the same lock key, such as an account, per connection. */
const CONTENDING_PER_CONNECTION = 4;
/** Maximum number of statements with the same lock key that wait, in each lane. */
const MAX_QUEUED = 1_000;
const MAX_LOCK_WAITERS = 300;
/** Timeout of that wait. */
const TURN_MS = 2_000;

/**
 * Opens the configured store: the PostgreSQL server of DATABASE_URL, or the embedded store in DATA_DIR, which is
 * created from `template` if there is none. Tests and the embedded store guard transactions.
 */
export async function openDatabase(config: Settings, model: Model, template?: Buffer): Promise<Database> {
  const store = config.databaseUrl
    ? await openServer(config, config.databaseUrl, model)
    : await openLocal(model, { dataDir: config.dataDir, template });
  if (store.embedded || config.mode === 'test') guardTransactions(store.dataSource);
  return store;
}

/** Opens an embedded store in memory, created from a template, for tests. */
export async function openInMemoryDatabase(model: Model, template?: Buffer): Promise<Database> {
  const store = await openLocal(model, { template });
  guardTransactions(store.dataSource);
  return store;
}

/** The connection settings of every session on a server, inside and outside the pool. */
export function serverSettings(databaseUrl: string, { timeouts = true } = {}): BoundedSettings {
  const { urls: given, target } = parseDatabaseUrl(databaseUrl);
  // options in the URL take precedence over separate ones, so these are appended to them
  const options = new URL(given[0]).searchParams.get('options');
  const urls = given.map((each) => {
    const url = new URL(each);
    url.searchParams.delete('options');
    return url.href;
  });
  return {
    connectionString: urls[0],
    ...(urls.length > 1 && { hosts: new ServerHosts(urls, target) }),
    options: [options, ...SESSION.map((setting) => `-c ${setting}`)].filter(Boolean).join(' '),
    application_name: 'marquee',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
    ...(timeouts && {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    }),
  };
}

/** The pool of TypeORM's commands: migrations may take as long as they need. */
export const commandPool = (databaseUrl: string): PoolConfig => ({
  ...serverSettings(databaseUrl, { timeouts: false }),
  max: 2,
  Client: BoundedClient,
});

/** The options of a DataSource, with additional settings for pg. */
export const dataSourceOptions = (model: Model, extra: PoolConfig): DataSourceOptions => ({
  type: 'postgres',
  entities: model.entities,
  migrations: model.migrations,
  migrationsTransactionMode: 'each',
  synchronize: false,
  // opening a database must not change it
  installExtensions: false,
  logging: false,
  // pg has replaced the lost idle connection; statements detect an outage themselves
  poolErrorHandler: () => undefined,
  extra,
});

async function openServer(config: Settings, databaseUrl: string, model: Model): Promise<Database> {
  const asked = serverSettings(databaseUrl);
  const server: BoundedSettings = { ...asked, ...(await checkSessions(asked)) };
  const time = new ServerTime(config.machineTime);
  const renewal = new Renewal();
  // requests do not retry a failed connection each: a recovering server is busy enough
  const ours: BoundedSettings = { ...server, onLoss: () => renewal.renew(), mayConnect: () => watch.answers };
  const quick = { ...ours, lock_timeout: QUICK_LOCK_TIMEOUT_MS };
  const most = config.databasePipelinedConnections;
  const { driver, fallback } = await chooseDriver(config.databaseDriver, server, { pipelined: most > 0 });
  const watch = new ServerWatch(new ServerConnection(server, OWN_LIMIT_MS), time, (state) => renewal.renew(state));
  const shared = most > 0 ? driver.pipelined?.(quick, most) : undefined;
  const { reading, writing } = sharesOf(config.databasePool - (shared ? most : 0), shared !== undefined);
  const dataSource = new DataSource(dataSourceOptions(model, poolConfig(driver, ours, writing)));
  try {
    await watch.begin();
    await dataSource.initialize();
  } catch (error) {
    await watch.stop();
    throw error;
  }
  const writes = draining(poolExecutor(poolOf(dataSource), driver.query));
  const readPool = reading > 0 ? new pg.Pool(poolConfig(driver, quick, reading)) : undefined;
  readPool?.on('error', () => undefined);
  const reads = readPool ? draining(poolExecutor(readPool, driver.query)) : writes;

  const bulkheads = bulkheadsFor(shared ? most : reading, writing);
  const quickly: Executor = shared ? (query) => shared.query(query) : reads.executor;
  const small = new LockRetryExecutor(quickly, writes.executor, bulkheads);
  useExecutors(dataSource, {
    small: (query, lockKey) => small.run(query, lockKey),
    large: reads.executor,
    inTransaction: driver.query,
    bulkhead: bulkheads.patient,
  });
  renewal.watch([poolOf(dataSource), ...(readPool ? [readPool] : [])], shared);
  let closed: Promise<void> | undefined;
  return {
    ownedSince: performance.now(),
    dataSource,
    embedded: false,
    server,
    ...(fallback && { driverFallback: fallback }),
    connections: () => ({
      ...(shared && { shared: shared.inUse }),
      ...(readPool && { reads: inUse(readPool) }),
      writes: inUse(poolOf(dataSource)),
    }),
    contending: () => ({ quick: bulkheads.quick.waiting, patient: bulkheads.patient.waiting }),
    answers: () => Promise.resolve(watch.answers),
    isReadOnly: () => watch.state === 'read-only',
    time,
    openConnection: () => new ServerConnection(server, OWN_LIMIT_MS),
    close: () =>
      (closed ??= (async () => {
        await Promise.all([shared?.close(), writes.close(), reads.close(), watch.stop()]);
        if (dataSource.isInitialized) await dataSource.destroy();
        await readPool?.end();
      })()),
  };
}

const poolConfig = ({ Client }: Driver, own: BoundedSettings, max: number): PoolConfig => ({
  ...own,
  max,
  idleTimeoutMillis: 60_000,
  Client,
});

/** Splits connections between reads and writes. Writes may wait for locks, so reads have connections of their own. */
function sharesOf(pooled: number, arePipelined: boolean): { reading: number; writing: number } {
  const reading = arePipelined ? Math.floor(pooled / 2) : pooled - Math.max(1, Math.floor(pooled / 3));
  return { reading, writing: pooled - reading };
}

const bulkheadsFor = (quickConnections: number, writing: number) => ({
  quick: new Bulkhead({
    atOnce: CONTENDING_PER_CONNECTION * quickConnections,
    waiting: MAX_QUEUED,
    timeoutMs: TURN_MS,
  }),
  patient: new Bulkhead({
    atOnce: Math.max(1, writing - 1),
    waiting: MAX_LOCK_WAITERS,
    timeoutMs: TURN_MS,
  }),
});

/** Replaces connections that may be lost, or that may lead to a read-only server. */
class Renewal {
  private pools: Pool[] = [];
  private shared?: { renew(): void };
  private renewedAt = -Infinity;
  /** Connections opened before this time may lead to a read-only server. */
  private elsewhereBefore = -Infinity;

  /** Starts to replace the connections of these pools and the shared ones. */
  watch(pools: Pool[], shared?: { renew(): void }): void {
    this.pools = pools;
    this.shared = shared;
    for (const pool of pools)
      pool.on('release', (_, client) => {
        const bounded = client as unknown as BoundedClient;
        if (bounded.openedAt < this.elsewhereBefore) bounded.cut();
      });
  }

  /** Replaces idle connections, at most once in RENEWAL_MS while the state of the server is unknown. */
  renew(state?: ServerState): void {
    if (this.pools.length === 0) return;
    const now = performance.now();
    if (state === 'read-only' || state === 'ok') this.elsewhereBefore = now;
    // many statements may detect the same loss
    else if (now - this.renewedAt < RENEWAL_MS) return;
    this.renewedAt = now;
    this.shared?.renew();
    for (const pool of this.pools) renew(pool);
  }
}

const inUse = ({ totalCount, idleCount, waitingCount, options }: Pool): ConnectionsInUse => ({
  open: totalCount,
  used: totalCount - idleCount,
  most: options.max,
  waiting: waitingCount,
});

/** Closes idle connections: they may be lost, and the next statement would wait in vain. */
function renew(pool: Pool): void {
  for (let idle = pool.idleCount; idle > 0; idle--) {
    pool.connect().then(
      (client) => {
        (client as unknown as BoundedClient).cut();
        client.release(true);
      },
      () => undefined,
    );
  }
}

/** An executor that closes after its statements in progress: pg's pool abandons waiting statements when it ends. */
function draining(execute: Executor): { executor: Executor; close(): Promise<void> } {
  // a counter rather than a set of promises, which would keep their rows in memory
  let underway = 0;
  let closed = false;
  let whenIdle = (): void => undefined;
  return {
    executor: async (query) => {
      if (closed) throw new Error('The connections to the database are closed.');
      underway++;
      try {
        return await execute(query);
      } finally {
        if (--underway === 0) whenIdle();
      }
    },
    close: () =>
      new Promise((resolve) => {
        closed = true;
        whenIdle = resolve;
        if (underway === 0) resolve();
      }),
  };
}

async function openLocal(model: Model, options: { dataDir?: string; template?: Buffer }): Promise<Database> {
  const local = await openEmbedded(options);
  try {
    const dataSource = await new DataSource(dataSourceOptions(model, local.extra)).initialize();
    const pool = draining(poolExecutor(poolOf(dataSource), plainQuery));
    useExecutors(dataSource, { small: pool.executor, large: pool.executor, inTransaction: plainQuery });
    const timeouts = new AnswerTimeouts(OWN_LIMIT_MS);
    const ask = <R>(statement: Statement) => run<R>(dataSource.manager, statement);
    const stopMaintenance = startMaintenance(dataSource);
    let closed: Promise<void> | undefined;
    return {
      ownedSince: local.ownedSince,
      dataSource,
      embedded: true,
      connections: () => ({ embedded: inUse(poolOf(dataSource)) }),
      contending: () => ({ quick: 0, patient: 0 }),
      answers: () =>
        timeouts.race(ask({ text: 'SELECT 1', values: [] })).then(
          () => true,
          () => false,
        ),
      isReadOnly: () => false,
      openConnection: () => ({ run: ask, close: () => Promise.resolve() }),
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
