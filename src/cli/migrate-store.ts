import { openDatabase } from '../common/db/database.js';
import { migrate } from '../common/db/migrate.js';
import { reachServer } from '../common/db/reach-server.js';
import type { Config } from '../config.js';
import { ENTITIES } from '../entities.js';
import { MIGRATIONS } from '../migrations/index.js';

/** Brings the store of the configuration up to date and answers the names of the migrations that ran. */
export async function migrateStore(config: Config): Promise<string[]> {
  if (config.databaseUrl) await reachServer(config.databaseUrl);
  const store = await openDatabase(config, { entities: ENTITIES, migrations: MIGRATIONS });
  try {
    return await migrate(store);
  } finally {
    await store.close();
  }
}
