import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * Gives all spec files a store with all migrations: on a server it makes one, the embedded one is that of the build. Jest runs
 * this as CommonJS and without its module map: a relative import could not name its `.js`, so everything is imported by path,
 * the service as it was compiled.
 */
export default async function setUp(_jest: unknown, { rootDir }: { rootDir: string }): Promise<void> {
  const here = <M>(path: string) => import(join(rootDir, path)) as Promise<M>;
  const {
    SERVER,
    REDIS,
    REPLICAS,
    IS_POOLED,
    POOLER,
    RUN_FOLDER,
    TEMPLATE_FILE,
    TEMPLATE_DATABASE,
    onServer,
    databaseUrl,
  } = await here<typeof import('./environment.js')>('test/support/environment.ts');
  const { openDatabase } = await here<typeof import('../../src/common/db/database.js')>(
    'dist/src/common/db/database.js',
  );
  const { migrate } = await here<typeof import('../../src/common/db/migrate.js')>('dist/src/common/db/migrate.js');
  const { ENTITIES } = await here<typeof import('../../src/entities.js')>('dist/src/entities.js');
  const { MIGRATIONS } = await here<typeof import('../../src/migrations/index.js')>('dist/src/migrations/index.js');
  const model = { entities: ENTITIES, migrations: MIGRATIONS };

  if (REPLICAS > 1 && !(SERVER && REDIS)) {
    throw new Error('TEST_REPLICAS needs TEST_DATABASE_URL and TEST_REDIS_URL: replicas share both.');
  }
  if (IS_POOLED && !SERVER) throw new Error('TEST_PGBOUNCER needs TEST_DATABASE_URL.');
  if (IS_POOLED) {
    const { PgBouncer } = await here<typeof import('../../scripts/proofs/support/pgbouncer.js')>(
      'dist/scripts/proofs/support/pgbouncer.js',
    );
    const { Stage, endStagesWithProcess } = await here<typeof import('../../scripts/proofs/support/stage.js')>(
      'dist/scripts/proofs/support/stage.js',
    );
    endStagesWithProcess();
    const stage = new Stage();
    (globalThis as { marqueeTestStage?: { end(): Promise<void> } }).marqueeTestStage = stage;
    process.env[POOLER] = (await PgBouncer.start(stage, SERVER!, 'transaction')).url;
  }
  const folder = mkdtempSync(join(tmpdir(), 'marquee-e2e-'));
  process.env[RUN_FOLDER] = folder;
  if (!SERVER) {
    const file = join(folder, 'template.tar');
    // unpacked here once, and not again by every spec file
    writeFileSync(file, gunzipSync(readFileSync(join(rootDir, 'dist/store-template.tar.gz'))));
    process.env[TEMPLATE_FILE] = file;
    return;
  }
  // a process of `scripts/mutants.mjs` runs one spec file after the other
  if (process.env.TEST_KEEPS_TEMPLATE && process.env[TEMPLATE_DATABASE]) return;
  const name = `marquee_test_${process.pid}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0`);
  process.env[TEMPLATE_DATABASE] = name;
  const store = await openDatabase(
    {
      mode: 'test',
      dataDir: '',
      databaseUrl: databaseUrl(name),
      databaseDriver: 'plain',
      databasePool: 2,
      databasePipelinedConnections: 0,
    },
    model,
  );
  await migrate(store);
  await store.close();
}
