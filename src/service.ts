import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as pause } from 'node:timers/promises';
import { createApp } from './create-app.js';
import { Clock } from './common/time/clock.js';
import { openInMemoryDatabase, openDatabase, type Database } from './common/db/database.js';
import { mayReadMigrations, migrate, migrationsOf, pendingMigrations } from './common/db/migrate.js';
import type { ServerFactory } from './common/http/server/server.js';
import { isOutage } from './common/db/query/outage.js';
import { reachServers, type WaitOptions } from './common/db/reach-server.js';
import { StartFailure } from './common/start-failure.js';
import { type Config, readConfig } from './config/config.js';
import { ENTITIES } from './entities.js';
import { MIGRATIONS } from './migrations/index.js';

/** The application on its store. */
export interface Service {
  app: NestFastifyApplication;
  store: Database;
  close(): Promise<void>;
}

/** Between attempts to open a store whose server was reached and then did not answer. */
const RETRY_MS = 500;

/**
 * Opens the configured store. An embedded one is migrated; a server must be up to date. Waits for a server that does not answer,
 * also if it did a moment ago: one that has much to do may not accept a connection in time.
 */
export async function openReadyStore(config: Config, waiting: WaitOptions = {}): Promise<Database> {
  const until = performance.now() + (waiting.timeoutMs ?? 0);
  for (;;) {
    await reachServers(config, { ...waiting, timeoutMs: Math.max(0, until - performance.now()) });
    try {
      return await openStore(config);
    } catch (error) {
      if (!config.databaseUrl || !isOutage(error) || performance.now() >= until) throw error;
      await pause(RETRY_MS);
    }
  }
}

async function openStore(config: Config): Promise<Database> {
  const store = await openDatabase(config, { entities: ENTITIES, migrations: MIGRATIONS });
  try {
    if (store.embedded) await migrateEmbedded(store, config);
    else await refuseBehind(store);
    return store;
  } catch (error) {
    await store.close().catch(() => undefined);
    throw store.explain ? store.explain(error) : error;
  }
}

/** The application on the configured store, initialised but not listening: for serving, and for commands. */
export async function openService(
  config: Config,
  { serverFactory, ...waiting }: WaitOptions & { serverFactory?: ServerFactory } = {},
): Promise<Service> {
  return serviceOn(config, await openReadyStore(config, waiting), serverFactory);
}

/** The application with default settings on an empty store in memory: for tools that inspect it. */
export async function openScratch(): Promise<Service> {
  const store = await openInMemoryDatabase({ entities: ENTITIES, migrations: MIGRATIONS });
  await migrate(store);
  return serviceOn(readConfig({ NODE_ENV: 'test', MASTER_KEY: '0'.repeat(64) }), store);
}

async function serviceOn(config: Config, store: Database, serverFactory?: ServerFactory): Promise<Service> {
  try {
    const clock = new Clock(store.time);
    if (config.clockStartsAt) clock.advance(config.clockStartsAt.getTime() - clock.ms());
    const app = await createApp({ config, store, clock }, serverFactory);
    return {
      app,
      store,
      async close() {
        await app.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function refuseBehind(store: Database): Promise<void> {
  const pending = await pendingMigrations(store);
  if (pending.length > 0 && !(await mayReadMigrations(store))) {
    throw new StartFailure(
      'DATABASE_URL: its role may not read the existing tables; run the GRANT statements of docs/operations.md, "Roles and privileges".',
    );
  }
  if (pending.length > 0) {
    throw new StartFailure(
      `DATABASE_URL: the schema lacks ${pending.length} migrations, beginning with ${pending[0]}; run \`marquee migrate\` first.`,
    );
  }
}

/** On a server, replicas of two releases run side by side during a rollout; an embedded store has one process. */
async function migrateEmbedded(store: Database, { dataDir }: Config): Promise<void> {
  const { pending, unknown } = await migrationsOf(store);
  if (unknown.length > 0) {
    throw new StartFailure(
      `The store in ${dataDir} was used by a newer release of Marquee (${unknown.join(', ')}); start that release, or set DATA_DIR to another directory.`,
    );
  }
  if (pending.length > 0) await migrate(store);
}
