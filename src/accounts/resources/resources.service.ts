import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Batch, Handlers, Inputs } from '../../common/batch/batch.js';
import type { BatchResult } from '../../common/http/answers/batch-result.js';
import { Clock } from '../../common/clock.js';
import { count, countersOf, isLimitReached } from '../../common/db/counters/counters.js';
import { lockName } from '../../common/db/query/name-lock.js';
import { retrying, ConflictRetry } from '../../common/db/query/retry.js';
import { rows, type ColumnOf, type Row, type Rows } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/query/sqlstate.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { write } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { ApiError, ApiErrors, refuseAny } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { ActingAccount } from '../access/acting-account.js';
import { recordOf, type ChangedBy } from '../change-log/change-log.js';
import { UnitOfWork, type NewFields } from './unit-of-work.js';
import type { Write } from './define-write.js';
import type { Locking, Which } from './locking.js';
import type { ResourceDefinition, ResourceRow } from './resource-definition.js';

/** Why items cannot be stored, by operation. */
class Refused extends Error {
  constructor(readonly errors: Map<number, ApiError>) {
    super('the database rejected the write');
  }
}

/** The write for each operation type of a batch. */
export type Writes<T extends Resource, I extends Inputs, R = ResourceRow<T>> = {
  [K in keyof I]: Write<T, InstanceType<I[K]>, unknown, R>;
};

/**
 * Finds and stores the resources of accounts. One statement stores all changes together with their history, events,
 * limit counters and preconditions, such as that the account is alive. It stores all or nothing, whatever others write
 * at the same time.
 */
@Injectable()
export class Resources {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** A query for the rows of a resource that belong to an account. */
  of<T extends Resource>(account: { id: string }, definition: ResourceDefinition<T>, db = this.db.manager): Rows<T> {
    return rows(db, definition.entity).where(definition.accountColumn, account.id as Row<T>[ColumnOf<T>]);
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
    const which = this.narrowed(account, write, idsIn(write, [request]));
    const work = async (unitOfWork: UnitOfWork<T>, db: EntityManager) => {
      const creating = write.target === undefined ? [request] : [];
      const context = (await write.context?.({ account, unitOfWork, db }, [request], creating)) as C;
      return applied(unitOfWork, write, request, context);
    };
    if (request.isWhole)
      return this.edit(account, write.resource, which, work, { ...options, ...write.locking?.([request], account) });
    // Without its target the rest of a request cannot be validated.
    if (write.target !== undefined && isEmpty(which)) return request.params as never;
    const withDeleted = write.locking?.([request], account).withDeleted;
    const problems = await retrying(() =>
      problemsOf(async () => work(await this.readOnly(account, write.resource, which, withDeleted), this.db.manager)),
    );
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
    const types = (Object.keys(writes) as (keyof I & string)[]).filter((type) => batch.requests(type).length > 0);
    const requestsOf = (type: keyof I & string) => batch.requests(type) as Parsed<never>[];
    const lockings = types.flatMap((type) => writes[type].locking?.(requestsOf(type), account) ?? []);
    const locking: Locking = {
      lock: 'pessimistic_write',
      transaction: transaction ?? lockings.some((each) => each.transaction),
      first: async (db) => {
        for (const { first } of lockings) await first?.(db);
      },
    };
    const changing = types.filter((type) => writes[type].target !== undefined);
    const targets = changing.flatMap((type) => idsIn(writes[type], requestsOf(type)));
    const others = types.flatMap((type) =>
      requestsOf(type).flatMap((request) => writes[type].alsoLocks?.(request) ?? []),
    );
    const which = changing.length > 0 ? this.narrowed(account, writes[changing[0]], [...targets, ...others]) : [];
    try {
      return await this.store(account, definition, which, locking, async (unitOfWork, db) => {
        const contexts = new Map<unknown, unknown>();
        for (const type of types) {
          const { context } = writes[type];
          if (!context || contexts.has(context)) continue;
          const sharing = types.filter((other) => writes[other].context === context);
          const creating = sharing.filter((other) => writes[other].target === undefined);
          const scope = { account, unitOfWork, db };
          contexts.set(context, await context(scope, sharing.flatMap(requestsOf), creating.flatMap(requestsOf)));
        }
        const handlers = Object.fromEntries(
          types.map((type) => [
            type,
            (request: Parsed<InstanceType<I[string]>>, operation: number) => {
              unitOfWork.operation = operation;
              return applied(unitOfWork, writes[type], request, contexts.get(writes[type].context));
            },
          ]),
        );
        return batch.run(handlers as unknown as Handlers<I, R>);
      });
    } catch (error) {
      throw error instanceof Refused ? batch.refusal(error.errors) : error;
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
    plan: (unitOfWork: UnitOfWork<T>, db: EntityManager) => R | Promise<R>,
    locking: Locking = {},
  ): Promise<R> {
    try {
      return await this.store(account, definition, which, locking, plan);
    } catch (error) {
      throw error instanceof Refused ? new ApiErrors([...error.errors.values()]) : error;
    }
  }

  /** Reads these rows without a lock, so that rules can validate against them. It stores nothing. */
  private async readOnly<T extends Resource>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    which: Which<T>,
    withDeleted = false,
  ): Promise<UnitOfWork<T>> {
    const named = rowsOf(this.of(account, definition), which);
    if (withDeleted) named.withDeleted();
    const stored = isEmpty(which) ? [] : await named.getMany();
    const byId = new Map((stored as ResourceRow<T>[]).map((row) => [row.id, row]));
    return new UnitOfWork(definition, account, this.clock.now(), byId);
  }

  private narrowed<T extends Resource, P extends object, C, R, A extends ChangedBy>(
    account: A,
    { narrow = (rows) => rows, targetColumn }: Write<T, P, C, R, A>,
    keys: string[],
  ): Which<T> {
    if (keys.length === 0) return keys;
    return (rows) => narrow(rows.whereIn(...idsOf<T>(keys, targetColumn)), account);
  }

  private store<T extends Resource, R>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    which: Which<T>,
    { lock = 'for_no_key_update', withDeleted = false, skipLocked, transaction = false, first, name }: Locking,
    plan: (unitOfWork: UnitOfWork<T>, db: EntityManager) => R | Promise<R>,
  ): Promise<R> {
    const narrows = typeof which === 'function' || which.length > 0;
    return retrying(async () => {
      let unitOfWork = new UnitOfWork(definition, account, this.clock.now());
      const work = async (db: EntityManager) => {
        if (name !== undefined) await lockName(db, name);
        if (narrows) {
          await first?.(db);
          const all = this.of(account, definition, db);
          const named = rowsOf(all, which);
          if (withDeleted) named.withDeleted();
          named.setLock(lock);
          if (skipLocked) named.setOnLocked('skip_locked');
          const stored = (await named.getMany()) as ResourceRow<T>[];
          unitOfWork = new UnitOfWork(
            definition,
            account,
            this.clock.now(),
            new Map(stored.map((row) => [row.id, row])),
          );
        }
        const planned = await plan(unitOfWork, db);
        unitOfWork.runBeforeFlush();
        if (!unitOfWork.empty) {
          const writes = [
            ...unitOfWork.writes(),
            ...recordOf(unitOfWork.changes(), account, unitOfWork.now),
            ...count(unitOfWork.counted()),
          ];
          await write(db, writes, unitOfWork.preconditions(), { lockKey: account.id });
          await unitOfWork.runAfterFlush(db);
        }
        return planned;
      };
      try {
        const locks = narrows || transaction || name !== undefined;
        return await (locks ? inTransactionFor(this.db.manager, account.id, work) : work(this.db.manager));
      } catch (error) {
        throw await this.explained(error, account, definition, unitOfWork);
      }
    });
  }

  /**
   * Translates a failed statement into errors of the items. It runs after the transaction, which can no longer run
   * queries.
   */
  private async explained<T extends Resource>(
    error: unknown,
    account: { id: string },
    definition: ResourceDefinition<T>,
    unitOfWork: UnitOfWork<T>,
  ): Promise<unknown> {
    if (isLimitReached(error)) return this.beyondLimits(definition, unitOfWork);
    const { code, constraint } = sqlStateOf(error);
    const unique = code === '23505' && definition.uniques?.find(({ index }) => index === constraint);
    if (!unique) return error;

    const { columns, refusal, everywhere } = unique;
    if (!refusal) return new ConflictRetry();
    const keyOf = (row: ResourceRow<T>) => JSON.stringify(columns.map((column) => row[column]));
    const results = unitOfWork.results();
    const taken = everywhere ? rows(this.db.manager, definition.entity).withDeleted() : this.of(account, definition);
    for (const column of columns) taken.whereIn(column, [...new Set(results.map(({ row }) => row[column]))]);
    const own = new Set(results.map(({ row }) => row.id));
    const others = ((await taken.getMany()) as ResourceRow<T>[]).filter(({ id }) => !own.has(id));
    const keys = new Set(others.map(keyOf));
    const errors = new Map<number, ApiError>();
    for (const { operation, row } of results) {
      const key = keyOf(row);
      if (keys.has(key)) errors.set(operation, refusal(row));
      keys.add(key);
    }
    // The row that held the unique value has released it meanwhile.
    return errors.size > 0 ? new Refused(errors) : new ConflictRetry();
  }

  private async beyondLimits<T extends Resource>(
    { limits = [] }: ResourceDefinition<T>,
    unitOfWork: UnitOfWork<T>,
  ): Promise<Refused | ConflictRetry> {
    const contributions = unitOfWork.contributions();
    // Before reading the counters, wait for others that lower them.
    for (const { ownerId, kind, by } of unitOfWork.counted()) {
      const { release } = limits.find((each) => each.kind === kind)!;
      if (by > 0 && (await release?.(this.db.manager, ownerId, unitOfWork.now))) return new ConflictRetry();
    }
    const counters = await countersOf(this.db.manager, [...new Set(contributions.map(({ ownerId }) => ownerId))]);
    const errors = new Map<number, ApiError>();
    for (const { ownerId, kind, by } of unitOfWork.counted()) {
      const { refusal, limit: byDefault } = limits.find((each) => each.kind === kind)!;
      const { value, limit } = counters.find((each) => each.ownerId === ownerId && each.kind === kind) ?? {
        value: 0,
        limit: byDefault,
      };
      if (by <= 0 || value + by <= limit) continue;
      const own = contributions.filter((each) => each.ownerId === ownerId && each.kind === kind);
      let room = limit - value - own.reduce((freed, each) => freed + Math.min(0, each.by), 0);
      for (const { operation } of own.filter((each) => each.by > 0)) {
        if (room > 0) room--;
        else errors.set(operation, refusal(limit));
      }
    }
    // The limit is no longer reached.
    return errors.size > 0 ? new Refused(errors) : new ConflictRetry();
  }
}

/** Validates a request, and performs it if there are no errors. */
function applied<T extends Resource, P extends object, C, R, A extends ChangedBy>(
  unitOfWork: UnitOfWork<T>,
  { target, targetColumn, upserts, problems, refused, apply }: Write<T, P, C, R, A>,
  request: Parsed<P>,
  context: C,
): R {
  const id = target && (request.value(target) as string | undefined);
  // Without its id the rest of an operation cannot be validated.
  if (target && id === undefined) return request.params as never;
  try {
    const find = () => (upserts ? unitOfWork.get(id!, targetColumn) : unitOfWork.find(id!, targetColumn));
    const row = (id === undefined ? undefined : find()) as ResourceRow<T>;
    refuseAny(problems?.(request, context, row) ?? []);
    return request.isWhole ? apply(unitOfWork, request.params, context, row, request) : (undefined as R);
  } catch (error) {
    refused?.(context);
    throw error;
  }
}

const idsIn = <T extends Resource, P extends object, C, R, A extends ChangedBy>(
  { target }: Write<T, P, C, R, A>,
  requests: readonly Parsed<P>[],
): string[] => (target ? requests.flatMap((request) => (request.value(target) as string | undefined) ?? []) : []);

const rowsOf = <T extends Resource>(all: Rows<T>, which: Which<T>): Rows<T> =>
  typeof which === 'function' ? which(all) : all.whereIn(...idsOf<T>(which));

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

const isEmpty = (which: unknown): boolean => Array.isArray(which) && which.length === 0;

/** Selects rows of any resource by ids. The cast is needed because the columns of a generic type are unknown. */
const idsOf = <T extends Resource>(ids: string[], column = 'id' as ColumnOf<T>) =>
  [column, [...new Set(ids)] as Row<T>[ColumnOf<T>][]] as const;
