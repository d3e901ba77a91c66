import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { DataSource, EntityManager, ObjectLiteral } from 'typeorm';
import { isTracing, traced } from '../../tracing/tracing.js';
import type { LongReads } from './bulkhead.js';
import { assertOutsideTransaction } from './transaction-guard.js';
import { NoAnswer } from '../../errors/unavailable.js';
import { plainQuery, type ClientQuery, type QueryResult } from '../postgres/driver.js';
import type { Freshness } from './freshness.js';
import { sqlStateOf } from '../sqlstate.js';

/** A text with `$1`, `$2`, ... and their values. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** A pg statement with its own timeout, in milliseconds; pg's types omit it. */
export interface TimedQuery extends QueryConfig {
  query_timeout: number;
}

/** A connection for one purpose, not delayed by other statements. */
export interface OwnConnection {
  /** Runs a statement outside any transaction and returns its rows; one at a time. */
  run<R>(statement: Statement): Promise<R[]>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Adds a value as a parameter of a statement and returns its placeholder. */
export type Bind = (value: unknown) => string;

/** The values of a new statement, and the function that binds them. */
export function binding(): { bind: Bind; values: unknown[] } {
  const values: unknown[] = [];
  return { bind: (value) => `$${values.push(value)}`, values };
}

/** Runs a statement on some connection. */
export type Executor = (config: QueryConfig) => Promise<QueryResult>;

/**
 * How statements reach the database: outside a transaction those with small and those with large results, and inside
 * one.
 */
export interface Executors {
  /** `lockKey`: see RunOptions. */
  small: (config: QueryConfig, lockKey?: string) => Promise<QueryResult>;
  large: Executor;
  inTransaction: ClientQuery;
  /** Read replicas, for statements with `freshness`. */
  readReplicas?: {
    run(config: QueryConfig, large: boolean, freshness: Freshness, onPrimary: Executor): Promise<QueryResult>;
  };
  /** Absent with a single connection. */
  longReads?: LongReads;
  /** Limits concurrent transactions with the same lock key; absent with a single connection. */
  bulkhead?: { run<R>(lockKey: string, work: () => Promise<R>): Promise<R> };
  /** Connections with a session of their own; absent where all connections have one. */
  sessions?: Pool;
}

export interface RunOptions {
  /** The result may have hundreds of rows, and must not delay small ones on a shared connection. */
  large?: boolean;
  /**
   * The statement only reads, and may take long: the owner whose rows it reads, such as an account. Few of one owner run
   * at a time, and some connections for large results stay free for others.
   */
  long?: string;
  /**
   * What the statement may wait for because others lock it, such as the id of an account; statements with other keys do
   * not wait with it. By default, statements with the same text share a key.
   */
  lockKey?: string;
  /**
   * The statement is planned at each execution, by the current table sizes: for tables that alternate between empty and
   * large, such as queues.
   */
  planned?: 'each time';
  /**
   * The statement only reads and locks nothing, and a read replica that is fresh enough may run it. Nothing that a write
   * or a cache depends on may be read so. Ignored in a transaction.
   */
  freshness?: Freshness;
}

const executors = new WeakMap<DataSource, Executors>();

/** Sets how the statements of a DataSource run; called once, when a store opens. */
export const useExecutors = (dataSource: DataSource, own: Executors): void => void executors.set(dataSource, own);

/** Maximum number of named texts; beyond it they are parsed each time, which is slower but correct. */
const MAX_NAMES = 1000;
const names = new Map<string, string>();
let named = 0;

/** Runs a statement in the transaction of `db`, or outside of any when `db` has none, and returns its rows. */
export function run<R = ObjectLiteral>(
  db: EntityManager,
  statement: Statement,
  options: RunOptions = {},
): Promise<R[]> {
  // checked here too, so that statements have no overhead without tracing
  return isTracing() ? tracedStatement(statement, () => ask<R>(db, statement, options)) : ask(db, statement, options);
}

/** A span for a statement, in OpenTelemetry's conventions; its text never contains values. */
export function tracedStatement<R>({ text }: Pick<Statement, 'text'>, work: () => Promise<R>): Promise<R> {
  return traced(() => {
    const operation = /^\s*(\w+)/.exec(text)?.[1].toUpperCase() ?? 'SQL';
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text };
    return { name: operation, kind: 'CLIENT', attributes };
  }, work);
}

async function ask<R>(db: EntityManager, statement: Statement, options: RunOptions): Promise<R[]> {
  const executor = db.queryRunner ? await inTransaction(db) : outside(db.dataSource, options);
  const { planned } = options;
  const { text, values } = statement;
  const name = planned ? undefined : nameOf(text);
  try {
    return (await executor({ name, text, values })).rows as R[];
  } catch (error) {
    // pg created the error when the response arrived, so its stack lacks the caller
    if (error instanceof Error) Error.captureStackTrace(error);
    if (!name || !isOutdated(error)) throw error;
    rename(text, name);
    if (db.queryRunner) throw error;
    return (await executor({ name: nameOf(text), text, values })).rows as R[];
  }
}

export interface TransactionOptions {
  /**
   * Each `write` has a savepoint, so that one that fails does not end the transaction: for work of services that catch
   * errors and continue.
   */
  autosave?: boolean;
}

/** Runs work in a transaction, which may wait for `lockKey` (see RunOptions). */
export function inTransactionFor<R>(
  db: EntityManager,
  lockKey: string,
  work: (tx: EntityManager) => Promise<R>,
  { autosave = false }: TransactionOptions = {},
): Promise<R> {
  // within a transaction its connection is already counted
  const bulkhead = db.queryRunner ? undefined : executors.get(db.dataSource)?.bulkhead;
  const saving = (tx: EntityManager) => {
    tx.queryRunner!.data.autosave = true;
    return work(tx);
  };
  const whole = () => db.transaction(autosave ? saving : work);
  return bulkhead ? bulkhead.run(lockKey, whole) : whole();
}

/** Whether each `write` of a transaction has a savepoint; also in the savepoints of services in it. */
export const hasAutosave = ({ queryRunner }: EntityManager): boolean => queryRunner?.data.autosave === true;

async function inTransaction({ queryRunner, dataSource }: EntityManager): Promise<Executor> {
  // it ended, or its connection was lost, and may be in use by others
  if (!queryRunner || queryRunner.isReleased) throw new NoAnswer('The transaction of this EntityManager is over.');
  const client = (await queryRunner.connect()) as PoolClient;
  const query = executors.get(dataSource)?.inTransaction ?? plainQuery;
  return (config) => inTurn(client, () => query(client, config));
}

/** The last statement of each connection of a transaction. */
const latest = new WeakMap<PoolClient, Promise<unknown>>();

/** Services of one request may send statements at the same time, and pg takes one at a time. */
function inTurn<R>(client: PoolClient, ask: () => Promise<R>): Promise<R> {
  const answer = (latest.get(client) ?? Promise.resolve()).then(ask);
  latest.set(
    client,
    answer.catch(() => undefined),
  );
  return answer;
}

function outside(dataSource: DataSource, options: RunOptions): Executor {
  assertOutsideTransaction(dataSource);
  const own = executors.get(dataSource);
  const { long, lockKey, freshness } = options;
  if (own) {
    const { longReads } = own;
    if (long !== undefined && longReads) {
      const executor = outside(dataSource, { freshness, large: true });
      return (config) => longReads.run(long, () => executor(config));
    }
    const large = options.large || long !== undefined;
    const onPrimary: Executor = large ? own.large : (config) => own.small(config, lockKey);
    const { readReplicas } = own;
    if (!freshness || !readReplicas) return onPrimary;
    return (config) => readReplicas.run(config, large, freshness, onPrimary);
  }
  return poolExecutor(poolOf(dataSource), plainQuery);
}

/** The pool of TypeORM's driver. */
export const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as unknown as { master: Pool }).master;

/** A pool whose connections have sessions of their own, which keep settings between transactions. */
export const sessionPoolOf = (dataSource: DataSource): Pool =>
  executors.get(dataSource)?.sessions ?? poolOf(dataSource);

/**
 * Runs on a connection of the pool and keeps it after any SQL error. `pool.query` would discard it, which breaks the
 * embedded store, whose connections are all the same object: later results would be mixed up.
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

/** A migration changed the result of a prepared statement, or a pooler dropped it. */
export const isOutdated = (error: unknown) => ['0A000', '26000'].includes(sqlStateOf(error).code ?? '');

/** Under another name it is prepared again on every connection. */
function rename(text: string, name: string): void {
  if (names.get(text) === name) names.delete(text);
}
