import type { EntityManager } from 'typeorm';
import { lockName } from '../../common/db/query/name-lock.js';

/**
 * Runs a transaction that changes the directory. Others that change it wait, because they may name the same users and
 * identifiers in any order.
 */
export const changeDirectory = <R>(db: EntityManager, work: (tx: EntityManager) => Promise<R>): Promise<R> =>
  db.transaction(async (tx) => {
    await lockName(tx, 'directory');
    return work(tx);
  });
