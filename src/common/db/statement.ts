import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { DataSource, EntityManager, ObjectLiteral } from 'typeorm';
import { assertOutsideTransaction } from './guard.js';
import { ask, type Answer } from './prepared.js';
import { sqlStateOf } from './sqlstate.js';

/** A text with `$1`, `$2`, ... and the values that belong there. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Something that runs a statement on some connection. */
export type Ask = (config: QueryConfig) => Promise<Answer>;

/** How statements outside a transaction reach the database: those with small answers, and those with large ones. */
export interface Doors {
  small: Ask;
  large: Ask;
}

const doors = new WeakMap<DataSource, Doors>();

/** Decides how statements outside a transaction run; called once, when a store is opened. */
export const useDoors = (dataSource: DataSource, own: Doors): void => void doors.set(dataSource, own);

/** As many texts have a name; beyond it they are parsed each time, which is slower but right. */
const MOST_NAMES = 1000;
const names = new Map<string, string>();
let named = 0;

/**
 * Runs a statement in the transaction of `db`, or outside of any when `db` has none, and returns its rows. `large`:
 * the answer may have hundreds of rows, and must not hold up the small ones that share a connection.
 */
export async function run<R = ObjectLiteral>(
  db: EntityManager,
  statement: Statement,
  { large = false } = {},
): Promise<R[]> {
  const door = db.queryRunner ? await inTransaction(db) : outside(db.dataSource, large);
  const { text, values } = statement;
  const name = nameOf(text);
  try {
    return (await door({ name, text, values })).rows as R[];
  } catch (error) {
    // pg made it when the answer came, and it would not say who had asked
    if (error instanceof Error) Error.captureStackTrace(error);
    if (!name || !isOutdated(error)) throw error;
    rename(text, name);
    if (db.queryRunner) throw error;
    return (await door({ name: nameOf(text), text, values })).rows as R[];
  }
}

async function inTransaction({ queryRunner }: EntityManager): Promise<Ask> {
  // its connection may be somebody else's by now
  if (!queryRunner || queryRunner.isReleased) throw new Error('The transaction of this EntityManager is over.');
  const client = (await queryRunner.connect()) as PoolClient;
  return (config) => ask(client, config);
}

function outside(dataSource: DataSource, large: boolean): Ask {
  assertOutsideTransaction(dataSource);
  const own = doors.get(dataSource);
  if (own) return large ? own.large : own.small;
  return keeping(poolOf(dataSource));
}

/** The pool that TypeORM's driver opened. */
export const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as unknown as { master: Pool }).master;

/**
 * Asks on a connection of the pool and keeps it whatever SQL error comes back. `pool.query` would throw it away, which
 * the embedded store, whose connections are all the same object, does not survive: later answers get mixed up.
 */
export const keeping =
  (pool: Pool): Ask =>
  async (config) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => void (broken = error);
    client.on('error', onError);
    try {
      return await ask(client, config);
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  };

/** A short name per text, so that each connection has PostgreSQL parse and plan it once. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_NAMES) return known;
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
