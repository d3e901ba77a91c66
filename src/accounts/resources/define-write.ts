import type { EntityManager } from 'typeorm';
import type { ColumnOf, Rows } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { ActingAccount } from '../access/acting-account.js';
import type { ChangedBy } from '../change-log/change-log.js';
import type { Locking } from './locking.js';
import type { ResourceDefinition, ResourceRow } from './resource-definition.js';
import type { UnitOfWork } from './unit-of-work.js';

/** The context of a write: its author, its changes and its database connection. */
export interface WriteScope<T extends Resource, A extends ChangedBy = ActingAccount> {
  account: A;
  unitOfWork: UnitOfWork<T>;
  /** The transaction that locks the rows, if there is one. */
  db: EntityManager;
}

/**
 * One write operation on a kind of resource. `Resources` performs it for single requests and batches, and applies the
 * same rules to requests with some rejected parameters.
 */
export interface Write<
  T extends Resource,
  P extends object,
  C = unknown,
  R = ResourceRow<T>,
  A extends ChangedBy = ActingAccount,
> {
  resource: ResourceDefinition<T>;
  /** The parameter that identifies the row to change. A write without a target creates rows. */
  target?: keyof P & string;
  /** The column that the target parameter matches; by default `id`. */
  targetColumn?: ColumnOf<T>;
  /** The target may be missing or deleted. Then the write creates a row, and `row` is undefined. */
  upserts?: boolean;
  /** The rows of the account that can be changed; by default all. */
  narrow?(this: void, rows: Rows<T>, account: A): Rows<T>;
  /** Ids of further rows of the resource to lock together with the targets. */
  alsoLocks?(this: void, request: Parsed<P>): string[];
  /** Further locks that the write holds. */
  locking?(this: void, requests: readonly Parsed<P>[], account: A): Locking;
  /**
   * Reads the data for the rules, once per request or batch. Writes of a batch with the same function share it.
   * Preconditions and further writes are added to the unit of work here. `creating`: the requests that create rows.
   */
  context?(
    this: void,
    scope: WriteScope<T, A>,
    requests: readonly Parsed<P>[],
    creating: readonly Parsed<P>[],
  ): C | Promise<C>;
  /** Validates a request, as far as its parameters could be read. `row`: the target, if the write has one. */
  problems?(this: void, request: Parsed<P>, context: C, row: ResourceRow<T>): ApiError[];
  /** Performs a request that has no problems. */
  apply(this: void, unitOfWork: UnitOfWork<T>, params: P, context: C, row: ResourceRow<T>, request: Parsed<P>): R;
  /** Called before problems are reported; throws `ConflictRetry` if the context may be out of date. */
  refused?(this: void, context: C): void;
}

/** Declares a write. */
export const defineWrite = <
  T extends Resource,
  P extends object,
  C = undefined,
  R = ResourceRow<T>,
  A extends ChangedBy = ActingAccount,
>(
  resource: ResourceDefinition<T>,
  definition: Omit<Write<T, P, C, R, A>, 'resource'>,
): Write<T, P, C, R, A> => ({ ...definition, resource });

/** Declares a write that marks the target deleted. */
export const defineDelete = <T extends Resource, N extends string>(resource: ResourceDefinition<T>, target: N) =>
  defineWrite<T, Record<N, string>>(resource, {
    target,
    locking: () => ({ lock: 'pessimistic_write' }),
    apply: (unitOfWork, _, __, { id }) => unitOfWork.delete(id),
  });
