/**
 * A store with all migrations on it and nothing else, for as long as `work` takes: an embedded one in a temporary
 * folder or, where DATABASE_URL names a server, a new database beside the named one, which itself is never touched.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../dist/src/common/db/database.js';
import { migrate } from '../dist/src/common/db/migrate.js';
import { readConfig } from '../dist/src/config/config.js';
import { ENTITIES } from '../dist/src/entities.js';
import { MIGRATIONS } from '../dist/src/migrations/index.js';

/** Calls `work` with the DataSource and the names of the migrations that ran. */
export async function withMigratedStore(work) {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-scratch-'));
  const server = process.env.DATABASE_URL;
  const environment = { NODE_ENV: 'test', DATA_DIR: folder };
  try {
    if (!server) return await onStore(environment, work);
    return await withDatabase(server, (url) => onStore({ ...environment, DATABASE_URL: url }, work));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What would still have to run for the tables to fit the entities, and how to take it back. */
export async function driftOf(dataSource) {
  const { upQueries, downQueries } = await dataSource.driver.createSchemaBuilder().log();
  // TypeORM orders the columns of a key as the classes do, the id of the base class first
  const accountFirst = (query) => query.replace('("id", "accountId")', '("accountId", "id")');
  const texts = (queries) => queries.map(({ query }) => accountFirst(query));
  return { up: texts(upQueries), down: texts(downQueries).reverse() };
}

async function onStore(environment, work) {
  const store = await openDatabase(readConfig(environment), { entities: ENTITIES, migrations: MIGRATIONS });
  try {
    return await work(store.dataSource, await migrate(store));
  } finally {
    await store.close();
  }
}

async function withDatabase(server, work) {
  const url = new URL(server);
  const name = `marquee_scratch_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  await query(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  try {
    url.pathname = `/${name}`;
    return await work(url.href);
  } finally {
    await query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

async function query(connectionString, text) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
