#!/usr/bin/env node
/**
 * Checks that every migration was added as the last one. Runs all migrations on an empty store, then asks TypeORM what would still have to change for the entities to fit.
 * The answer must be: nothing.
 *
 * TypeORM compares an index by name, uniqueness and columns only, and drops one that no entity declares. So an index that
 * is written by hand (over an expression, with INCLUDE) is declared as `@Index('its_name', { synchronize: false })`; that
 * it exists is checked here.
 */
import { faultsOfOrder } from './migration-order.mjs';
import { driftOf, withMigratedStore } from './scratch-store.mjs';

const faults = faultsOfOrder();
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);

await withMigratedStore(async (dataSource, applied) => {
  console.log(`${applied.length} migrations ran.`);
  const { up } = await driftOf(dataSource);
  const missing = await missingIndexes(dataSource);
  if (up.length === 0 && missing.length === 0) return console.log('Entities and migrations agree.');
  console.error('Entities and migrations differ. To make them agree, this would have to run:\n');
  for (const statement of up) console.error(`${statement};`);
  for (const name of missing)
    console.error(`-- CREATE INDEX "${name}": declared by hand on an entity, made by no migration`);
  process.exitCode = 1;
});

/** Indexes that entities leave to the migrations, and no migration makes. */
async function missingIndexes(dataSource) {
  const byHand = dataSource.entityMetadatas.flatMap(({ indices }) => indices.filter((index) => !index.synchronize));
  const runner = dataSource.createQueryRunner();
  const found = await runner.query('SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()');
  await runner.release();
  const names = new Set(found.map(({ indexname }) => indexname));
  return byHand.map(({ name }) => name).filter((name) => !names.has(name));
}
