import type { EntityManager } from 'typeorm';
import { run } from './statement.js';

/** Makes transactions that name the same thing, which may have no row yet, do one after the other. */
export async function lockName(tx: EntityManager, name: string): Promise<void> {
  await run(tx, { text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', values: [name] });
}
