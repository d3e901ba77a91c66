import type { ClientConfig, QueryConfig } from 'pg';
import type { Config } from '../../../config/config.js';
import { PLAIN_DRIVER, type Driver, type QueryResult, type SharedConnections } from './driver.js';

/** Imported on demand, because an upgrade of pg may move the files it imports. */
const loadFast = async (): Promise<Driver> => (await import('./fast/fast-driver.js')).FAST_DRIVER;

export interface DriverChoice {
  driver: Driver;
  /** The reason that it is not the requested driver. */
  fallback?: Error;
}

/**
 * The requested driver, or the plain one when the fast one does not work with the installed pg: on test connections,
 * both run the same statements and must return the same results. Rejects when the plain driver cannot reach the server
 * either.
 */
export async function chooseDriver(
  wanted: Config['databaseDriver'],
  settings: ClientConfig,
  { pipelined = true, load = loadFast } = {},
): Promise<DriverChoice> {
  if (wanted === 'plain') return { driver: PLAIN_DRIVER };
  const expected = await answersOfClient(PLAIN_DRIVER, settings);
  try {
    const driver = await load();
    if ((await answersOfClient(driver, settings)) !== expected) {
      throw new Error('its answers differ from those of pg');
    }
    if (pipelined && driver.pipelined) {
      const shared = driver.pipelined({ ...settings, query_timeout: CHECK_TIMEOUT_MS }, 1);
      if ((await answersOfShared(shared)) !== expected) {
        throw new Error('its answers on a pipelined connection differ from those of pg');
      }
    }
    return { driver };
  } catch (error) {
    return { driver: PLAIN_DRIVER, fallback: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** pg's timeout for a statement of the check. */
const CHECK_TIMEOUT_MS = 2_000;
/** Timeout of the whole check, in case pg ignores the other one. */
const CHECK_LIMIT_MS = 10_000;

const ROWS: QueryConfig = {
  name: 'marquee_driver_check',
  text: `SELECT $1::text AS text, NULL::text AS none, '' AS empty, 9007199254740991 AS amount, true AS flag, 0.5::float8 AS share,
      ARRAY['a', 'b c', NULL] AS tags, '2026-01-02T03:04:05.678Z'::timestamptz AS at, '\\x00ff'::bytea AS bytes,
      '{"a": [1, null]}'::jsonb AS json, 1 AS twice, 2 AS twice FROM generate_series(1, 2)`,
};

/** Run with and without the description of the columns, before and after a failing statement. */
const CHECK: readonly QueryConfig[] = [
  { ...ROWS, values: ['plain'] },
  { ...ROWS, values: ['Größe 日本'] },
  { name: 'marquee_driver_check_error', text: 'SELECT 1 / $1::int AS n', values: [0] },
  { ...ROWS, values: [null] },
  { text: 'SELECT 1 AS one WHERE false' },
];

type Answer = object[] | { refused: unknown };

const answerOf = (result: Promise<QueryResult>): Promise<Answer> =>
  result.then(
    ({ rows }) => rows,
    (error: { code?: unknown; message?: unknown }) => {
      // an SQLSTATE is a response, a lost connection is not
      if (error.code !== '22012') throw error;
      return { refused: error.message };
    },
  );

/** The results of the check in a comparable form. */
async function answersOfClient({ Client, query }: Driver, settings: ClientConfig): Promise<string> {
  const client = new Client({ ...settings, query_timeout: CHECK_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    return await inTime(async () => {
      await client.connect();
      const answers: Answer[] = [];
      for (const config of CHECK) answers.push(await answerOf(query(client, config)));
      return JSON.stringify(answers);
    });
  } finally {
    client.end().catch(() => undefined);
  }
}

async function answersOfShared(shared: SharedConnections): Promise<string> {
  try {
    return await inTime(async () =>
      JSON.stringify(await Promise.all(CHECK.map((config) => answerOf(shared.query(config))))),
    );
  } finally {
    shared.close().catch(() => undefined);
  }
}

async function inTime<R>(work: () => Promise<R>): Promise<R> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), CHECK_LIMIT_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
