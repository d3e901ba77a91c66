import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { Timed } from '../../common/frozen-time.js';
import type { Change as Counted } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import type { ColumnOf, Row } from '../../common/db/query/rows.js';
import { insert, replace, type Precondition, type Write } from '../../common/db/query/write.js';
import { deletedRow, newRow } from '../../common/db/query/new-row.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { Account } from '../entities/account.entity.js';
import { stillFrozen } from '../times/account-times.statements.js';
import type { Change } from '../change-log/change-log.js';
import type { ResourceDefinition, ResourceRow } from './resource-definition.js';

type Made = 'id' | 'createdAt' | 'updatedAt' | 'deletedAt';

/** The columns of a new row that its creator sets; the unit of work sets the others. */
export type NewFields<T extends Resource> = Omit<Row<T>, Made>;

/** One row as an operation changed it. */
interface Step<T extends Resource> {
  operation: number;
  before?: ResourceRow<T>;
  after: ResourceRow<T>;
}

/**
 * Collects a request's changes to the rows of one resource in memory, so that one statement can store them. Later steps
 * see earlier ones. `Resources.edit` stores the changes.
 */
export class UnitOfWork<T extends Resource> {
  /** The batch operation that is currently planned. */
  operation = 0;
  private readonly steps: Step<T>[] = [];
  private readonly current: Map<string, ResourceRow<T>>;
  private readonly required: Precondition[] = [];
  private readonly written: Write[] = [];
  private readonly last: (() => void)[] = [];
  private readonly then: ((db: EntityManager) => Promise<void>)[] = [];

  constructor(
    private readonly definition: ResourceDefinition<T>,
    private readonly account: { id: string } & Timed,
    /** The time of the change. */
    readonly now: Date,
    /** The rows it may change, read under a lock. */
    readonly stored: ReadonlyMap<string, ResourceRow<T>> = new Map(),
  ) {
    this.current = new Map(stored);
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

  create(fields: NewFields<T>): ResourceRow<T> {
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

  /** Adds a precondition that the storing statement checks. */
  require(...preconditions: Precondition[]): void {
    this.required.push(...preconditions);
  }

  /** Adds a write to the storing statement. */
  addWrite(...writes: Write[]): void {
    this.written.push(...writes);
  }

  /** Registers work to run after all steps are planned. It adds what depends on all of them (`require`, `addWrite`). */
  beforeFlush(work: () => void): void {
    this.last.push(work);
  }

  /** Runs that work. Call it when all steps are planned. */
  runBeforeFlush(): void {
    for (const work of this.last) work();
  }

  /** Registers work to run after the statement in its transaction, which exists if rows are held. */
  afterFlush(work: (db: EntityManager) => Promise<void>): void {
    this.then.push(work);
  }

  /** Runs that work. */
  async runAfterFlush(db: EntityManager): Promise<void> {
    if (this.then.length > 0 && !db.queryRunner) throw new Error('no rows are locked, so there is no transaction');
    for (const work of this.then) await work(db);
  }

  get empty(): boolean {
    return this.steps.length === 0 && this.written.length === 0;
  }

  /** The new rows after the steps so far. */
  created(): ResourceRow<T>[] {
    return [...this.current.values()].filter(({ id }) => !this.stored.has(id));
  }

  /** The writes of the rows and of dependent data. */
  writes(): Write[] {
    const { entity, deletedWith } = this.definition;
    const rows = [...this.current.values()];
    const changed = rows.filter(({ id }) => this.stored.has(id)).filter((row) => row !== this.stored.get(row.id));
    const gone = changed.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => id);
    return [
      insert(entity, this.created()),
      replace(entity, changed),
      ...(gone.length > 0 && deletedWith ? deletedWith(gone, this.now.toISOString()) : []),
      ...this.written,
    ];
  }

  /** Requires that the account and all references of new rows are alive. */
  preconditions(): Precondition[] {
    const { parents } = this.definition;
    const created = this.steps.filter(({ before }) => !before).map(({ after }) => after);
    return [
      exists(Account, this.account, () => accountNotFound(this.account.id)),
      ...stillFrozen(this.account),
      ...(parents ? created.flatMap(parents) : []),
      ...this.required,
    ];
  }

  changes(): Change[] {
    const { name, snapshot } = this.definition;
    return this.steps.map(({ before, after }) => ({
      type: !before ? 'CREATE' : after.deletedAt === null ? 'UPDATE' : 'DELETE',
      entity: name,
      id: after.id,
      data: snapshot(after),
      ...(before && { before: snapshot(before) }),
    }));
  }

  /** The changes of the limit counters. */
  counted(): Counted[] {
    const all = new Map<string, Counted>();
    for (const { ownerId, kind, by, limit } of this.contributions()) {
      const key = `${kind} ${ownerId}`;
      all.set(key, { ownerId, kind, limit, by: (all.get(key)?.by ?? 0) + by });
    }
    return [...all.values()].filter(({ by }) => by !== 0);
  }

  /** What each step adds to a counter, in order. */
  contributions(): (Counted & { operation: number })[] {
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
