import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './create-app.js';
import { Clock } from './common/clock.js';
import { openInMemoryDatabase, openDatabase, type Database } from './common/db/database.js';
import { migrate, pendingMigrations } from './common/db/migrate.js';
import { type Config, ConfigError, readConfig } from './config.js';
import { ENTITIES } from './entities.js';
import { MIGRATIONS } from './migrations/index.js';

/** The application on its store. */
export interface Service {
  app: NestFastifyApplication;
  store: Database;
  close(): Promise<void>;
}

/** Opens the store of the configuration; the embedded one is migrated, a server has to be up to date already. */
export async function openReadyStore(config: Config): Promise<Database> {
  const store = await openDatabase(config, { entities: ENTITIES, migrations: MIGRATIONS });
  try {
    if (store.embedded) await migrate(store);
    else await refuseBehind(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The application on the store of the configuration, initialised and not listening: for serving, and for commands. */
export async function openService(config: Config): Promise<Service> {
  return serviceOn(config, await openReadyStore(config));
}

/** The application with the settings of a first start, on an empty store in memory: for tools that look at what it is. */
export async function openScratch(): Promise<Service> {
  const store = await openInMemoryDatabase({ entities: ENTITIES, migrations: MIGRATIONS });
  await migrate(store);
  return serviceOn(readConfig({ NODE_ENV: 'test', MASTER_KEY: '0'.repeat(64) }), store);
}

async function serviceOn(config: Config, store: Database): Promise<Service> {
  try {
    const app = await createApp({ config, store, clock: new Clock() });
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
  if (pending.length > 0) {
    throw new ConfigError([
      `DATABASE_URL: the schema is behind by ${pending.length} migrations (${pending.join(', ')}); run \`marquee migrate\` first`,
    ]);
  }
}
