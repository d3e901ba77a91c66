import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';
import { inTransactionFor } from './statement.js';

/** The transaction of a request; `tx` is unset when its work is done. */
interface RequestTransaction {
  tx?: EntityManager;
}

const current = new AsyncLocalStorage<RequestTransaction>();

/**
 * Makes `dataSource.manager` that of the transaction, inside the work of `inRequestTransaction`: then all services take
 * part in it. Call it once, after the DataSource is initialised.
 */
export function joinRequestTransactions(dataSource: DataSource): void {
  const { manager } = dataSource;
  Object.defineProperty(dataSource, 'manager', { get: () => current.getStore()?.tx ?? manager });
}

/**
 * Runs the work of a request in one transaction: statements of all services, in it, are stored together or not at all.
 * Transactions of services become savepoints. `lockKey`: see RunOptions.
 */
export function inRequestTransaction<R>(
  db: DataSource,
  lockKey: string,
  work: (tx: EntityManager) => Promise<R>,
): Promise<R> {
  const own: RequestTransaction = {};
  return inTransactionFor(db.manager, lockKey, async (tx) => {
    own.tx = tx;
    try {
      return await current.run(own, () => work(tx));
    } finally {
      // work that continues after the request uses the pool
      own.tx = undefined;
    }
  });
}

/** Whether a failed statement would end the transaction of a request, so that it needs a savepoint. */
export const isRequestTransaction = (db: EntityManager): boolean => current.getStore()?.tx === db;
