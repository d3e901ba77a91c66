import type { EntityManager } from 'typeorm';
import { run } from './statement.js';

/** Serializes transactions that use the same name, for subjects that may have no row yet. */
export async function lockName(tx: EntityManager, name: string): Promise<void> {
  await run(tx, { text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', values: [name] });
}
