import type { DataSource } from 'typeorm';
import { firstIdOf } from '../../common/entity/ids.js';
import { adoptChanges, forgetReadChanges, lastReadAt } from './restored-history.statements.js';

/**
 * Continues at the position of webhook deliveries in a database that was restored from a dump. The transaction ids in it
 * are those of another database cluster, and this one will reach the same numbers later. Changes that were read get the
 * id 0, unread ones the id of the transaction that finds them. Changes that are made meanwhile are unread. Can be
 * repeated, and ended at any moment.
 */
export async function adoptHistory(db: DataSource, signal?: AbortSignal): Promise<void> {
  const readAt = await lastReadAt(db.manager);
  if (readAt === undefined) return;
  const newerThanPosition = firstIdOf(new Date(readAt));
  while (await forgetReadChanges(db.manager, newerThanPosition)) if (signal?.aborted) return;
  await db.transaction((tx) => adoptChanges(tx, newerThanPosition));
}
