import { randomBytes } from 'node:crypto';
import type { Config } from '../../../src/config/config.js';
import { openInMemoryDatabase, openDatabase, type Database, type Model } from '../../../src/common/db/database.js';
import { migrate } from '../../../src/common/db/migrate.js';
import { NoAnswer } from '../../../src/common/errors/unavailable.js';
import { databaseUrl, onServer, SERVER } from '../../support/environment.js';
import { MODEL } from './model.js';

/** The URL of a database that nobody has used, and what drops it. */
export async function freshDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `marquee_unit_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  return { url: databaseUrl(name), drop: async () => void (await onServer(`DROP DATABASE ${name} WITH (FORCE)`)) };
}

/** Repeats work that got no connection in the time that a request waits for one: a busy machine may need longer. */
export async function patiently<R>(work: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    }
  }
}

type Driver = Config['databaseDriver'];

interface ServerOptions {
  model?: Model;
  driver?: Driver;
  pool?: number;
  pipelined?: number;
}

/** Opens a store on a server with the settings of a small deployment. */
export const openServer = (
  databaseUrl: string,
  { model = MODEL, driver = 'fast', pool = 6, pipelined = 3 }: ServerOptions = {},
): Promise<Database> =>
  openDatabase(
    {
      mode: 'test',
      dataDir: '',
      databaseUrl,
      databaseDriver: driver,
      databasePool: pool,
      databasePipelinedConnections: pipelined,
    },
    model,
  );

/** Describes something for both drivers, where there is a server. */
export const onEveryDriver = (what: string, tests: (driver: Driver) => void): void =>
  (SERVER ? describe : describe.skip).each<Driver>(['fast', 'plain'])(`${what} (%s)`, tests);

/**
 * Describes something for the embedded store, or, where there is a server, for both drivers on it; `store()` is open and migrated
 * while its tests run.
 */
export function onEveryStore(what: string, tests: (store: () => Database) => void, model: Model = MODEL): void {
  const onServer = async (driver: Driver) => {
    const { url, drop } = await freshDatabase();
    return { store: await openServer(url, { driver, model }), drop };
  };
  const kinds: [string, () => Promise<{ store: Database; drop(): Promise<void> }>][] = SERVER
    ? [
        ['server, fast', () => onServer('fast')],
        ['server, plain', () => onServer('plain')],
      ]
    : [['embedded', async () => ({ store: await openInMemoryDatabase(model), drop: async () => undefined })]];
  describe.each(kinds)(`${what} (%s)`, (_, open) => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
      await migrate(opened.store);
    });
    afterAll(async () => {
      await opened?.store.close();
      await opened?.drop();
    });
    tests(() => opened.store);
  });
}
