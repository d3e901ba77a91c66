import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Batch, Inputs } from '../../common/batch/batch.js';
import type { Reader } from '../../common/db/query/freshness.js';
import type { Rows } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { ApiErrors } from '../../common/errors/api-error.js';
import type { BatchResult } from '../../common/http/answers/batch-result.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { ActingAccount } from '../access/acting-account.js';
import type { ChangedBy } from '../change-log/change-log.js';
import { plannedBatch, type Writes } from './batch-write.js';
import type { Write } from './define-write.js';
import type { Locking, Which } from './locking.js';
import type { ResourceDefinition, ResourceRow } from './resource-definition.js';
import { rowsOfAccount } from './resource-rows.js';
import { ResourceStore, type Plan } from './resource-store.service.js';
import { planned } from './single-write.js';
import { StoreRefusal } from './store-refusal.js';
import type { NewFields } from './unit-of-work.js';

/**
 * Finds and stores the resources of accounts. One statement stores all changes together with their history, events,
 * limit counters and preconditions, such as that the account is alive. It stores all or nothing, whatever others write
 * at the same time.
 */
@Injectable()
export class Resources {
  constructor(
    private readonly db: DataSource,
    private readonly store: ResourceStore,
  ) {}

  /**
   * A query for the rows of a resource that belong to an account. A page or one of them, which a request answers, may come from a
   * read replica.
   */
  of<T extends Resource>(
    account: { id: string } & Reader,
    definition: ResourceDefinition<T>,
    db = this.db.manager,
  ): Rows<T> {
    return rowsOfAccount(db, account, definition);
  }

  /** Stores a new row; `fields` are its columns except those that every resource has. */
  create<T extends Resource>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    fields: NewFields<T>,
  ): Promise<ResourceRow<T>> {
    return this.edit(account, definition, [], (unitOfWork) => unitOfWork.create(fields));
  }

  /** Changes columns of a row. `change` is the new values, or a function of the current row that returns them. */
  update<T extends Resource>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    id: string,
    change: Partial<ResourceRow<T>> | ((row: ResourceRow<T>, now: Date) => Partial<ResourceRow<T>>),
  ): Promise<ResourceRow<T>> {
    return this.edit(account, definition, [id], (unitOfWork) =>
      unitOfWork.update(id, typeof change === 'function' ? (row) => change(row, unitOfWork.now) : change),
    );
  }

  /** Marks a row deleted. Of several concurrent calls one succeeds, and the others receive a 404. */
  delete<T extends Resource>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    id: string,
  ): Promise<ResourceRow<T>> {
    return this.edit(account, definition, [id], (unitOfWork) => unitOfWork.delete(id), { lock: 'pessimistic_write' });
  }

  /**
   * Performs one request. Returns the result or throws all errors of the request. If some parameters are rejected, the
   * others are validated and nothing is stored. `transaction`: see Locking.
   */
  async perform<T extends Resource, P extends object, C, R, A extends ChangedBy>(
    account: A,
    write: Write<T, P, C, R, A>,
    request: Parsed<P>,
    options: Pick<Locking, 'transaction'> = {},
  ): Promise<R> {
    const { which, locking, plan } = planned(account, write, request);
    if (request.isWhole) return this.edit(account, write.resource, which, plan, { ...options, ...locking });
    const problems = await this.store.problems(account, write.resource, which, plan, locking);
    throw new ApiErrors([...request.errors, ...problems]);
  }

  /**
   * Performs all operations of a batch or none. Errors of the storing statement (a limit, a duplicate name) are
   * reported for the operations that cause them. `transaction`: see Locking.
   */
  async performBatch<T extends Resource, I extends Inputs, R = ResourceRow<T>>(
    account: ActingAccount,
    definition: ResourceDefinition<T>,
    writes: Writes<T, I, R>,
    batch: Batch<I>,
    { transaction }: Pick<Locking, 'transaction'> = {},
  ): Promise<BatchResult<R>> {
    const { which, locking, plan } = plannedBatch(account, writes, batch);
    try {
      return await this.store.save(account, definition, which, plan, {
        ...locking,
        transaction: transaction ?? locking.transaction,
      });
    } catch (error) {
      throw error instanceof StoreRefusal ? batch.refusal(error.errors) : error;
    }
  }

  /**
   * Edits these rows, which `unitOfWork` holds under a lock, and stores the changes. Without ids it opens no
   * transaction, unless `locking` requests one or names something to lock.
   */
  async edit<T extends Resource, R>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    which: Which<T>,
    plan: Plan<T, R>,
    locking: Locking = {},
  ): Promise<R> {
    try {
      return await this.store.save(account, definition, which, plan, locking);
    } catch (error) {
      throw error instanceof StoreRefusal ? new ApiErrors([...error.errors.values()]) : error;
    }
  }
}
