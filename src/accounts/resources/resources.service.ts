import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Batch, type OperationInputs } from '../../common/batch/batch.js';
import { ConflictRetry, retrying } from '../../common/db/query/retry.js';
import type { Rows } from '../../common/db/query/rows.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { ApiError, ApiErrors, errorsOf, OperationErrors } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { AccountReader } from '../access/acting-account.js';
import type { TimedAuthor } from '../change-log/change-log.js';
import type { ResourceDefinition, ResourceRow } from '../resource-definition.js';
import { rowsOfAccount } from './resource-rows.js';
import { refusalOf, StoreRefusal } from './store-refusal.js';
import { UnitOfWork, type NewColumns } from './unit-of-work.js';

/** The requests that a write performs: separate ones, of which one may be partly readable, or a batch. */
type Requests = readonly Parsed<object>[] | Batch<OperationInputs>;

/**
 * Reads what the rules need, rejects, and changes rows. It runs again after a conflict with other requests, so it has no
 * other effects.
 */
type Work<T extends Resource, A extends TimedAuthor, R> = (unit: UnitOfWork<T, A>) => R | Promise<R>;

/**
 * Finds and stores the resources of accounts. One statement stores all changes together with their history, events,
 * limit counters and preconditions, such as that the account is alive. It stores all or nothing, whatever others write
 * at the same time.
 */
@Injectable()
export class Resources {
  /**
   * A query for the rows of a resource that belong to an account. A page or one of them, which a request answers, may come from a
   * read replica.
   */
  of<T extends Resource>(
    account: AccountReader,
    definition: ResourceDefinition<T>,
    db: EntityManager = account.db,
  ): Rows<T> {
    return rowsOfAccount(db, account, definition);
  }

  /**
   * Runs `work` and stores what it changed. If a request is not fully readable, `work` only validates: nothing is locked
   * or stored, and the errors of the request and those that `work` throws are thrown together. A batch that changes stored
   * rows has a transaction, in which `work` locks them; a limit or a duplicate name that the storing statement finds is
   * reported for its operations.
   */
  change<T extends Resource, A extends TimedAuthor, R>(
    account: A,
    definition: ResourceDefinition<T>,
    requests: Requests,
    work: Work<T, A, R>,
  ): Promise<R> {
    const isLocking = requests instanceof Batch && requests.changesRows;
    return this.perform(account, definition, requests, isLocking, work);
  }

  /** The same in a transaction, in which `work` locks what it changes or depends on (`unit.lock`). */
  changeLocked<T extends Resource, A extends TimedAuthor, R>(
    account: A,
    definition: ResourceDefinition<T>,
    requests: Requests,
    work: Work<T, A, R>,
  ): Promise<R> {
    return this.perform(account, definition, requests, true, work);
  }

  /** Stores a new row; `fields` are its columns except those that every resource has. */
  create<T extends Resource>(
    account: TimedAuthor,
    definition: ResourceDefinition<T>,
    fields: NewColumns<T>,
  ): Promise<ResourceRow<T>> {
    return this.change(account, definition, [], (unit) => unit.create(fields));
  }

  /**
   * Changes columns of a row, by default any of the account. `change` is the new values, or a function of the current row
   * that returns them.
   */
  update<T extends Resource>(
    account: TimedAuthor,
    definition: ResourceDefinition<T>,
    id: string,
    change: Partial<ResourceRow<T>> | ((row: ResourceRow<T>, now: Date) => Partial<ResourceRow<T>>),
    narrow?: (rows: Rows<T>) => Rows<T>,
  ): Promise<ResourceRow<T>> {
    return this.changeLocked(account, definition, [], async (unit) => {
      const row = await unit.lockOne(id, { narrow });
      return unit.update(id, typeof change === 'function' ? change(row, unit.now) : change);
    });
  }

  /**
   * Marks a row deleted, by default any of the account. Of several concurrent calls one succeeds, and the others receive
   * a 404.
   */
  delete<T extends Resource>(
    account: TimedAuthor,
    definition: ResourceDefinition<T>,
    id: string,
    narrow?: (rows: Rows<T>) => Rows<T>,
  ): Promise<ResourceRow<T>> {
    return this.changeLocked(account, definition, [], async (unit) => {
      await unit.lock([id], { mode: 'pessimistic_write', narrow });
      return unit.delete(id);
    });
  }

  private async perform<T extends Resource, A extends TimedAuthor, R>(
    account: A,
    definition: ResourceDefinition<T>,
    requests: Requests,
    isLocking: boolean,
    work: Work<T, A, R>,
  ): Promise<R> {
    const isReadable = requests instanceof Batch ? requests.isReadable : requests.every(({ isComplete }) => isComplete);
    let unit: UnitOfWork<T, A>;
    let hasMissed = false;
    const attempt = async (db: EntityManager) => {
      unit = new UnitOfWork(definition, account, db, !isReadable);
      if (!isReadable && !(requests instanceof Batch)) return rejectAll(requests, () => work(unit));
      const result = await work(unit);
      await unit.flush();
      return result;
    };
    try {
      return await retrying(async () => {
        try {
          return await (isLocking && isReadable
            ? inTransactionFor(account.db, account.id, attempt)
            : attempt(account.db));
        } catch (error) {
          // a restore of a snapshot replaces the rows: a statement that waits for it finds neither the old nor the new ones
          if (isReadable && !hasMissed && isMissing(error)) {
            hasMissed = true;
            throw new ConflictRetry();
          }
          throw await refusalOf(error, unit, account.db);
        }
      });
    } catch (error) {
      if (!(error instanceof StoreRefusal)) throw error;
      throw requests instanceof Batch ? requests.refusal(error.errors) : new ApiErrors([...error.errors.values()]);
    }
  }
}

/** Whether a row was not found. */
function isMissing(error: unknown): boolean {
  if (error instanceof OperationErrors) return error.operations.flat().some(({ status }) => status === 404);
  return (
    (error instanceof ApiError || error instanceof ApiErrors) && errorsOf(error).some(({ status }) => status === 404)
  );
}

/** Validates requests that are not fully readable, and throws their errors together with those that `work` throws. */
async function rejectAll(requests: readonly Parsed<object>[], work: () => unknown): Promise<never> {
  const errors = requests.flatMap((request) => request.errors);
  try {
    await work();
  } catch (error) {
    throw new ApiErrors([...errors, ...errorsOf(error).filter((each) => !errors.includes(each))]);
  }
  throw new ApiErrors(errors);
}
