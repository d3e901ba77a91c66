import type { Type } from '@nestjs/common';
import pg, { type Pool, type PoolConfig } from 'pg';
import { DataSource, type DataSourceOptions, type MigrationInterface } from 'typeorm';
import type { Config } from '../../config/config.js';
import { openEmbedded, startMaintenance } from './embedded/embedded.js';
import { storeFailure } from './embedded/store-failure.js';
import { LockRetryExecutor } from './query/locks.js';
import { guardTransactions } from './query/transaction-guard.js';
import { AnswerTimeouts } from '../concurrency/answer-timeouts.js';
import { NoAnswer } from '../errors/unavailable.js';
import { BoundedPool, type BoundedClient, type BoundedSettings } from './postgres/bounded-client.js';
import { chooseDriver } from './postgres/choose-driver.js';
import {
  connectionsInUse,
  PLAIN_DRIVER,
  plainQuery,
  UNNAMED_DRIVER,
  type ConnectionsInUse,
  type Driver,
  type SharedConnections,
} from './postgres/driver.js';
import { inOwnTransaction, ServerConnection } from './postgres/own-connection.js';
import { checkedServer, QUICK_LOCK_TIMEOUT_MS, serverSettings } from './postgres/server-settings.js';
import { ServerTime } from './postgres/server-time.js';
import { type ServerState, ServerWatch } from './postgres/server-watch.js';
import { Bulkhead, longReadsOn } from './query/bulkhead.js';
import { ReadReplicas } from './read-replicas/read-replicas.js';
import {
  poolExecutor,
  poolOf,
  run,
  useExecutors,
  type Executor,
  type OwnConnection,
  type Statement,
} from './query/statement.js';

export { commandPool, pooledSettings, serverSettings } from './postgres/server-settings.js';

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
  /** How to open a session on the server outside the pool; the embedded store has no other connection. */
  readonly server?: BoundedSettings;
  /** Whether statements go through a pooler in transaction mode, which `server` avoids. */
  readonly isPooled?: boolean;
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
  /** The number of commits that have waited for a synchronous standby of the server for a second or longer. */
  commitsWaiting(): number;
  /** The server's time; the embedded store has no separate time. */
  readonly time?: ServerTime;
  /** The standbys that serve reads, if there are any configured. */
  readonly readReplicas?: ReadReplicas;
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
  | 'mode'
  | 'dataDir'
  | 'databaseUrl'
  | 'databaseDirectUrl'
  | 'databaseDriver'
  | 'databasePool'
  | 'databasePipelinedConnections'
> &
  Partial<Pick<Config, 'databaseReplicaUrls' | 'databaseReplicaMaxLagMs'>> & {
    /** The machine's time in milliseconds, for tests with differing clocks. */
    machineTime?: () => number;
  };

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

/** The options of a DataSource, with additional settings for pg. */
export const dataSourceOptions = (model: Model, extra: PoolConfig): DataSourceOptions => ({
  type: 'postgres',
  driver: { ...pg, Pool: BoundedPool },
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
  const { server, direct } = await checkedServer(config, databaseUrl);
  const time = new ServerTime(config.machineTime);
  const renewal = new Renewal();
  // requests do not retry a failed connection each: a recovering server is busy enough
  const ours: BoundedSettings = { ...server, onLoss: () => renewal.renew(), mayConnect: () => watch.answers };
  const quick = { ...ours, lock_timeout: QUICK_LOCK_TIMEOUT_MS };
  const max = config.databasePipelinedConnections;
  const { driver: chosen, fallback } = await chooseDriver(config.databaseDriver, server, { pipelined: max > 0 });
  const driver = direct && chosen === PLAIN_DRIVER ? UNNAMED_DRIVER : chosen;
  const watch = new ServerWatch(new ServerConnection(server, OWN_LIMIT_MS), time, (state) => renewal.renew(state));
  const shared = max > 0 ? driver.pipelined?.(quick, max) : undefined;
  const { reading, writing } = sharesOf(config.databasePool - (shared ? max : 0), shared !== undefined);
  const dataSource = new DataSource(dataSourceOptions(model, poolConfig(driver, ours, writing)));
  await begin(watch, dataSource);
  const writes = draining(poolExecutor(poolOf(dataSource), patientQuery(driver, server)));
  const readPool = reading > 0 ? openPool(driver, quick, reading) : undefined;
  const sessions = direct && openPool(PLAIN_DRIVER, direct, 1);
  const reads = readPool ? draining(poolExecutor(readPool, driver.query)) : writes;

  const bulkheads = bulkheadsFor(shared ? max : reading, writing);
  const quickly: Executor = shared ? (query) => shared.query(query) : reads.executor;
  const small = new LockRetryExecutor(quickly, writes.executor, bulkheads);
  const readReplicas = readReplicasOf(config, server, driver);
  useExecutors(dataSource, {
    small: (query, lockKey) => small.run(query, lockKey),
    large: reads.executor,
    inTransaction: driver.query,
    bulkhead: bulkheads.patient,
    longReads: longReadsOn(reading || writing),
    ...(sessions && { sessions }),
    ...(readReplicas && { readReplicas }),
  });
  renewal.watch(
    [poolOf(dataSource), readPool, sessions].filter((pool) => pool !== undefined),
    shared,
  );
  let closed: Promise<void> | undefined;
  return {
    ownedSince: performance.now(),
    dataSource,
    embedded: false,
    server: direct ?? server,
    isPooled: direct !== undefined,
    ...(fallback && { driverFallback: fallback }),
    connections: () => usageOf(poolOf(dataSource), readPool, shared),
    contending: () => ({ quick: bulkheads.quick.waiting, patient: bulkheads.patient.waiting }),
    answers: () => Promise.resolve(watch.answers),
    isReadOnly: () => watch.state === 'read-only',
    commitsWaiting: () => watch.commitsWaiting,
    time,
    ...(readReplicas && { readReplicas }),
    openConnection: () => new ServerConnection(server, OWN_LIMIT_MS, { takesLocks: true }),
    close: () =>
      (closed ??= (async () => {
        await Promise.all([shared?.close(), writes.close(), reads.close(), watch.stop(), readReplicas?.stop()]);
        if (dataSource.isInitialized) await dataSource.destroy();
        await Promise.all([readPool?.end(), sessions?.end()]);
      })()),
  };
}

async function begin(watch: ServerWatch, dataSource: DataSource): Promise<void> {
  try {
    await watch.begin();
    await dataSource.initialize();
  } catch (error) {
    await watch.stop();
    throw error;
  }
}

/** The query of connections whose statements may wait for locks; behind a pooler that takes a transaction. */
const patientQuery = ({ query }: Driver, { transactionSettings }: BoundedSettings) =>
  transactionSettings === undefined ? query : inOwnTransaction(query, transactionSettings);

function openPool(driver: Driver, own: BoundedSettings, max: number): Pool {
  const pool = new BoundedPool(poolConfig(driver, own, max));
  pool.on('error', () => undefined);
  return pool;
}

/** The standbys of the configuration; each has as many connections for reads as the primary. */
function readReplicasOf(config: Settings, server: BoundedSettings, driver: Driver): ReadReplicas | undefined {
  const { databaseReplicaUrls: urls = [], databaseReplicaMaxLagMs: maxLagMs = 0, databasePool: pool } = config;
  if (urls.length === 0) return undefined;
  const shared = driver.pipelined ? config.databasePipelinedConnections : 0;
  return new ReadReplicas(
    new ServerConnection(server, OWN_LIMIT_MS),
    urls.map((url) => serverSettings(url)),
    { driver, shared, pooled: sharesOf(pool - shared, shared > 0).reading, maxLagMs },
  );
}

const poolConfig = ({ Client }: Driver, own: BoundedSettings, max: number): PoolConfig => ({
  ...own,
  max,
  idleTimeoutMillis: 60_000,
  Client,
});

const usageOf = (writes: Pool, reads?: Pool, shared?: SharedConnections): Record<string, ConnectionsInUse> => ({
  ...(shared && { shared: shared.inUse }),
  ...(reads && { reads: connectionsInUse(reads) }),
  writes: connectionsInUse(writes),
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
      if (closed) throw new NoAnswer('The connections to the database are closed.');
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
      connections: () => ({ embedded: connectionsInUse(poolOf(dataSource)) }),
      contending: () => ({ quick: 0, patient: 0 }),
      answers: () =>
        timeouts.race(ask({ text: 'SELECT 1', values: [] })).then(
          () => true,
          () => false,
        ),
      isReadOnly: () => false,
      commitsWaiting: () => 0,
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
