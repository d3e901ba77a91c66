import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import type { PoolConfig } from 'pg';
import { SESSION, types } from '../postgres/type-parsers.js';
import { StartFailure } from '../../start-failure.js';
import { takeLock } from './lock.js';
import { damaged, storeFailure } from './store-failure.js';

/** PostgreSQL in this process, in a directory or in memory. */
export interface Embedded {
  /** What TypeORM's postgres driver needs as `extra` to use it. */
  readonly extra: PoolConfig;
  /** Whether the store was made just now, and holds nothing. */
  readonly fresh: boolean;
  /** Since when nobody else can have used it, on the scale of `performance.now()`. */
  readonly ownedSince: number;
  /** Everything it holds, as a template for another one. */
  dump(): Promise<Buffer>;
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Where its files are kept; without it they are kept in memory. */
  dataDir?: string;
  /** A dump that a store which does not exist yet begins with; by default the empty one made by the build. */
  template?: Buffer;
}

/** Made by `scripts/make-store-template.mjs`: beside `src` in whatever tree this file runs from. */
const TEMPLATE = fileURLToPath(new URL('../../../../store-template.tar.gz', import.meta.url));

/** Waiting for the one connection may take as long as the longest transaction of others. */
const CONNECTION_TIMEOUT_MS = 10_000;

/**
 * Opens the embedded store. A directory is opened by one process at a time (StoreInUse), and what was committed there
 * outlives the process however it ends.
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
    // a first start that was cut short left files that look like a store and are none
    if (existsSync(unfinished)) rmSync(directory, { recursive: true, force: true });
    const fresh = isAbsent(directory);
    if (!fresh) checkVersion(directory, dataDir);

    if (fresh) writeFileSync(unfinished, '');
    const store = await open(fresh ? (template ?? builtTemplate()) : undefined, directory, ownedSince);
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

/** Files without the one that names the version are what is left of a store: to make a new one there would end it. */
const isAbsent = (directory: string) => !existsSync(directory) || readdirSync(directory).length === 0;

/** Which release of PostgreSQL writes these files. */
const VERSION = '18';

function checkVersion(directory: string, dataDir: string): void {
  const path = join(directory, 'PG_VERSION');
  const version = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (version === '') throw damaged(dataDir, `PG_VERSION is ${existsSync(path) ? 'empty' : 'missing'}`);
  if (version !== VERSION)
    throw new StartFailure(
      `The store in ${directory} was made by PostgreSQL ${version.slice(0, 20)}, and this release of Marquee has PostgreSQL ` +
        `${VERSION}; start the release that made it, or move it away to begin with an empty one.`,
    );
}

/**
 * PostgreSQL here makes files that everybody may read and write, whatever the process allows. Those that it makes while it
 * runs lie in folders that nobody else may enter, and are closed themselves at the next start.
 */
function closeToOthers(directory: string): void {
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
}

const builtTemplate = () => (existsSync(TEMPLATE) ? readFileSync(TEMPLATE) : undefined);

async function open(template: Buffer | undefined, dataDir: string | undefined, ownedSince: number): Promise<Embedded> {
  const pglite = await PGlite.create({
    ...(dataDir && { dataDir }),
    ...(template && { loadDataDir: new Blob([new Uint8Array(template)]) }),
    // an acknowledged commit has been handed to the system
    relaxedDurability: false,
    startParams: [...PGlite.defaultStartParams, ...SESSION.flatMap((setting) => ['-c', setting])],
  });
  return {
    extra: {
      ...createPgConfig(pglite),
      max: 1,
      // the bridge has one connection for good; a pool that ends an idle one would take down the next with it
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
