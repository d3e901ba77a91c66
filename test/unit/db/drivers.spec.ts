import fc from 'fast-check';
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import { serverSettings, type Database } from '../../../src/common/db/database.js';
import { chooseDriver } from '../../../src/common/db/postgres/choose-driver.js';
import { PLAIN_DRIVER, plainQuery, type ClientQuery, type Driver } from '../../../src/common/db/postgres/driver.js';
import { FAST_DRIVER } from '../../../src/common/db/postgres/fast/fast-driver.js';
import { run } from '../../../src/common/db/query/statement.js';
import { SERVER } from '../../support/environment.js';
import { freshDatabase, onEveryDriver, openServer } from './stores.js';

type Kind = readonly [type: string, values: fc.Arbitrary<string>];

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme', maxLength: 300 })).map((t) => t.replaceAll('\0', ''));
const instant = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
const json = fc.json().map((t) => t.replaceAll('\\u0000', ''));
const arrayOf = (elements: fc.Arbitrary<string>) =>
  fc
    .array(fc.option(elements), { maxLength: 5 })
    .map((all) => `{${all.map((each) => (each === null ? 'NULL' : JSON.stringify(each))).join()}}`);

/** Types whose values PostgreSQL reads from these texts. */
const KINDS: readonly Kind[] = [
  ['text', text],
  ['varchar', text],
  ['text[]', arrayOf(text)],
  ['varchar[]', arrayOf(text)],
  ['int2', fc.integer({ min: -32_768, max: 32_767 }).map(String)],
  ['int4', fc.integer().map(String)],
  ['int4[]', arrayOf(fc.integer().map(String))],
  ['int8', fc.maxSafeInteger().map(String)],
  ['int8[]', arrayOf(fc.maxSafeInteger().map(String))],
  ['float8', fc.oneof(fc.double(), fc.float()).map(String)],
  ['numeric', fc.double({ noDefaultInfinity: true }).map(String)],
  ['bool', fc.boolean().map(String)],
  ['bool[]', arrayOf(fc.boolean().map(String))],
  ['bytea', fc.uint8Array({ maxLength: 50 }).map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`)],
  ['uuid', fc.uuid()],
  ['timestamptz', instant.map((at) => at.toISOString())],
  ['timestamp', instant.map((at) => at.toISOString().slice(0, -1))],
  ['date', instant.map((at) => at.toISOString().slice(0, 10))],
  ['interval', fc.integer({ min: -1e6, max: 1e6 }).map((seconds) => `${seconds} seconds`)],
  ['json', json],
  ['jsonb', json],
  ['point', fc.tuple(fc.integer(), fc.integer()).map(([x, y]) => `(${x},${y})`)],
];

/** Names with a meaning for objects, for quoting, or for the order of properties; few, so that some come twice. */
const columnName = fc.oneof(
  fc.constantFrom(
    'id',
    'a',
    '__proto__',
    'constructor',
    'toString',
    '2',
    '10',
    'two words',
    `it's "quoted" \\`,
    'größe',
  ),
  text.filter((name) => name.length > 0),
);

interface Table {
  columns: { name: string; type: string }[];
  rows: (string | null)[][];
}

const table: fc.Arbitrary<Table> = fc
  .array(fc.tuple(columnName, fc.constantFrom(...KINDS)), { minLength: 1, maxLength: 12 })
  .chain((columns) =>
    fc.record({
      columns: fc.constant(columns.map(([name, [type]]) => ({ name, type }))),
      rows: fc.array(fc.tuple(...columns.map(([, [, values]]) => fc.option(values))), { minLength: 1, maxLength: 4 }),
    }),
  );

/** The statement whose answer the table is. */
function statementOf({ columns, rows }: Table, name: string) {
  const values: (string | null)[] = [];
  const bound = rows.map((row) => row.map((cell, i) => `$${values.push(cell)}::text::${columns[i].type}`).join(', '));
  const named = columns.map((column, i) => `v.c${i} AS ${pg.escapeIdentifier(column.name)}`).join(', ');
  const aliases = columns.map((_, i) => `c${i}`).join(', ');
  return { name, text: `SELECT ${named} FROM (VALUES (${bound.join('), (')})) v(${aliases})`, values };
}

/** A row with everything that tells two apart: the order of its columns, and one that is called `__proto__`. */
const entriesOf = (rows: object[]) => rows.map((row) => Object.entries(row));

(SERVER ? describe : describe.skip)('the fast driver', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let settings: pg.ClientConfig;
  const opened: pg.Client[] = [];
  const connect = async ({ Client }: Driver) => {
    const client = new Client(settings);
    opened.push(client);
    await client.connect();
    return client;
  };
  let plain: pg.Client;
  let fast: pg.Client;
  beforeAll(async () => {
    database = await freshDatabase();
    settings = serverSettings(database.url);
    [plain, fast] = [await connect(PLAIN_DRIVER), await connect(FAST_DRIVER)];
  });
  afterAll(async () => {
    await Promise.all(opened.map((client) => client.end()));
    await database.drop();
  });

  it('reads what the plain one reads, with a description of the columns and without', async () => {
    const pipelined = FAST_DRIVER.pipelined!(settings, 1);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(table, async (given) => {
        const statement = statementOf(given, `table${count++}`);
        const expected = entriesOf((await plainQuery(plain, statement)).rows);
        for (let round = 0; round < 2; round++) {
          expect(entriesOf((await FAST_DRIVER.query(fast, statement)).rows)).toEqual(expected);
        }
        const burst = await Promise.all([1, 2].map(() => pipelined.query(statement)));
        for (const { rows } of burst) expect(entriesOf(rows)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
    await pipelined.close();
  });

  it('sends the values that the plain one sends', async () => {
    const value = fc.oneof(
      text,
      fc.double(),
      fc.boolean(),
      fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') }),
      fc.constantFrom(null, undefined),
      fc.array(fc.oneof(text, fc.integer(), fc.constant(null)), { maxLength: 4 }),
      fc.dictionary(fc.string(), fc.oneof(text, fc.integer(), fc.constant(null))),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes.map((byte) => byte & 0x7f || 1))),
    );
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        const statement = { name: 'echo', text: 'SELECT $1::text AS sent', values: [given] };
        const { rows } = await plainQuery(plain, statement);
        expect((await FAST_DRIVER.query(fast, statement)).rows).toEqual(rows);
      }),
      { numRuns: 150 },
    );
  });

  it.each<[string, string]>([
    ['a row without columns', 'SELECT FROM generate_series(1, 2)'],
    ['no row', 'SELECT 1 AS n WHERE false'],
    ['a statement that answers nothing', `SET application_name = 'driver test'`],
    ['no statement', ''],
  ])('reads %s as the plain one does', async (_, sql) => {
    for (const name of ['named', undefined]) {
      const config = { text: sql, values: [], ...(name && { name: `${name} ${sql}` }) };
      const { rows } = await plainQuery(plain, config);
      for (let round = 0; round < 2; round++) expect((await FAST_DRIVER.query(fast, config)).rows).toEqual(rows);
    }
  });

  it('fails a statement one of whose values cannot be read, as the plain one does, and no other', async () => {
    const { MONEY } = pg.types.builtins;
    const parser = pg.types.getTypeParser(MONEY);
    pg.types.setTypeParser(MONEY, () => {
      throw new Error('not an amount');
    });
    try {
      for (const [client, query] of [
        [plain, plainQuery],
        [fast, FAST_DRIVER.query],
      ] as [pg.Client, ClientQuery][]) {
        const prices = { name: 'prices', text: `SELECT '1'::money AS price FROM generate_series(1, 3)` };
        await expect(query(client, prices)).rejects.toThrow('not an amount');
        expect((await query(client, { text: 'SELECT 1 AS one' })).rows).toEqual([{ one: 1 }]);
      }
    } finally {
      pg.types.setTypeParser(MONEY, parser);
    }
  });

  it('is chosen when it works, and not when the plain one was asked for', async () => {
    expect(await chooseDriver('fast', settings)).toEqual({ driver: FAST_DRIVER });
    const load = () => Promise.reject(new Error('must not be loaded'));
    expect(await chooseDriver('plain', settings, { load })).toEqual({ driver: PLAIN_DRIVER });
  });

  describe('with a pg that it does not know', () => {
    type Wire = { emit(event: string, message?: object): boolean };
    /** A client whose connection hands on other messages than today's. */
    const clientThat = (emitOtherwise: (emit: Wire['emit'], event: string, message?: object) => boolean) =>
      class extends FAST_DRIVER.Client {
        constructor(given?: pg.ClientConfig) {
          super(given);
          const wire = this.connection as unknown as Wire;
          const emit = wire.emit.bind(wire);
          wire.emit = (event, message) => emitOtherwise(emit, event, message);
        }
      };
    const emptied: Driver['pipelined'] = (own, max) => {
      const shared = FAST_DRIVER.pipelined!(own, max);
      return {
        query: async (config) => (await shared.query(config), { rows: [] }),
        inUse: shared.inUse,
        renew: () => shared.renew(),
        close: () => shared.close(),
      };
    };

    it.each<[string, () => Promise<Driver>]>([
      ['a file it imports is not there', () => Promise.reject(new Error("Cannot find module 'pg/lib/utils.js'"))],
      [
        'a method it calls is not there',
        async () => ({ ...FAST_DRIVER, query: () => Promise.reject(new TypeError('bind')) }),
      ],
      ['it answers otherwise', async () => ({ ...FAST_DRIVER, query: async () => ({ rows: [{ text: 'plain' }] }) })],
      ['its pipelined connections answer otherwise', async () => ({ ...FAST_DRIVER, pipelined: emptied })],
      [
        'rows have another form',
        async () => ({
          ...FAST_DRIVER,
          Client: clientThat((emit, event, message) => emit(event, event === 'dataRow' ? {} : message)),
        }),
      ],
      [
        'a message cannot be handled',
        async () => ({
          ...FAST_DRIVER,
          Client: clientThat((emit, event, message) => {
            if (event === 'rowDescription') throw new TypeError('fields is not iterable');
            return emit(event, message);
          }),
        }),
      ],
      [
        'an answer never ends',
        async () => {
          let connected = false;
          const Client = clientThat((emit, event, message) => {
            if (event !== 'readyForQuery') return emit(event, message);
            if (connected) return false;
            connected = true;
            return emit(event, message);
          });
          return { ...FAST_DRIVER, Client };
        },
      ],
    ])('gives way to the plain one when %s, and says why', async (_, load) => {
      const { driver, fallback } = await chooseDriver('fast', settings, { load });
      expect(driver).toBe(PLAIN_DRIVER);
      expect(fallback).toMatchObject({ message: expect.stringMatching(/./) });
    });

    it('does not stop the service when what it replaces is not there', () => {
      const missing: [object, string][] = [
        [pg.Connection.prototype, 'attachListeners'],
        [Parser.prototype, 'handlePacket'],
      ];
      for (const [prototype, method] of missing) {
        const descriptor = Object.getOwnPropertyDescriptor(prototype, method)!;
        Object.defineProperty(prototype, method, { ...descriptor, value: undefined });
        try {
          expect(() => new FAST_DRIVER.Client(settings)).toThrow(method);
        } finally {
          Object.defineProperty(prototype, method, descriptor);
        }
      }
    });
  });
});

onEveryDriver('errors', (driver) => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let store: Database;
  beforeAll(async () => {
    database = await freshDatabase();
    store = await openServer(database.url, { driver });
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it.each<[string, string, object]>([
    ['SELECT nothing', '42703', { severity: 'ERROR', position: '8' }],
    [`SELECT 'x'::int`, '22P02', { severity: 'ERROR' }],
    ['SELECT 1; SELECT 2', '42601', { severity: 'ERROR' }],
    ['SELECT $1::int', '08P01', { severity: 'ERROR' }],
  ])('of %s say who asked, and what PostgreSQL said', async (sql, code, fields) => {
    for (const db of [store.dataSource.manager]) {
      for (const large of [false, true]) {
        const error: unknown = await run(db, { text: sql, values: [] }, { large }).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(pg.DatabaseError);
        expect(error).toMatchObject({ ...fields, code });
        expect((error as Error).stack).toContain('drivers.spec');
      }
    }
    await store.dataSource
      .transaction((tx) => run(tx, { text: sql, values: [] }))
      .then(
        () => expect('an answer').toBe('an error'),
        (error: unknown) => expect(error).toMatchObject({ ...fields, code }),
      );
  });
});
