import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PoolConfig } from 'pg';
import type { DataSource } from 'typeorm';
import { SESSION, types } from '../postgres/type-parsers.js';
import { StartFailure } from '../../start-failure.js';
import { takeLock } from './lock.js';
import { damaged, storeFailure } from './store-failure.js';
import { unpackStore } from './unpack.js';

/** PostgreSQL in this process, in a directory or in memory. */
export interface Embedded {
  /** The `extra` option for TypeORM's postgres driver. */
  readonly extra: PoolConfig;
  /** Whether the store is newly created and empty. */
  readonly fresh: boolean;
  /** Since when no other process can have used it, in `performance.now()`. */
  readonly ownedSince: number;
  /** Exports all data as a template for another store. */
  dump(): Promise<Buffer>;
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** The directory of its files; in memory if absent. */
  dataDir?: string;
  /** A dump to create a new store from; by default the empty one of the build. */
  template?: Buffer;
}

/** Created by `scripts/make-store-template.mjs`, beside `src` or `dist`. */
const TEMPLATE = fileURLToPath(new URL('../../../../store-template.tar.gz', import.meta.url));

/** Waiting for the only connection may take as long as the longest transaction. */
const CONNECTION_TIMEOUT_MS = 10_000;

/**
 * Opens the embedded store. One process at a time can open a directory (StoreInUse). Committed data survives any end of
 * the process.
 */
export async function openEmbedded({ dataDir, template }: EmbeddedOptions = {}): Promise<Embedded> {
  if (dataDir === undefined) return open(template ?? builtTemplate(), undefined, performance.now());

  try {
    return await openIn(dataDir, template);
  } catch (error) {
    throw storeFailure(error, dataDir, { opening: true });
  }
}

async function openIn(dataDir: string, template?: Buffer): Promise<Embedded> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const release = await takeLock(join(dataDir, 'store.lock'), dataDir);
  const ownedSince = performance.now();
  try {
    const directory = join(dataDir, 'store');
    const unfinished = join(dataDir, 'store.unfinished');
    // an interrupted first start left files that are not a valid store
    if (existsSync(unfinished)) rmSync(directory, { recursive: true, force: true });
    const fresh = isAbsent(directory);
    if (!fresh) checkVersion(directory, dataDir);

    if (fresh) writeFileSync(unfinished, '');
    const dump = fresh ? (template ?? builtTemplate()) : undefined;
    if (dump) unpackStore(dump, directory);
    const store = await open(undefined, directory, ownedSince);
    rmSync(unfinished, { force: true });
    closeToOthers(directory);
    return {
      ...store,
      fresh,
      async close() {
        await store.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** A directory without the version file is the rest of a store: creating a new store there would destroy it. */
const isAbsent = (directory: string) => !existsSync(directory) || readdirSync(directory).length === 0;

/** The PostgreSQL release of these files. */
const VERSION = '18';

function checkVersion(directory: string, dataDir: string): void {
  const path = join(directory, 'PG_VERSION');
  const version = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (version === '') throw damaged(dataDir, `PG_VERSION is ${existsSync(path) ? 'empty' : 'missing'}`);
  if (version !== VERSION)
    throw new StartFailure(
      `The store in ${directory} was created by PostgreSQL ${version.slice(0, 20)}, but this release of Marquee contains PostgreSQL ` +
        `${VERSION}; start the release that created it, or move the store away to begin with an empty one.`,
    );
}

/**
 * This PostgreSQL creates files that everybody may read and write, whatever the umask. Files created while it runs are
 * in folders that others cannot enter; the next start restricts the files themselves.
 */
function closeToOthers(directory: string): void {
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
}

const builtTemplate = () => (existsSync(TEMPLATE) ? readFileSync(TEMPLATE) : undefined);

/**
 * PostgreSQL takes 128 MB otherwise, for which the memory of WebAssembly has to grow beyond its first size: a service with the
 * demo would hold some 100 MB more.
 */
const MEMORY = ['shared_buffers=48MB'];

let library: ReturnType<typeof loadLibrary> | undefined;

/** Called once, and on demand: a service on PostgreSQL has no use for it. */
async function loadLibrary() {
  const { PGlite } = await import('@electric-sql/pglite');
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres');
  return { PGlite, createPgConfig };
}

async function open(template: Buffer | undefined, dataDir: string | undefined, ownedSince: number): Promise<Embedded> {
  const { PGlite, createPgConfig } = await (library ??= loadLibrary());
  const pglite = await PGlite.create({
    ...(dataDir && { dataDir }),
    ...(template && { loadDataDir: new Blob([new Uint8Array(template)]) }),
    // the operating system has an acknowledged commit
    relaxedDurability: false,
    startParams: [...PGlite.defaultStartParams, ...[...SESSION, ...MEMORY].flatMap((setting) => ['-c', setting])],
  });
  return {
    extra: {
      ...createPgConfig(pglite),
      max: 1,
      // the bridge has one permanent connection; a pool that ends an idle one would break the next
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      types,
    },
    fresh: true,
    ownedSince,
    dump: async () => Buffer.from(await (await pglite.dumpDataDir('gzip')).arrayBuffer()),
    close: () => pglite.close(),
  };
}

const INTERVAL_MS = 60_000;
/** For a smaller growth of the write-ahead log, maintenance is not worth its pause. */
const MIN_WAL_BYTES = 48 * 1024 * 1024;

/**
 * Vacuums, analyzes and checkpoints the embedded store regularly, since it has no background processes. Otherwise the
 * write-ahead log would grow without limit, the space of dead rows would never be reused and the planner would have no
 * statistics. Returns a function that stops it.
 */
export function startMaintenance(
  dataSource: DataSource,
  { intervalMs = INTERVAL_MS, minWalBytes = MIN_WAL_BYTES } = {},
): () => void {
  /** The position in the write-ahead log at the last maintenance, or at the first look. */
  let maintainedAt: string | undefined;
  let running = false;

  async function maintainIfDue(): Promise<void> {
    const [{ at, grown }] = await dataSource.query<{ at: string; grown: number }[]>(
      `SELECT pg_current_wal_lsn()::text AS at, pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::int8 AS grown`,
      [maintainedAt ?? '0/0'],
    );
    if (maintainedAt !== undefined && grown >= minWalBytes) {
      await dataSource.query('VACUUM (ANALYZE)');
      await dataSource.query('CHECKPOINT');
      maintainedAt = at;
    }
    maintainedAt ??= at;
  }

  const timer = setInterval(() => {
    if (running) return;
    running = true;
    // fails while the store is closing, or when no connection is free in time; the next run catches up
    maintainIfDue()
      .catch(() => undefined)
      .finally(() => (running = false));
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
