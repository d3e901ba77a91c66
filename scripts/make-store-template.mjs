// Makes the store that a first start begins with, so that it does not have to wait for initdb and the migrations.
// Run after the build; without its result a first start takes some seconds longer.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openInMemoryDatabase } from '../dist/src/common/db/database.js';
import { migrate } from '../dist/src/common/db/migrate.js';
import { ENTITIES } from '../dist/src/entities.js';
import { MIGRATIONS } from '../dist/src/migrations/index.js';

const template = fileURLToPath(new URL('../dist/store-template.tar.gz', import.meta.url));
// an old one would be copied, and belong to another version of the store
rmSync(template, { force: true });
const store = await openInMemoryDatabase({ entities: ENTITIES, migrations: MIGRATIONS });
await migrate(store);
// two thirds of the files, which every first start would unpack and nobody opens
for (const name of ['template0', 'template1']) {
  await store.dataSource.query(`ALTER DATABASE ${name} IS_TEMPLATE false`);
  await store.dataSource.query(`DROP DATABASE ${name}`);
}
await store.dataSource.query('VACUUM (FREEZE, ANALYZE)');
await store.dataSource.query('CHECKPOINT');
writeFileSync(`${template}.unfinished`, await store.dump());
await store.close();
renameSync(`${template}.unfinished`, template);
