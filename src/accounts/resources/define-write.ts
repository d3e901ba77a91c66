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

/** Where a write happens: who makes it, what it changes, and through which connection it reads. */
export interface WriteScope<T extends Resource, A extends ChangedBy = ActingAccount> {
  account: A;
  unitOfWork: UnitOfWork<T>;
  /** In the transaction that locks the rows, where there is one. */
  db: EntityManager;
}

/**
 * One verb of one kind of resource. `Resources` carries it out for single requests and for batches, and asks the same rules
 * about requests of which some parameters were refused.
 */
export interface Write<
  T extends Resource,
  P extends object,
  C = unknown,
  R = ResourceRow<T>,
  A extends ChangedBy = ActingAccount,
> {
  resource: ResourceDefinition<T>;
  /** The parameter that names the row to change. A write without a target creates rows. */
  target?: keyof P & string;
  /** The column that holds what the target is named by; `id` unless given. */
  targetColumn?: ColumnOf<T>;
  /** The target may be missing or deleted: without it a row is created, and `row` is undefined. */
  upserts?: boolean;
  /** Which rows of the account can be changed; all unless given. */
  narrow?(this: void, rows: Rows<T>, account: A): Rows<T>;
  /** Ids of further rows of the resource that are locked together with the targets. */
  alsoLocks?(this: void, request: Parsed<P>): string[];
  /** What is locked while it is carried out. */
  locking?(this: void, requests: readonly Parsed<P>[], account: A): Locking;
  /**
   * Reads what the rules need: once, for one request or all of a batch. Writes of a batch with the same function share it.
   * Preconditions and further writes are added to the unit of work here. `creating`: those of the requests that create rows.
   */
  context?(
    this: void,
    scope: WriteScope<T, A>,
    requests: readonly Parsed<P>[],
    creating: readonly Parsed<P>[],
  ): C | Promise<C>;
  /**
   * What is wrong with a request, as far as its parameters could be read. `row`: the target, if the write has one.
   */
  problems?(this: void, request: Parsed<P>, context: C, row: ResourceRow<T>): ApiError[];
  /** Carries out a request that has no problems. */
  apply(this: void, unitOfWork: UnitOfWork<T>, params: P, context: C, row: ResourceRow<T>, request: Parsed<P>): R;
  /** Is called before problems are told; throws `ConflictRetry` where the context may be out of date. */
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
