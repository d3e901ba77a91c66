import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Batch, Checks, Inputs, Steps } from '../../common/batch/batch.js';
import type { BatchResult } from '../../common/http/batch-result.js';
import { Clock } from '../../common/clock.js';
import { count, countersOf, isLimitReached } from '../../common/db/counters/counters.js';
import { lockName } from '../../common/db/query/name-lock.js';
import { retrying, ConflictRetry } from '../../common/db/query/retry.js';
import { rows, type ColumnOf, type LockMode, type Row, type Rows } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/query/sqlstate.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { write } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { ApiErrors, type ApiError } from '../../common/errors/api-error.js';
import { recordOf, type ChangedBy } from '../change-log/change-log.js';
import { UnitOfWork, type NewFields } from './unit-of-work.js';
import type { ResourceDefinition, ResourceRow } from './resource-definition.js';

/** Why items cannot be stored, by the operation that each belongs to. */
class Refused extends Error {
  constructor(readonly errors: Map<number, ApiError>) {
    super('the store refused what was planned');
  }
}

/** What the operations of a batch do, and what is wrong with those of which some parameters were refused. */
export interface Plan<I extends Inputs, T extends Resource> {
  steps: Steps<I, ResourceRow<T>>;
  checks?: Checks<I>;
}

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

/**
 * Finds and stores the resources of accounts. Whatever is stored leaves in one statement together with its history, its
 * events, the counters of its limits and the conditions that it depends on, the account's being alive among them: all or
 * nothing, whoever else writes at the same time.
 */
@Injectable()
export class Resources {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The rows of a resource that belong to an account, to be narrowed and read. */
  of<T extends Resource>(account: { id: string }, definition: ResourceDefinition<T>, db = this.db.manager): Rows<T> {
    return rows(db, definition.entity).where(definition.accountColumn, account.id as Row<T>[ColumnOf<T>]);
  }

  /** Stores a new row; `fields` are its columns but those that every resource has. */
  create<T extends Resource>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    fields: NewFields<T>,
  ): Promise<ResourceRow<T>> {
    return this.edit(account, definition, [], (unitOfWork) => unitOfWork.create(fields));
  }

  /** Changes columns of a row: those given, or those that a function of the row as it is gives. */
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

  /** Marks a row deleted; of several at once one does it, and the others find nothing (404). */
  delete<T extends Resource>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    id: string,
  ): Promise<ResourceRow<T>> {
    return this.edit(account, definition, [id], (unitOfWork) => unitOfWork.delete(id), { lock: 'pessimistic_write' });
  }

  /**
   * Plans a batch on these rows and stores all of it or nothing. What the statement refuses (a limit, a name
   * that is taken) is told to the operations that exceed it.
   */
  async batch<T extends Resource, I extends Inputs>(
    account: ChangedBy,
    definition: ResourceDefinition<T>,
    batch: Batch<I>,
    which: Which<T>,
    plan: (unitOfWork: UnitOfWork<T>, db: EntityManager) => Plan<I, T> | Promise<Plan<I, T>>,
    { first, transaction }: Pick<Locking, 'first' | 'transaction'> = {},
  ): Promise<BatchResult<ResourceRow<T>>> {
    try {
      return await this.store(
        account,
        definition,
        which,
        { lock: 'pessimistic_write', first, transaction },
        async (unitOfWork, db) => {
          const { steps, checks } = await plan(unitOfWork, db);
          return batch.plan(steps, { checks, next: (operation) => void (unitOfWork.operation = operation) });
        },
      );
    } catch (error) {
      throw error instanceof Refused ? batch.refusal(error.errors) : error;
    }
  }

  /**
   * Does something to these rows, which `unitOfWork` holds under a lock, and stores it; without any ids, and where no transaction
   * is asked for nor the name of something else to be locked, there is none.
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
          const named = typeof which === 'function' ? which(all) : all.whereIn(...idsOf<T>(which));
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

  /** Why the statement failed, in terms of the items; after the transaction, which nothing can be asked in any more. */
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
    // whoever had it has let go of it meanwhile
    return errors.size > 0 ? new Refused(errors) : new ConflictRetry();
  }

  private async beyondLimits<T extends Resource>(
    { limits = [] }: ResourceDefinition<T>,
    unitOfWork: UnitOfWork<T>,
  ): Promise<Refused | ConflictRetry> {
    const contributions = unitOfWork.contributions();
    // before the counters are read: whoever else has them count less is waited for
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
    // there is room by now
    return errors.size > 0 ? new Refused(errors) : new ConflictRetry();
  }
}

/** What narrows the rows of any resource to some ids: of a type that is not known here no column is known either. */
const idsOf = <T extends Resource>(ids: string[]) =>
  ['id' as ColumnOf<T>, [...new Set(ids)] as Row<T>[ColumnOf<T>][]] as const;
