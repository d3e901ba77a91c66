import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { DataSource, EntityManager, ObjectLiteral } from 'typeorm';
import { isTracing, traced } from '../../tracing/tracing.js';
import { assertOutsideTransaction } from './transaction-guard.js';
import { NoAnswer } from '../../errors/unavailable.js';
import { plainQuery, type ClientQuery, type QueryResult } from '../postgres/driver.js';
import { sqlStateOf } from './sqlstate.js';

/** A text with `$1`, `$2`, ... and the values that belong there. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** A statement of pg with a time of its own, in milliseconds; pg's types leave it out. */
export interface TimedQuery extends QueryConfig {
  query_timeout: number;
}

/** A connection for one purpose, which waits behind nobody else's statements. */
export interface OwnConnection {
  /** Runs a statement outside any transaction and returns its rows; one at a time. */
  run<R>(statement: Statement): Promise<R[]>;
  /** May be called again. */
  close(): Promise<void>;
}

/** Keeps a value as a parameter of a statement and returns its placeholder. */
export type Bind = (value: unknown) => string;

/** The values of a statement that is being written, and what binds them. */
export function binding(): { bind: Bind; values: unknown[] } {
  const values: unknown[] = [];
  return { bind: (value) => `$${values.push(value)}`, values };
}

/** Something that runs a statement on some connection. */
export type Executor = (config: QueryConfig) => Promise<QueryResult>;

/** How statements reach the database: outside a transaction those with small and those with large answers, and inside one. */
export interface Executors {
  /** `lockKey`: see RunOptions. */
  small: (config: QueryConfig, lockKey?: string) => Promise<QueryResult>;
  large: Executor;
  inTransaction: ClientQuery;
  /** Lets only so many transactions that contend for the same thing have a connection; absent where there is but one. */
  bulkhead?: { run<R>(lockKey: string, work: () => Promise<R>): Promise<R> };
}

export interface RunOptions {
  /** The answer may have hundreds of rows, and must not hold up the small ones that share a connection. */
  large?: boolean;
  /**
   * What the statement may have to wait for because others lock it, such as the id of an account: what contends for
   * something else does not wait with it. Without it, statements of the same text are taken to contend with each other.
   */
  lockKey?: string;
  /**
   * It is planned each time, by how large the tables are then, and not once: for what is empty at one moment and large at the
   * next, as queues are.
   */
  planned?: 'each time';
}

const executors = new WeakMap<DataSource, Executors>();

/** Decides how the statements of a DataSource run; called once, when a store is opened. */
export const useExecutors = (dataSource: DataSource, own: Executors): void => void executors.set(dataSource, own);

/** As many texts have a name; beyond it they are parsed each time, which is slower but right. */
const MAX_NAMES = 1000;
const names = new Map<string, string>();
let named = 0;

/** Runs a statement in the transaction of `db`, or outside of any when `db` has none, and returns its rows. */
export function run<R = ObjectLiteral>(
  db: EntityManager,
  statement: Statement,
  options: RunOptions = {},
): Promise<R[]> {
  // asked here as well: what is done for every statement is to cost nothing where nobody wants spans
  return isTracing() ? tracedStatement(statement, () => ask<R>(db, statement, options)) : ask(db, statement, options);
}

/** A span for a statement, in the terms of OpenTelemetry's conventions; values never stand in its text. */
export function tracedStatement<R>({ text }: Pick<Statement, 'text'>, work: () => Promise<R>): Promise<R> {
  return traced(() => {
    const operation = /^\s*(\w+)/.exec(text)?.[1].toUpperCase() ?? 'SQL';
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text };
    return { name: operation, kind: 'CLIENT', attributes };
  }, work);
}

async function ask<R>(
  db: EntityManager,
  statement: Statement,
  { large = false, lockKey, planned }: RunOptions,
): Promise<R[]> {
  const executor = db.queryRunner ? await inTransaction(db) : outside(db.dataSource, large, lockKey);
  const { text, values } = statement;
  const name = planned ? undefined : nameOf(text);
  try {
    return (await executor({ name, text, values })).rows as R[];
  } catch (error) {
    // pg made it when the answer came, and it would not say who had asked
    if (error instanceof Error) Error.captureStackTrace(error);
    if (!name || !isOutdated(error)) throw error;
    rename(text, name);
    if (db.queryRunner) throw error;
    return (await executor({ name: nameOf(text), text, values })).rows as R[];
  }
}

/** Runs work in a transaction, which may have to wait for what `lockKey` names (see RunOptions). */
export function inTransactionFor<R>(
  db: EntityManager,
  lockKey: string,
  work: (tx: EntityManager) => Promise<R>,
): Promise<R> {
  const bulkhead = executors.get(db.dataSource)?.bulkhead;
  const whole = () => db.transaction(work);
  return bulkhead ? bulkhead.run(lockKey, whole) : whole();
}

async function inTransaction({ queryRunner, dataSource }: EntityManager): Promise<Executor> {
  // its connection may be somebody else's by now
  if (!queryRunner || queryRunner.isReleased) throw new Error('The transaction of this EntityManager is over.');
  const client = (await queryRunner.connect()) as PoolClient;
  const query = executors.get(dataSource)?.inTransaction ?? plainQuery;
  return (config) => query(client, config);
}

function outside(dataSource: DataSource, large: boolean, lockKey?: string): Executor {
  assertOutsideTransaction(dataSource);
  const own = executors.get(dataSource);
  if (own) return large ? own.large : (config) => own.small(config, lockKey);
  return poolExecutor(poolOf(dataSource), plainQuery);
}

/** The pool that TypeORM's driver opened. */
export const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as unknown as { master: Pool }).master;

/**
 * Asks on a connection of the pool and keeps it whatever SQL error comes back. `pool.query` would throw it away, which
 * the embedded store, whose connections are all the same object, does not survive: later answers get mixed up.
 */
export const poolExecutor =
  (pool: Pool, query: ClientQuery): Executor =>
  async (config) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => void (broken = error);
    client.on('error', onError);
    try {
      return await query(client, config);
    } catch (error) {
      if (error instanceof NoAnswer) broken = error;
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  };

/** A short name per text, so that each connection has PostgreSQL parse and plan it once. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_NAMES) return known;
  const name = `m${named++}`;
  names.set(text, name);
  return name;
}

/** A migration changed what a prepared statement returns, or somebody between us and the server dropped it. */
const isOutdated = (error: unknown) => ['0A000', '26000'].includes(sqlStateOf(error).code ?? '');

/** Under another name it is prepared afresh, on every connection. */
function rename(text: string, name: string): void {
  if (names.get(text) === name) names.delete(text);
}
