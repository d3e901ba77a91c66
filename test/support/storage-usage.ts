import type { QueryRunner } from 'typeorm';
import { StorageUsage1795701200000 } from '../../src/migrations/1795701200000-StorageUsage.js';
import { world } from './app.js';

/** Empties the usage of all users and accounts, and fills it as the migration does for a store that has no usage yet. */
export async function fillStorageUsage(): Promise<void> {
  const statements: string[] = [];
  const runner = { query: (text: string) => Promise.resolve(void statements.push(text)) };
  await new StorageUsage1795701200000().up(runner as unknown as QueryRunner);
  await world().sql('DELETE FROM storage_usage');
  for (const text of statements.filter((each) => each.startsWith('INSERT'))) await world().sql(text);
}
