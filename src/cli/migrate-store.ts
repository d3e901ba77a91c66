import { openDatabase } from '../common/db/database.js';
import { migrate, migrationsOf } from '../common/db/migrate.js';
import { reachServer, reachServers, variableOf } from '../common/db/reach-server.js';
import { Config } from '../config/config.js';
import { ENTITIES } from '../entities.js';
import { MIGRATIONS } from '../migrations/index.js';

/** Brings the store of the configuration up to date and answers the names of the migrations that ran. */
export async function migrateStore(config: Config): Promise<string[]> {
  const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl;
  // migrations need a session, which a pooler in transaction mode does not give
  const direct = Object.assign(new Config(), config, { databaseUrl, databaseDirectUrl: undefined });
  if (databaseUrl) await reachServer(databaseUrl, { variable: variableOf(config) });
  const store = await openDatabase(direct, { entities: ENTITIES, migrations: MIGRATIONS });
  try {
    return await migrate(store);
  } finally {
    await store.close();
  }
}

/** The names of the migrations that the store of the configuration lacks, and of those that this release does not know. */
export async function migrationsOfStore(config: Config): Promise<{ pending: string[]; unknown: string[] }> {
  await reachServers(config);
  const store = await openDatabase(config, { entities: ENTITIES, migrations: MIGRATIONS });
  try {
    return await migrationsOf(store);
  } finally {
    await store.close();
  }
}
