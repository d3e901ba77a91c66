import type { PoolConfig } from 'pg';
import { DataSource } from 'typeorm';
import { commandPool, dataSourceOptions } from './src/common/db/database.js';
import { readConfig } from './src/config/config.js';
import { ENTITIES } from './src/entities.js';
import { MIGRATIONS } from './src/migrations/index.js';

/** The server the commands work on. TypeORM keeps to itself what goes wrong while it reads this file, so it is said here. */
function pool(): PoolConfig {
  try {
    const { databaseUrl, databaseDirectUrl } = readConfig();
    // a pooler in transaction mode has no session for migrations
    if (databaseDirectUrl) return commandPool(databaseDirectUrl, { overRole: true });
    if (databaseUrl) return commandPool(databaseUrl);
    throw new Error('DATABASE_URL: the TypeORM commands work on a PostgreSQL server; name one.');
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    throw error;
  }
}

/** What `typeorm migration:generate|run|revert` and `schema:log` use. */
export default new DataSource(dataSourceOptions({ entities: ENTITIES, migrations: MIGRATIONS }, pool()));
