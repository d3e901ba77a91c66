import type { Type } from '@nestjs/common';
import type { EntityManager, ObjectLiteral } from 'typeorm';
import { OF_ALL_ACCOUNTS } from './account-key.js';
import { Computed } from './computed.js';
import { notDeleted, equalsAny, splitLists, whereAll, type Condition } from './condition.js';
import type { Freshness, RowReader } from './freshness.js';
import { run, type Bind, type RunOptions, type Statement } from './statement.js';
import { quoteIdentifier, tableOf } from './table-metadata.js';

type Callable = (...args: never[]) => unknown;
type Stored<V> = V extends Date ? string : V;

/**
 * A row as reads return it: a plain object with the columns of the entity, timestamps as PostgreSQL's text. The type
 * omits relations, which are the optional properties (`account?: Relation<Account>`).
 */
export type Row<T> = {
  [
    K in keyof T as unknown extends T[K] ? K : undefined extends T[K] ? never : T[K] extends Callable ? never : K
  ]: Stored<T[K]>;
};

/** The name of a column of an entity. */
export type ColumnOf<T> = keyof Row<T> & string;

/** The values of `update`: absent or undefined columns stay unchanged. */
export type ColumnChanges<T> = { [C in ColumnOf<T>]?: Row<T>[C] | Computed<Row<T>[C]> };

/** Maximum number of rows of a read without `limit`. Lists are read by `page`, which has its own bounds. */
const MAX_ROWS = 10_000;

/**
 * The strength of row locks, in TypeORM's terms: `for_no_key_update` keeps others from changing the rows,
 * `pessimistic_write` also from storing rows that refer to them (`exists` waits for it).
 */
export type LockMode = 'for_no_key_update' | 'pessimistic_write';

const LOCKS: Record<LockMode, string> = { for_no_key_update: 'FOR NO KEY UPDATE', pessimistic_write: 'FOR UPDATE' };

/** A computed column of a read. */
interface Selected {
  name: string;
  sql: (bind: Bind) => string;
}

/**
 * A query on one table. All conditions must hold. It ends in a read (`getMany`, `getOne`, `getExists`, or `page` and
 * `one` of common/list), in `update` or in `delete`. The SQL text depends only on the set of conditions, never on a
 * value, so that it can be prepared and cannot be injected into.
 */
export class Rows<T extends ObjectLiteral> {
  private includesDeleted = false;
  private values: unknown[] = [];
  private narrowing: Condition[] = [];
  private order?: string;
  private maxRows?: number;
  private lock?: string;
  private selected: Selected[] = [];
  /** A comment that ends the statement, such as that it is about all accounts. */
  mark = '';
  private freshness?: Freshness;
  private isAnswer = false;

  constructor(
    readonly db: EntityManager,
    readonly entity: Type<T>,
  ) {}

  /** Includes rows that are marked deleted. */
  withDeleted(): this {
    this.includesDeleted = true;
    return this;
  }

  /**
   * Adds a computed column to the rows that are read. `sql` is an expression over the row `r`; PostgreSQL evaluates an
   * expensive one for the rows of the page only, after sorting.
   */
  addSelect<N extends string, V>(name: N, sql: (bind: Bind) => string): Rows<T & Record<N, V>> {
    this.selected.push({ name, sql });
    return this;
  }

  /** Declares that the rows can belong to any account. Every other statement about rows of an account must name it. */
  ofAllAccounts(): this {
    this.mark = ` ${OF_ALL_ACCOUNTS}`;
    return this;
  }

  /** The order of `getMany` and `getOne`; undefined without it. */
  orderBy(column: ColumnOf<T>, direction: 'ASC' | 'DESC' = 'ASC'): this {
    this.order = direction === 'DESC' ? `${own(column)} DESC` : own(column);
    return this;
  }

  /** Maximum number of rows of `getMany`. */
  limit(rows: number): this {
    this.maxRows = rows;
    return this;
  }

  /**
   * Makes `getMany` and `getOne` lock the rows until the end of the transaction, in the order of their ids to avoid
   * deadlocks.
   */
  setLock(mode: LockMode): this {
    this.lock = LOCKS[mode];
    return this;
  }

  /** Skips rows that another transaction has locked; call it after `setLock`. */
  setOnLocked(_: 'skip_locked'): this {
    this.lock += ' SKIP LOCKED';
    return this;
  }

  /** Declares on whose behalf the rows are read. */
  readBy({ freshness }: RowReader): this {
    this.freshness = freshness;
    return this;
  }

  /** Declares that a request answers these rows, as `page` and `one` do: a read replica may serve a reader with `freshness`. */
  asAnswer(): this {
    this.isAnswer = true;
    return this;
  }

  /** How `run` runs a read of these rows. */
  runOptions(options: Pick<RunOptions, 'large' | 'long'> = {}): RunOptions {
    if (!this.freshness || !this.isAnswer) return options;
    if (this.lock) throw new Error('A read that locks rows cannot use a read replica.');
    return { ...options, freshness: this.freshness };
  }

  /** Keeps rows whose column has this value; `null` matches rows without a value. */
  where<C extends ColumnOf<T>>(column: C, value: Row<T>[C]): this {
    if (value === null) return this.whereSql(`${own(column)} IS NULL`);
    return this.whereSql(`${own(column)} = ${this.bind(value)}`, { column, test: 'equal' });
  }

  /** Keeps rows whose column has another value, or none. */
  whereDistinctFrom<C extends ColumnOf<T>>(column: C, value: Row<T>[C]): this {
    return this.whereSql(
      value === null ? `${own(column)} IS NOT NULL` : `${own(column)} IS DISTINCT FROM ${this.bind(value)}`,
    );
  }

  /**
   * Keeps rows whose non-null column is not this constant. The constant is in the SQL text, unlike a value: only then
   * does the planner always use a partial index `WHERE column <> 'WORD'`.
   */
  whereNot<C extends ColumnOf<T>>(column: C, word: Row<T>[C] & string): this {
    if (!/^[A-Z_]+$/.test(word)) throw new Error(`${word} is not a constant in capital letters`);
    return this.whereSql(`${own(column)} <> '${word}'`);
  }

  /** Keeps rows whose column is this constant, which is in the SQL text for the same reason. */
  whereLiteral<C extends ColumnOf<T>>(column: C, word: Row<T>[C] & string): this {
    if (!/^[A-Z_]+$/.test(word)) throw new Error(`${word} is not a constant in capital letters`);
    return this.whereSql(`${own(column)} = '${word}'`, { column, test: 'equal' });
  }

  /** Keeps rows whose column is true, or false; also in the SQL text. */
  whereTrue<C extends ColumnOf<T>>(column: C & (Row<T>[C] extends boolean ? C : never), truth = true): this {
    return this.whereSql(truth ? own(column) : `NOT ${own(column)}`);
  }

  /**
   * Keeps rows whose column is one of `values`; an absent filter keeps all rows. A single value becomes an equality:
   * PostgreSQL estimates any list at ten values, and may then prefer another index to that of the ids.
   */
  whereIn<C extends ColumnOf<T>>(column: C, values?: readonly Row<T>[C][]): this {
    if (values?.length === 1 && values[0] !== null) return this.where(column, values[0]);
    return values ? this.whereSql(...equalsAny(column, this.bind(values))) : this;
  }

  /**
   * Keeps rows whose column is a list with all of these. A read finds them first, by the index of the lists, and checks
   * the other conditions afterwards: PostgreSQL, which cannot estimate how rare the values are, would otherwise scan
   * the table in the requested order.
   */
  arrayContains<C extends ColumnOf<T>>(column: C, values: Row<T>[C] & readonly string[]): this {
    return this.whereSql(`${own(column)} @> ${this.bind(values)}`, { column, test: 'list' });
  }

  /** Keeps rows whose column is a list with at least one of these; an absent filter keeps all rows. */
  arrayOverlaps<C extends ColumnOf<T>>(column: C, values?: Row<T>[C] & readonly string[]): this {
    return values ? this.whereSql(`${own(column)} && ${this.bind(values)}`) : this;
  }

  /** Keeps rows whose column is at least `start` and below `end`. */
  whereInRange<C extends ColumnOf<T>>(column: C, start: Row<T>[C], end: Row<T>[C]): this {
    const [min, below] = [this.bind(start), this.bind(end)];
    return this.whereSql(`${own(column)} >= ${min} AND ${own(column)} < ${below}`, { column, test: 'range' });
  }

  /** Keeps rows whose column is at least this value. */
  whereAtLeast<C extends ColumnOf<T>>(column: C, value: Row<T>[C]): this {
    return this.whereSql(`${own(column)} >= ${this.bind(value)}`, { column, test: 'range' });
  }

  /** Keeps rows whose column is above this value. */
  whereMoreThan<C extends ColumnOf<T>>(column: C, value: Row<T>[C]): this {
    return this.whereSql(`${own(column)} > ${this.bind(value)}`, { column, test: 'range' });
  }

  /** Keeps rows whose column is below this value. */
  whereLessThan<C extends ColumnOf<T>>(column: C, value: Row<T>[C]): this {
    return this.whereSql(`${own(column)} < ${this.bind(value)}`, { column, test: 'range' });
  }

  /** Keeps rows whose column matches a pattern of LIKE; an absent filter keeps all rows. It uses no index. */
  whereLike(column: ColumnOf<T>, pattern?: string): this {
    return pattern === undefined ? this : this.whereSql(`${own(column)} LIKE ${this.bind(pattern)}`);
  }

  /** Keeps rows whose column is this text, case-insensitive. */
  whereEqualsIgnoreCase(column: ColumnOf<T>, value: string): this {
    return this.whereSql(`lower(${own(column)}) = lower(${this.bind(value)})`);
  }

  /** Keeps rows whose column is one of these texts, case-insensitive. */
  whereInIgnoreCase(column: ColumnOf<T>, values: readonly string[]): this {
    return this.whereSql(`lower(${own(column)}) = ANY(${this.bind(values.map((value) => value.toLowerCase()))})`);
  }

  /**
   * Keeps rows whose column begins with `prefix`, case-insensitive; as a range, because a prepared LIKE uses no index.
   */
  whereStartsWith(column: ColumnOf<T>, prefix?: string): this {
    if (prefix === undefined) return this;
    const term = `lower(${own(column)}) COLLATE "C"`;
    const min = `lower(${this.bind(prefix)}::text)`;
    return this.whereSql(`${term} >= ${min} AND ${term} < ${min} || chr(1114111)`, { column, test: 'range' });
  }

  /** Keeps rows whose column value occurs in a column of other rows. */
  whereInSubquery<U extends ObjectLiteral>(column: ColumnOf<T>, others: Rows<U>, theirs: ColumnOf<U>): this {
    return this.whereSql(`${own(column)} IN (${this.columnOf(others, theirs)})`);
  }

  /** The same for other rows that are usually few: they are read first, by their own index. */
  whereInSmallSubquery<U extends ObjectLiteral>(column: ColumnOf<T>, others: Rows<U>, theirs: ColumnOf<U>): this {
    return this.whereSql(...equalsAny(column, `ARRAY(${this.columnOf(others, theirs)})`));
  }

  /** Keeps rows that match at least one of these. */
  whereAny(...ways: ((rows: Rows<T>) => unknown)[]): this {
    const before = this.narrowing;
    const alternatives = ways.map((narrow) => {
      this.narrowing = [];
      narrow(this);
      return `(${this.narrowing.map(({ sql }) => sql).join(' AND ')})`;
    });
    this.narrowing = before;
    return this.whereSql(alternatives.join(' OR '));
  }

  /** Adds a condition as SQL text, whose values are already bound. For common only: domains use the methods above. */
  whereSql(sql: string, about: Omit<Condition, 'sql'> = {}): this {
    this.narrowing.push({ sql, ...about });
    return this;
  }

  /** Adds a value as a parameter and returns its placeholder. The text must use every bound value. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** All conditions, also that rows are not deleted: lists first. */
  get conditions(): Condition[] {
    const { deletedAt } = tableOf(this.db, this.entity);
    const alive = deletedAt && !this.includesDeleted ? [notDeleted(deletedAt)] : [];
    return [...splitLists(this.narrowing).flat(), ...alive];
  }

  /** Whose rows these are: the first value of a query, such as the account. */
  get owner(): string {
    return String(this.values[0]);
  }

  /** The rows; at most 10,000 without `limit` or `setLock`. */
  getMany(): Promise<Row<T>[]> {
    return this.read(this.maxRows ?? (this.lock ? undefined : MAX_ROWS));
  }

  /** The first row in the order, or any without one; undefined when there is none. */
  async getOne(): Promise<Row<T> | undefined> {
    const [found] = await this.read(1);
    return found;
  }

  /** The number of rows. It takes as long as they are many. */
  async getCount(): Promise<number> {
    const statement = this.statement('', 'count(*)::int8 AS n');
    const [{ n }] = await run<{ n: number }>(this.db, statement, this.runOptions({ long: this.owner }));
    return n;
  }

  /** Whether a row exists. */
  async getExists(): Promise<boolean> {
    const statement = this.statement(') AS found', undefined, 'SELECT EXISTS (SELECT');
    const [{ found }] = await run<{ found: boolean }>(this.db, statement, this.runOptions());
    return found;
  }

  /** Sets columns of all rows and returns the changed rows. At least one column is required. */
  update(changes: ColumnChanges<T>): Promise<Row<T>[]> {
    const { table, select } = tableOf(this.db, this.entity);
    const changed = this.clone();
    const bind = (value: unknown) => changed.bind(value);
    const set = Object.entries<unknown>(changes)
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => {
        const next = value instanceof Computed ? value.sql(own(column), bind) : bind(value);
        return `${quoteIdentifier(column)} = ${next}`;
      });
    return run<Row<T>>(this.db, {
      text: `UPDATE ${table} r SET ${set.join(', ')}${whereAll(this.conditions)} RETURNING ${select}${this.mark}`,
      values: changed.values,
    });
  }

  /** Deletes the rows permanently and returns their number; resources are marked deleted instead. */
  async delete(): Promise<number> {
    const { table } = tableOf(this.db, this.entity);
    const gone = await run(this.db, {
      text: `DELETE FROM ${table} r${whereAll(this.conditions)} RETURNING 1 AS gone${this.mark}`,
      values: [...this.values],
    });
    return gone.length;
  }

  /**
   * Permanently deletes at most `limit` of the rows, in any order, and returns their number. Skips rows that another
   * transaction has locked, so that nothing waits and two replicas take different ones.
   */
  async deleteSome(limit: number): Promise<number> {
    const { table, primary } = tableOf(this.db, this.entity);
    const keys = primary.map((column) => `r.${column}`).join(', ');
    const same = primary.map((column) => `r.${column} = chosen.${column}`).join(' AND ');
    const { text, values } = this.statement(` LIMIT ${limit} FOR UPDATE SKIP LOCKED`, keys);
    // materialised: a plan that selects rows more than once would exceed the limit
    const chosen = `WITH chosen AS MATERIALIZED (${text})`;
    const all = { text: `${chosen} DELETE FROM ${table} r USING chosen WHERE ${same} RETURNING 1 AS gone`, values };
    // a plan for an empty table, which a connection keeps, would read all of it for each chosen row
    const gone = await run(this.db, all, { planned: 'each time' });
    return gone.length;
  }

  /** An independent copy. */
  clone(): Rows<T> {
    const copy = Object.assign(new Rows(this.db, this.entity), this);
    copy.values = [...this.values];
    copy.narrowing = [...this.narrowing];
    copy.selected = [...this.selected];
    return copy;
  }

  /** The statement that reads the current rows; later conditions do not change it. */
  statement(tail = '', what?: string, verb = 'SELECT'): Statement {
    const { columns, values } = what === undefined ? this.selection() : { columns: what, values: [...this.values] };
    const { table } = tableOf(this.db, this.entity);
    const [lists, others] = splitLists(this.conditions);
    const listed = lists.map(({ sql }) => sql).join(' AND ');
    // without OFFSET both would be planned as one
    const source =
      lists.length === 0 ? table : `(SELECT * FROM ${table} r WHERE ${listed} OFFSET 0 ${OF_ALL_ACCOUNTS})`;
    const selected = verb === 'SELECT' ? ` ${columns}` : '';
    return { text: `${verb}${selected} FROM ${source} r${whereAll(others)}${tail}${this.mark}`, values };
  }

  /** What reads select, and the values that conditions and computed columns have bound. */
  selection(): { columns: string; values: unknown[] } {
    const values = [...this.values];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const computed = this.selected.map(({ name, sql }) => `${sql(bind)} AS ${quoteIdentifier(name)}`);
    return { columns: [tableOf(this.db, this.entity).select, ...computed].join(', '), values };
  }

  private read(limit?: number): Promise<Row<T>[]> {
    const { primary } = tableOf(this.db, this.entity);
    const order = this.order ?? (this.lock && primary.map((column) => `r.${column}`).join(', '));
    const tail = [order && ` ORDER BY ${order}`, limit && ` LIMIT ${limit}`, this.lock && ` ${this.lock}`];
    const statement = this.statement(tail.filter(Boolean).join(''));
    return run<Row<T>>(this.db, statement, this.runOptions({ large: limit !== undefined && limit > 20 }));
  }

  /** The statement that reads one column of other rows, for a condition of these. */
  private columnOf<U extends ObjectLiteral>(others: Rows<U>, column: ColumnOf<U>): string {
    const { text, values } = others.statement('', `r.${quoteIdentifier(column)}`);
    return text.replace(/\$(\d+)/g, (_, index: string) => this.bind(values[Number(index) - 1]));
  }
}

const own = (column: string) => `r.${quoteIdentifier(column)}`;

/** All rows of an entity's table, before conditions. */
export const rows = <T extends ObjectLiteral>(db: EntityManager, entity: Type<T>): Rows<T> => new Rows(db, entity);
