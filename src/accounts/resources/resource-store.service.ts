import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { count } from '../../common/db/counters/counters.js';
import { lockName } from '../../common/db/query/name-lock.js';
import { retrying } from '../../common/db/query/retry.js';
import type { Rows } from '../../common/db/query/rows.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { write } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import { recordOf, type ChangedBy } from '../change-log/change-log.js';
import type { Locking, Which } from './locking.js';
import type { ResourceDefinition, ResourceRow } from './resource-definition.js';
import { rowsOfAccount, whereKeyIn } from './resource-rows.js';
import { refusalOf } from './store-refusal.js';
import { UnitOfWork } from './unit-of-work.js';

/** Plans the changes of the rows that the unit of work holds. `db`: the transaction that locks them, if there is one. */
export type Plan<T extends Resource, R> = (unitOfWork: UnitOfWork<T>, db: EntityManager) => R | Promise<R>;

/** Reads the rows that a plan changes, and stores the changes in one statement. */
@Injectable()
export class ResourceStore {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `plan` with these rows, which it locks, and stores the changes. It repeats both after a conflict with other
   * requests. Without ids it opens no transaction, unless `locking` requests one or names something to lock. Throws a
   * `StoreRefusal` for items that cannot be stored.
   */
  save<T extends Resource, R>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    which: Which<T>,
    plan: Plan<T, R>,
    locking: Locking = {},
  ): Promise<R> {
    const { lock = 'for_no_key_update', withDeleted, skipLocked, transaction = false, first, name } = locking;
    const narrows = !isEmpty(which);
    return retrying(async () => {
      let unitOfWork = new UnitOfWork(definition, account, this.clock.nowFor(account));
      const work = async (db: EntityManager) => {
        if (name !== undefined) await lockName(db, name);
        if (narrows) {
          await first?.(db);
          const stored = selected(rowsOfAccount(db, account, definition), which, withDeleted).setLock(lock);
          if (skipLocked) stored.setOnLocked('skip_locked');
          unitOfWork = await this.holding(account, definition, stored);
        }
        const planned = await plan(unitOfWork, db);
        await flush(unitOfWork, account, db);
        return planned;
      };
      try {
        const locks = narrows || transaction || name !== undefined;
        return await (locks ? inTransactionFor(this.db.manager, account.id, work) : work(this.db.manager));
      } catch (error) {
        throw await refusalOf(error, { account, definition, unitOfWork }, this.db.manager);
      }
    });
  }

  /** Runs `plan` with these rows, read without a lock, and returns the errors that it throws. It stores nothing. */
  problems<T extends Resource>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    which: Which<T>,
    plan: Plan<T, unknown>,
    { withDeleted }: Pick<Locking, 'withDeleted'> = {},
  ): Promise<ApiError[]> {
    const { manager } = this.db;
    return retrying(() =>
      problemsOf(async () => {
        const stored = selected(rowsOfAccount(manager, account, definition), which, withDeleted);
        return plan(await this.holding(account, definition, isEmpty(which) ? undefined : stored), manager);
      }),
    );
  }

  private async holding<T extends Resource>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    stored?: Rows<T>,
  ): Promise<UnitOfWork<T>> {
    const held = ((await stored?.getMany()) ?? []) as ResourceRow<T>[];
    return new UnitOfWork(definition, account, this.clock.nowFor(account), new Map(held.map((row) => [row.id, row])));
  }
}

const isEmpty = <T extends Resource>(which: Which<T>): boolean => typeof which !== 'function' && which.length === 0;

function selected<T extends Resource>(all: Rows<T>, which: Which<T>, withDeleted = false): Rows<T> {
  const named = typeof which === 'function' ? which(all) : whereKeyIn(all, which);
  return withDeleted ? named.withDeleted() : named;
}

/** Stores the planned changes with their history, events and counters. */
async function flush<T extends Resource>(
  unitOfWork: UnitOfWork<T>,
  account: ChangedBy,
  db: EntityManager,
): Promise<void> {
  unitOfWork.runBeforeFlush();
  if (unitOfWork.empty) return;
  const writes = [
    ...unitOfWork.writes(),
    recordOf(unitOfWork.changes(), account, unitOfWork.now),
    ...count(unitOfWork.counted()),
  ];
  await write(db, writes, unitOfWork.preconditions(), { lockKey: account.id });
  await unitOfWork.runAfterFlush(db);
}

async function problemsOf(work: () => Promise<unknown>): Promise<ApiError[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (error instanceof ApiErrors) return error.errors;
    if (error instanceof ApiError) return [error];
    throw error;
  }
}
