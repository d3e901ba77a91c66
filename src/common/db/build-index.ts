import type { QueryRunner } from 'typeorm';

/**
 * For migrations without a transaction: builds an index while others write. One that is there stays, so that a repeated migration
 * continues where it ended; one that an interrupted build left behind is built again.
 */
export async function buildIndex(runner: QueryRunner, name: string, definition: string): Promise<void> {
  const found = (await runner.query('SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)', [
    `"${name}"`,
  ])) as { valid: boolean }[];
  if (found[0]?.valid) return;
  await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`);
  await runner.query(`CREATE INDEX CONCURRENTLY "${name}" ON ${definition}`);
}
