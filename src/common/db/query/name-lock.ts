import type { EntityManager } from 'typeorm';
import { run } from './statement.js';

/** Serializes transactions that use the same name, for subjects that may have no row yet. */
export async function lockName(tx: EntityManager, name: string): Promise<void> {
  await run(tx, { text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', values: [name] });
}

/** Like `lockName`, but does not wait: returns false if another transaction has the lock. */
export async function tryLockName(tx: EntityManager, name: string): Promise<boolean> {
  const text = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked';
  const [{ locked }] = await run<{ locked: boolean }>(tx, { text, values: [name] });
  return locked;
}
