import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';

interface OpenTransaction {
  open: boolean;
  readonly dataSource: DataSource;
}

type Work = (tx: EntityManager) => Promise<unknown>;

const current = new AsyncLocalStorage<OpenTransaction>();

/** Throws inside an open transaction, of this DataSource if given: only its `tx` works there. */
export function assertOutsideTransaction(dataSource?: DataSource): void {
  const mark = current.getStore();
  if (mark?.open && (!dataSource || dataSource === mark.dataSource)) {
    throw new Error('A transaction is open here: pass its `tx` on instead of using the DataSource.');
  }
}

/**
 * Makes it an error to use a DataSource inside one of its own open transactions. On the embedded store, with its single
 * connection, that would wait forever; on a server it would silently leave the transaction. Call it once, after the
 * DataSource is initialised.
 */
export function guardTransactions(dataSource: DataSource): void {
  const { manager } = dataSource;
  const begin = manager.transaction.bind(manager) as unknown as (...args: unknown[]) => Promise<unknown>;
  const guarded = async (...args: unknown[]): Promise<unknown> => {
    assertOutsideTransaction(dataSource);
    const mark: OpenTransaction = { open: true, dataSource };
    // the callback is not always the last argument: DataSource.transaction passes an undefined after it
    const marked = args.map((arg) =>
      typeof arg === 'function' ? (tx: EntityManager) => current.run(mark, () => (arg as Work)(tx)) : arg,
    );
    try {
      return await begin(...marked);
    } finally {
      mark.open = false;
    }
  };
  manager.transaction = guarded;

  const driver = dataSource.driver as unknown as { obtainMasterConnection(): Promise<unknown> };
  const connect = driver.obtainMasterConnection.bind(driver);
  driver.obtainMasterConnection = async () => {
    assertOutsideTransaction(dataSource);
    return connect();
  };
}
