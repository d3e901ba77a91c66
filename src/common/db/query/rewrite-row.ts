import type { DataSource, EntityManager, ObjectLiteral } from 'typeorm';
import { retrying } from './retry.js';
import type { ColumnChanges, Row, Rows } from './rows.js';

/**
 * Changes one row by what is in it, which nobody else changes meanwhile. `change` returns undefined where nothing is to change.
 * `find` selects the row in the transaction that it gets.
 */
export const rewriteRow = <T extends ObjectLiteral>(
  db: DataSource | EntityManager,
  find: (tx: EntityManager) => Rows<T>,
  change: (row: Row<T>) => ColumnChanges<T> | undefined,
): Promise<void> =>
  retrying(() =>
    db.transaction(async (tx) => {
      const row = await find(tx).setLock('for_no_key_update').getOne();
      const changes = row && change(row);
      if (changes) await find(tx).update(changes);
    }),
  );
