import { compileFunction } from 'node:vm';
import pg, { type Connection, type QueryConfig } from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { ClientQuery, QueryResult } from '../driver.js';
import { BoundedClient } from '../bounded-client.js';
import { parserOf } from '../type-parsers.js';

/** A column of a result, as PostgreSQL describes it. */
interface Field {
  name: string;
  dataTypeID: number;
}

/** Creates a row from its cells. */
type RowReader = (cells: (string | null)[]) => object;

/** By the names and types of the columns. Its size is the number of row types in the service's statements. */
const readers = new Map<string, RowReader>();
/** By the name of a statement that the connection has prepared and described. */
const describedStatements = new WeakMap<Connection, Map<string, RowReader>>();

/**
 * A pg query with two methods replaced. pg requests a description of the columns at each execution and recomputes how
 * to read them, which costs more than the rest of a small read. This requests it once per statement and connection, and
 * reads rows with a function generated for their columns.
 */
class PreparedQuery extends pg.Query {
  readonly name?: string;
  readonly found: object[] = [];
  private readonly encoded: (Buffer | string | null)[];
  private connection?: Connection;
  private reader?: RowReader;
  private unreadable?: Error;

  constructor({ name, text, values = [] }: QueryConfig, done: (error: Error | null, answer: QueryResult) => void) {
    const encoded = values.map(prepareValue);
    super(text, encoded, (error) => done(error ?? this.unreadable ?? null, { rows: this.found }));
    this.encoded = encoded;
    this.name = name;
  }

  /** Called by pg to send the statement. */
  prepare(connection: Connection): void {
    this.connection = connection;
    this.reader = this.name === undefined ? undefined : describedStatements.get(connection)?.get(this.name);
    if (!this.reader) return pgQuery.prepare.call(this, connection);
    // what pg sends, except the request for a description
    connection.bind({ portal: '', statement: this.name!, values: this.encoded }, true);
    connection.execute({ portal: '' }, true);
    connection.sync();
  }

  /** Called by pg when the description arrives, before the first row. */
  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.reader = readerOf(fields);
    if (this.name !== undefined) remember(this.connection!, this.name, this.reader);
  }

  /** Called by pg for every row. A value that its parser rejects fails only this statement. */
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.unreadable) return;
    try {
      this.found.push(this.reader!(fields));
    } catch (error) {
      this.unreadable = error as Error;
    }
  }
}

/** pg's own method of sending a statement, which its types omit. */
const pgQuery = pg.Query.prototype as unknown as { prepare(this: PreparedQuery, connection: Connection): void };

export const preparedQuery: ClientQuery = (client, config) =>
  new Promise((resolve, reject) => {
    const answered = client instanceof BoundedClient ? client.expectAnswer(reject) : undefined;
    const query = new PreparedQuery(config, (error, answer) => {
      answered?.();
      if (error) reject(client instanceof BoundedClient ? client.failureOf(error) : error);
      else resolve(answer);
    });
    client.query(query);
  });

function remember(connection: Connection, name: string, reader: RowReader): void {
  const own = describedStatements.get(connection);
  if (own) own.set(name, reader);
  else describedStatements.set(connection, new Map([[name, reader]]));
}

function readerOf(fields: Field[]): RowReader {
  const key = JSON.stringify(fields.map(({ name, dataTypeID }) => [dataTypeID, name]));
  let reader = readers.get(key);
  if (!reader) readers.set(key, (reader = compileReader(fields)));
  return reader;
}

/**
 * A function whose source names these columns. One function for all statements would set columns by variable names, for
 * which V8 creates slow objects.
 */
function compileReader(fields: Field[]): RowReader {
  const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  const members = fields.map(({ name }, i) => {
    const value = parsers[i] ? `cells[${i}] === null ? null : parsers[${i}](cells[${i}])` : `cells[${i}]`;
    // in a literal, "__proto__" without brackets sets the prototype
    return `${name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)}: ${value}`;
  });
  const make = compileFunction(`return (cells) => ({ ${members.join(', ')} });`, ['parsers']) as (
    parsers: unknown,
  ) => RowReader;
  return make(parsers);
}
