import type { EntityManager } from 'typeorm';
import type { LockMode, Rows } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';

/** The rows to edit: those with these ids, or those of the account that a function selects. */
export type Which<T extends Resource> = string[] | ((rows: Rows<T>) => Rows<T>);

/** The locks held during an edit. */
export interface Locking {
  lock?: LockMode;
  /** Holds deleted rows too, so that `restore` can restore them. */
  withDeleted?: boolean;
  /** Skips rows locked by others: `unitOfWork` does not hold them. */
  skipLocked?: boolean;
  /** The edit needs a transaction even without rows, because it locks rows of other resources. */
  transaction?: boolean;
  /** Takes locks that all writers take before these rows, which prevents deadlocks. */
  first?: (db: EntityManager) => Promise<void>;
  /**
   * A name to lock before any row (`lockName`), for rows that may not exist yet. Others that use the same name wait.
   */
  name?: string;
}
