import pg, { type ClientBase, type QueryConfig } from 'pg';
import { types } from './driver.js';

/** What came of a statement. */
export interface Answer {
  rows: object[];
}

/** What PostgreSQL says of a column of an answer. */
interface Field {
  name: string;
  dataTypeID: number;
}

/** How the rows of an answer are read. */
interface Reader {
  readonly fields: Field[];
  read(cells: (string | null)[]): object;
}

/** By the name of the statement; there are not many. */
const readers = new Map<string, Reader>();

/**
 * A statement for pg to run, whose rows it leaves to us: pg works out anew for every answer how to read it, which costs
 * more than the rest of a small read. Here that is done once per name.
 */
class Prepared extends pg.Query {
  readonly name?: string;
  readonly found: object[] = [];
  private reader?: Reader;

  constructor({ name, text, values }: QueryConfig, done: (error: Error | null, answer: Answer) => void) {
    super(text, values, (error) => done(error ?? null, { rows: this.found }));
    this.name = name;
  }

  /** Called by pg before the first row. */
  handleRowDescription({ fields }: { fields: Field[] }): void {
    const known = this.name === undefined ? undefined : readers.get(this.name);
    this.reader = known && sameFields(known.fields, fields) ? known : readerOf(fields);
    if (this.name !== undefined) readers.set(this.name, this.reader);
  }

  /** Called by pg for every row. */
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.found.push(this.reader!.read(fields));
  }
}

/** Runs a statement on a connection, or in its turn behind those that are underway there. */
export const ask = (client: Pick<ClientBase, 'query'>, config: QueryConfig): Promise<Answer> =>
  new Promise((resolve, reject) => {
    client.query(new Prepared(config, (error, answer) => (error ? reject(error) : resolve(answer))));
  });

/** A migration may have changed what a text returns on connections that were opened since. */
const sameFields = (known: Field[], fields: Field[]): boolean =>
  known.length === fields.length &&
  known.every(({ name, dataTypeID }, i) => fields[i].name === name && fields[i].dataTypeID === dataTypeID);

function readerOf(fields: Field[]): Reader {
  const columns = fields.map(({ name, dataTypeID }) => ({
    name,
    parse: types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown,
  }));
  const names = Object.create(null) as Record<string, unknown>;
  for (const { name } of columns) names[name] = null;
  // copied from a table of names it is an object that is quick to copy in turn
  const empty = { ...names };
  return {
    fields,
    read(cells) {
      const row = { ...empty };
      for (let i = 0; i < cells.length; i++) {
        const cell = cells[i];
        if (cell !== null) row[columns[i].name] = columns[i].parse(cell);
      }
      return row;
    },
  };
}
