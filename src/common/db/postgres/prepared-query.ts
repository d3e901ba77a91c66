import { compileFunction } from 'node:vm';
import pg, { type ClientBase, type Connection, type QueryConfig } from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { parserOf } from './type-parsers.js';

/** What came of a statement. */
export interface QueryResult {
  rows: object[];
}

/** What PostgreSQL says of a column of an answer. */
interface Field {
  name: string;
  dataTypeID: number;
}

/** Makes a row of its cells. */
type Reader = (cells: (string | null)[]) => object;

/** By what they read; there are as many as kinds of rows in our statements. */
const readers = new Map<string, Reader>();
/** For a statement that a connection prepared before, by its name; only on servers. */
const known = new WeakMap<Connection, Map<string, Reader>>();

/**
 * A statement for pg to run, whose rows it leaves to us: pg has every answer described and works out anew how to read it,
 * which costs more than the rest of a small read. Here that is done once per statement and connection.
 */
class Prepared extends pg.Query {
  readonly name?: string;
  readonly found: object[] = [];
  private readonly sent: (Buffer | string | null)[];
  private connection?: Connection;
  private reader?: Reader;

  constructor({ name, text, values = [] }: QueryConfig, done: (error: Error | null, answer: QueryResult) => void) {
    const sent = values.map(prepareValue);
    super(text, sent, (error) => done(error ?? null, { rows: this.found }));
    this.sent = sent;
    this.name = name;
  }

  /** Called by pg to send it. */
  prepare(connection: Connection): void {
    this.connection = connection;
    this.reader = this.name === undefined ? undefined : known.get(connection)?.get(this.name);
    if (!this.reader) return theirs.prepare.call(this, connection);
    // as pg does it, but for the question what the rows look like
    connection.bind({ portal: '', statement: this.name!, values: this.sent }, true);
    connection.execute({ portal: '' }, true);
    connection.sync();
  }

  /** Called by pg before the first row, unless it was not asked for. */
  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.reader = readerOf(fields);
    if (this.name !== undefined) remember(this.connection!, this.name, this.reader);
  }

  /** Called by pg for every row. */
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.found.push(this.reader!(fields));
  }
}

const theirs = pg.Query.prototype as unknown as { prepare(this: Prepared, connection: Connection): void };

/** Runs a statement on a connection, or in its turn behind those that are underway there. */
export const query = (client: Pick<ClientBase, 'query'>, config: QueryConfig): Promise<QueryResult> =>
  new Promise((resolve, reject) => {
    client.query(new Prepared(config, (error, answer) => (error ? reject(error) : resolve(answer))));
  });

function remember(connection: Connection, name: string, reader: Reader): void {
  // the embedded store's takes a statement only in the pieces that pg makes of it
  if (!(connection instanceof pg.Connection)) return;
  const own = known.get(connection);
  if (own) own.set(name, reader);
  else known.set(connection, new Map([[name, reader]]));
}

function readerOf(fields: Field[]): Reader {
  const key = fields.map(({ name, dataTypeID }) => `${dataTypeID} ${name}`).join();
  let reader = readers.get(key);
  if (!reader) readers.set(key, (reader = written(fields)));
  return reader;
}

/**
 * Written out for these columns: a function for all of them would set each field by name, and V8 cannot learn what rows
 * look like where all statements meet.
 */
function written(fields: Field[]): Reader {
  const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  const members = fields.map(({ name }, i) => {
    const value = parsers[i] ? `cells[${i}] === null ? null : parsers[${i}](cells[${i}])` : `cells[${i}]`;
    return `${JSON.stringify(name)}: ${value}`;
  });
  const make = compileFunction(`return (cells) => ({ ${members.join(', ')} });`, ['parsers']) as (p: unknown) => Reader;
  return make(parsers);
}
