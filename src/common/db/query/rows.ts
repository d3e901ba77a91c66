import type { Type } from '@nestjs/common';
import type { EntityManager, ObjectLiteral } from 'typeorm';
import { tableOf } from './table-metadata.js';
import type { Statement } from './statement.js';

type Callable = (...args: never[]) => unknown;
type Stored<V> = V extends Date ? string : V;

/**
 * What a read returns of an entity: a plain object with its columns, timestamps as the text PostgreSQL writes.
 * Relations are left out by their type: they are the properties that may be absent (`account?: Relation<Account>`).
 */
export type Row<T> = {
  [
    K in keyof T as unknown extends T[K] ? K : undefined extends T[K] ? never : T[K] extends Callable ? never : K
  ]: Stored<T[K]>;
};

/** The name of a column of an entity. */
export type ColumnOf<T> = keyof Row<T> & string;

/**
 * The rows of one table that meet some conditions, not read yet. The table is called `r` in them. The SQL text depends
 * only on which conditions there are, never on a value, so that it can be prepared and nothing can be injected.
 */
export class Rows<T extends ObjectLiteral> {
  /** Whether rows that are marked deleted belong to it. */
  deletedToo = false;
  private values: unknown[] = [];
  private conditions: string[] = [];

  constructor(
    readonly db: EntityManager,
    readonly entity: Type<T>,
  ) {}

  /** Adds a condition; what is interpolated travels as a parameter. */
  where(sql: TemplateStringsArray, ...values: unknown[]): this {
    return this.also(sql.reduce((text, piece, i) => `${text}${this.bind(values[i - 1])}${piece}`));
  }

  /** Adds the condition that a column has this value; `null` means that it has none. */
  is<C extends ColumnOf<T>>(column: C, value: Row<T>[C]): this {
    return this.also(value === null ? `r."${column}" IS NULL` : `r."${column}" = ${this.bind(value)}`);
  }

  /** Adds a condition as SQL text, whose values were bound before. */
  also(condition: string): this {
    this.conditions.push(condition);
    return this;
  }

  /** Keeps a value as a parameter and returns its placeholder. Every bound value has to be used in the text. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** An independent copy: what is added to one is not added to the other. */
  clone(): Rows<T> {
    const copy = new Rows(this.db, this.entity);
    copy.deletedToo = this.deletedToo;
    copy.values = [...this.values];
    copy.conditions = [...this.conditions];
    return copy;
  }

  /** The statement that reads them as things stand now; conditions added later do not change it. */
  statement(tail = '', what?: string): Statement {
    const { table, select, deletedAt } = tableOf(this.db, this.entity);
    const conditions = this.conditions.map((condition) => `(${condition})`);
    if (deletedAt && !this.deletedToo) conditions.push(`r.${deletedAt} IS NULL`);
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
    return { text: `SELECT ${what ?? select} FROM ${table} r${where}${tail}`, values: [...this.values] };
  }
}

/** All rows of an entity's table, to be narrowed. */
export const rows = <T extends ObjectLiteral>(db: EntityManager, entity: Type<T>): Rows<T> => new Rows(db, entity);
