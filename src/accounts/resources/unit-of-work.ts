import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { Batch, OperationHandlers, OperationInputs, ResultOf } from '../../common/batch/batch.js';
import { changeCounters, type CounterChange as CounterChange } from '../../common/db/counters/counters.js';
import { lockName } from '../../common/db/query/name-lock.js';
import { deletedRow, newRow } from '../../common/db/query/new-row.js';
import { exists } from '../../common/db/query/preconditions.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { ColumnOf, LockMode, Row, Rows } from '../../common/db/query/rows.js';
import { insert, replace, write, type Precondition, type Write } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import type { BatchResult } from '../../common/http/answers/results.js';
import type { ActingAccount } from '../access/acting-account.js';
import { recordChanges, type RecordedChange, type TimedAuthor } from '../change-log/change-log.js';
import { Account } from '../entities/account.entity.js';
import { clockUnchanged } from '../times/account-times.statements.js';
import type { ResourceDefinition, ResourceRow } from '../resource-definition.js';
import { rowsOfAccount, whereKeyIn } from './resource-rows.js';

/** The columns of a new row that its creator sets; the unit of work sets the others. */
export type NewColumns<T extends Resource> = Omit<Row<T>, 'id' | 'createdAt' | 'updatedAt' | 'deletedAt'>;

/** The locking of rows. */
interface LockOptions<T extends Resource> {
  /** `pessimistic_write` to delete rows, which others refer to; by default `for_no_key_update`. */
  mode?: LockMode;
  /** The column that the keys identify; by default `id`. */
  column?: ColumnOf<T>;
  /** The rows that may be changed; by default all of the account. */
  narrow?: (rows: Rows<T>) => Rows<T>;
  /** Also locks deleted rows, so that `restore` can restore them. */
  withDeleted?: boolean;
  /** Leaves out rows that others have locked. */
  skipLocked?: boolean;
}

/** One row as an operation changed it. */
interface Step<T extends Resource> {
  operation: number;
  before?: ResourceRow<T>;
  after: ResourceRow<T>;
}

/**
 * The changes of a write to the rows of one resource. Collects them in memory, so that one statement can store them with
 * their history, events, limits and preconditions. Later steps see earlier ones.
 */
export class UnitOfWork<T extends Resource, A extends TimedAuthor = ActingAccount> {
  /** The batch operation that is currently performed. */
  private operation = 0;
  private readonly steps: Step<T>[] = [];
  private readonly locked = new Map<string, ResourceRow<T>>();
  private readonly current = new Map<string, ResourceRow<T>>();
  private readonly required: Precondition[] = [];
  private readonly written: Write[] = [];
  private readonly dependents: (() => void)[] = [];
  private readonly followers: (() => Promise<void>)[] = [];
  private time: Date;

  constructor(
    readonly definition: ResourceDefinition<T>,
    /** The account, and the author of the changes. */
    readonly account: A,
    /** The transaction, if the write has one. */
    readonly db: EntityManager,
    /** The write only validates a request that is not fully readable: it locks and stores nothing. */
    private readonly validatesOnly = false,
  ) {
    this.time = account.now();
  }

  /** The time of the change: after the wait for locks, so that the history of a row is in order. */
  get now(): Date {
    return this.time;
  }

  /** The locked rows as they are stored, by id. */
  get stored(): ReadonlyMap<string, ResourceRow<T>> {
    return this.locked;
  }

  /** Whether the write has a transaction, so that what it reads can be locked. */
  get isLocking(): boolean {
    return this.db.queryRunner !== undefined;
  }

  /** Locks the rows of the account with these keys, so that they can be changed. Ignores unknown keys. */
  async lock(
    keys: readonly string[],
    { mode = 'for_no_key_update', column, narrow = (rows) => rows, withDeleted, skipLocked }: LockOptions<T> = {},
  ): Promise<ResourceRow<T>[]> {
    if (keys.length === 0) return [];
    if (!this.isLocking && !this.validatesOnly) throw new Error('only a write with a transaction can lock rows');
    const rows = narrow(whereKeyIn(rowsOfAccount(this.db, this.account, this.definition), keys, column));
    if (withDeleted) rows.withDeleted();
    if (this.isLocking) rows.setLock(mode);
    if (this.isLocking && skipLocked) rows.setOnLocked('skip_locked');
    const found = (await rows.getMany()) as ResourceRow<T>[];
    this.time = this.account.now();
    for (const row of found) {
      this.locked.set(row.id, row);
      this.current.set(row.id, row);
    }
    return found;
  }

  /** Locks one row and returns it, or throws the resource's 404. */
  async lockOne(key: string, options?: LockOptions<T>): Promise<ResourceRow<T>> {
    await this.lock([key], options);
    return this.find(key, options?.column);
  }

  /** Locks a name until the write is stored, for rows that may not exist yet. Others that lock the same name wait. */
  async lockName(name: string): Promise<void> {
    if (this.validatesOnly) return;
    await lockName(this.db, name);
    this.time = this.account.now();
  }

  /** Runs the write again from its beginning, because rows that it read are out of date. */
  retry(): never {
    throw new ConflictRetry();
  }

  /** The row after the steps so far, or the resource's 404. `column`: the identifying column, by default the id. */
  find(key: string, column?: ColumnOf<T>): ResourceRow<T> {
    const row = this.get(key, column);
    if (row?.deletedAt !== null) throw this.definition.notFoundError(this.account)(key);
    return row;
  }

  /** The row after the steps so far, deleted rows included; undefined if it is not held. */
  get(key: string, column?: ColumnOf<T>): ResourceRow<T> | undefined {
    if (column === undefined) return this.current.get(key);
    return [...this.current.values()].find((row) => row[column] === key);
  }

  create(fields: NewColumns<T>): ResourceRow<T> {
    const row = Object.assign(newRow(this.now, this.definition.newId), fields) as ResourceRow<T>;
    this.steps.push({ operation: this.operation, after: row });
    this.current.set(row.id, row);
    return row;
  }

  /** Changes columns of a row. If no value differs (arrays compare by content), nothing is stored or recorded. */
  update(
    id: string,
    change: Partial<ResourceRow<T>> | ((row: ResourceRow<T>) => Partial<ResourceRow<T>>),
  ): ResourceRow<T> {
    const before = this.find(id);
    const changed = typeof change === 'function' ? change(before) : change;
    const names = Object.keys(changed) as (keyof ResourceRow<T>)[];
    if (names.every((name) => changed[name] === undefined || isDeepStrictEqual(changed[name], before[name])))
      return before;
    const present = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
    return this.replace(before, { ...before, ...present, updatedAt: nextUpdatedAt(before.updatedAt, this.now) });
  }

  /** Marks a row deleted. Repeating the call throws the resource's 404. */
  delete(id: string): ResourceRow<T> {
    const before = this.find(id);
    return this.replace(before, deletedRow(before, this.now));
  }

  /**
   * Restores a deleted row and changes it; a row that is not deleted is only changed. The edit must hold deleted rows.
   */
  restore(id: string, change: Partial<ResourceRow<T>>): ResourceRow<T> {
    const before = this.current.get(id);
    if (!before || before.deletedAt === null) return this.update(id, change);
    const present = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const updatedAt = nextUpdatedAt(before.updatedAt, this.now);
    return this.replace(before, { ...before, ...present, deletedAt: null, updatedAt });
  }

  /** Performs the operations of a batch in order; see `Batch.run`. */
  each<I extends OperationInputs, H extends OperationHandlers<I>>(
    batch: Batch<I>,
    handlers: H,
  ): BatchResult<ResultOf<H>> {
    return batch.run(handlers, (index) => (this.operation = index));
  }

  /** Adds a precondition that the storing statement checks. */
  require(...preconditions: Precondition[]): void {
    this.required.push(...preconditions);
  }

  /** Adds a write to the storing statement. */
  addWrite(...writes: Write[]): void {
    this.written.push(...writes);
  }

  /** Runs `work` when all steps are known. It adds what depends on all of them (`require`, `addWrite`). */
  beforeFlush(work: () => void): void {
    this.dependents.push(work);
  }

  /** Runs `work` in the transaction after the storing statement. */
  afterFlush(work: () => Promise<void>): void {
    this.followers.push(work);
  }

  /** A unit of work for another resource, stored together with this one. */
  include<O extends Resource>(definition: ResourceDefinition<O>): UnitOfWork<O, A> {
    const other = new UnitOfWork(definition, this.account, this.db, this.validatesOnly);
    other.time = this.time;
    this.beforeFlush(() => {
      this.require(...other.preconditions());
      this.addWrite(...other.writes(), other.record());
    });
    return other;
  }

  /** Stores the changes with their history, events and counters. Called by `Resources`. */
  async flush(): Promise<void> {
    for (const work of this.dependents) work();
    if (this.steps.length === 0 && this.written.length === 0) return;
    const writes = [...this.writes(), this.record(), ...changeCounters(this.counted())];
    await write(this.db, writes, this.preconditions(), { lockKey: this.account.id });
    if (this.followers.length > 0 && !this.isLocking)
      throw new Error('the write has no transaction in which further work could follow');
    for (const work of this.followers) await work();
  }

  /** The new rows after the steps so far. */
  created(): ResourceRow<T>[] {
    return [...this.current.values()].filter(({ id }) => !this.locked.has(id));
  }

  /** The writes of the rows and of dependent data. */
  private writes(): Write[] {
    const { entity, deletions } = this.definition;
    const rows = [...this.current.values()];
    const changed = rows.filter(({ id }) => this.locked.has(id)).filter((row) => row !== this.locked.get(row.id));
    const gone = changed.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => id);
    return [
      insert(entity, this.created()),
      replace(entity, changed),
      ...(gone.length > 0 ? deletions.flatMap((deletion) => deletion(gone, this.now.toISOString())) : []),
      ...this.written,
    ];
  }

  /** Requires that the account and all references of new rows are alive. */
  private preconditions(): Precondition[] {
    const { parents } = this.definition;
    const created = this.steps.filter(({ before }) => !before).map(({ after }) => after);
    return [
      exists(Account, this.account, () => accountNotFound(this.account.id)),
      ...clockUnchanged(this.account.id, this.now),
      ...(parents ? created.flatMap(parents) : []),
      ...this.required,
    ];
  }

  private record(): Write {
    const { name, snapshot } = this.definition;
    const changes = this.steps.map(({ before, after }): RecordedChange => ({
      type: !before ? 'CREATE' : after.deletedAt === null ? 'UPDATE' : 'DELETE',
      entity: name,
      id: after.id,
      data: snapshot(after),
      ...(before && { before: snapshot(before) }),
    }));
    return recordChanges(changes, this.account, this.now);
  }

  /** The changes of the limit counters. */
  counted(): CounterChange[] {
    const all = new Map<string, CounterChange>();
    for (const { ownerId, kind, by, limit } of this.contributions()) {
      const key = `${kind} ${ownerId}`;
      all.set(key, { ownerId, kind, limit, by: (all.get(key)?.by ?? 0) + by });
    }
    return [...all.values()].filter(({ by }) => by !== 0);
  }

  /** The amounts that the steps add to a counter, in order. */
  contributions(): (CounterChange & { operation: number })[] {
    return (this.definition.limits ?? []).flatMap(({ kind, limit, ownerOf, counts }) =>
      this.steps.flatMap(({ operation, before, after }) => {
        const by = Number(counts(after)) - Number(before !== undefined && counts(before));
        return by === 0 ? [] : [{ operation, kind, limit, by, ownerId: ownerOf(after) }];
      }),
    );
  }

  /** The rows that are alive after all steps, each with its last operation. */
  results(): { operation: number; row: ResourceRow<T> }[] {
    const last = new Map(this.steps.map(({ operation, after }) => [after.id, { operation, row: after }]));
    return [...last.values()].filter(({ row }) => row.deletedAt === null);
  }

  private replace(before: ResourceRow<T>, after: ResourceRow<T>): ResourceRow<T> {
    this.steps.push({ operation: this.operation, before, after });
    this.current.set(after.id, after);
    return after;
  }
}
