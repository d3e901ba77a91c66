import type { EntityManager } from 'typeorm';
import type { LockMode, Rows } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';

/** Which rows are edited: those with these ids, or those of the account that a function narrows to. */
export type Which<T extends Resource> = string[] | ((rows: Rows<T>) => Rows<T>);

/** What is locked while something is edited. */
export interface Locking {
  lock?: LockMode;
  /** Deleted rows are held, too, so that `restore` can bring them back. */
  withDeleted?: boolean;
  /** Rows that somebody else has locked are left alone: `unitOfWork` does not hold them. */
  skipLocked?: boolean;
  /** What is planned needs a transaction, even where no rows are held: it locks what is not of this resource. */
  transaction?: boolean;
  /** Locks what everybody locks before these rows, so that nobody waits in a circle. */
  first?: (db: EntityManager) => Promise<void>;
  /** What there may be no row of yet: whoever names the same waits (`lockName`). It is locked before any row. */
  name?: string;
}
