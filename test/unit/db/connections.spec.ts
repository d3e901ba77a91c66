import { setTimeout as pause } from 'node:timers/promises';
import { PipelinedConnections } from '../../../src/common/db/postgres/fast/pipelined-connections.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { sqlStateOf } from '../../../src/common/db/sqlstate.js';
import type { Database } from '../../../src/common/db/database.js';
import { migrate } from '../../../src/common/db/migrate.js';
import { Thing, thing } from './model.js';
import { onServer } from '../../support/environment.js';
import { freshDatabase, onEveryDriver, openServer, patiently } from './stores.js';

const PIPELINED = 3;
const POOL = PIPELINED + 2;

onEveryDriver('connections', (driver) => {
  let opened: Database;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  /** How many connections run what is outside transactions. */
  const shared = driver === 'fast' ? PIPELINED : POOL - 1;
  const db = () => opened.dataSource.manager;
  const ask = async (n: number) => (await run<{ n: number }>(db(), { text: 'SELECT $1::int8 AS n', values: [n] }))[0].n;
  const whoAnswers = async () =>
    (await run<{ pid: number }>(db(), { text: 'SELECT pg_backend_pid() AS pid, pg_sleep(0.01)', values: [] }))[0].pid;
  /** Returns when the server processes have ended, so that the death of an idle connection is no longer underway. */
  const killSessions = () =>
    onServer(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${new URL(database.url).pathname.slice(1)}'`,
    );

  beforeAll(async () => {
    database = await freshDatabase();
    opened = await openServer(database.url, { driver, pool: POOL, pipelined: PIPELINED });
    await migrate(opened);
  });
  afterAll(async () => {
    await opened.close();
    await database.drop();
  });

  it('are those of the driver that was asked for', () => {
    expect(opened.driverFallback).toBeUndefined();
  });

  // in a pool each waits for a connection, and only so long
  const many = driver === 'fast' ? 2_000 : 400;
  it(`give every one of ${many} statements its own answer, failing ones among them`, async () => {
    const taken = thing();
    await write(db(), [insert(Thing, [taken])]);
    const answers = await Promise.all(
      Array.from({ length: many }, (_, n) =>
        n % 5 === 0
          ? patiently(() => write(db(), [insert(Thing, [taken])])).catch((error: unknown) => sqlStateOf(error).code)
          : n % 11 === 0
            ? patiently(() => run(db(), { text: `SELECT ${n % 50}::int8 / $1::int8 AS n`, values: [0] })).catch(
                (error: unknown) => sqlStateOf(error).code,
              )
            : patiently(() => ask(n)),
      ),
    );
    expect(answers).toEqual(answers.map((_, n) => (n % 5 === 0 ? '23505' : n % 11 === 0 ? '22012' : n)));
  });

  it('share a burst, and are no more than configured', async () => {
    const pids = new Set(await Promise.all(Array.from({ length: 30 }, whoAnswers)));
    expect(pids.size).toBe(shared);
  });

  if (driver === 'fast') {
    it('leave transactions to connections of their own', async () => {
      const pipelined = new Set(await Promise.all(Array.from({ length: 30 }, whoAnswers)));
      await db().transaction(async (tx) => {
        const [{ pid }] = await run<{ pid: number }>(tx, { text: 'SELECT pg_backend_pid() AS pid', values: [] });
        expect(pipelined.has(pid)).toBe(false);
      });
    });
  }

  it('time out alone: those behind a slow statement are answered', async () => {
    const limit = { text: `SELECT set_config('statement_timeout', '200', false), pg_sleep(0.01)`, values: [] };
    await Promise.all(Array.from({ length: shared }, () => run(db(), limit)));
    const outcomes = await Promise.all(
      Array.from({ length: shared * 3 }, (_, n) =>
        run(db(), { text: 'SELECT pg_sleep($1)', values: [n === 0 ? 3 : 0] }).then(
          () => 'answered',
          (error: unknown) => sqlStateOf(error).code,
        ),
      ),
    );
    expect(outcomes).toEqual(['57014', ...Array<string>(shared * 3 - 1).fill('answered')]);
  });

  it('fail what was underway when they are killed, and work again', async () => {
    const underway = Promise.allSettled(
      Array.from({ length: shared }, () => run(db(), { text: 'SELECT pg_sleep(0.5)', values: [] })),
    );
    await pause(100);
    await killSessions();
    expect((await underway).every(({ status }) => status === 'rejected')).toBe(true);
    await pause(50);
    expect(await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n)))).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
    expect(await db().query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await db().transaction((tx) => tx.query('SELECT 2 AS two'))).toEqual([{ two: 2 }]);
    expect(await run(db(), { text: 'SELECT 3 AS three', values: [] }, { large: true })).toEqual([{ three: 3 }]);
  });

  if (driver === 'fast') {
    it('fail also what was sent behind the statement that was running', async () => {
      const underway = Promise.allSettled(
        Array.from({ length: PIPELINED * 10 }, () => run(db(), { text: 'SELECT pg_sleep(0.5)', values: [] })),
      );
      await pause(100);
      await killSessions();
      expect((await underway).every(({ status }) => status === 'rejected')).toBe(true);
      await pause(50);
      expect(await ask(7)).toBe(7);
    });
  }

  it('survive the death of an idle connection', async () => {
    for (let round = 0; round < 3; round++) {
      await killSessions();
      await pause(50);
      expect(await ask(round)).toBe(round);
      expect(await db().query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    }
  });

  it('refuse once they are closed, which may be done twice', async () => {
    const closed = await openServer(database.url, { driver, pool: 4, pipelined: 2 });
    await run(closed.dataSource.manager, { text: 'SELECT 1', values: [] });
    await closed.close();
    await closed.close();
    const refused = 'The connections to the database are closed.';
    await expect(run(closed.dataSource.manager, { text: 'SELECT 1', values: [] })).rejects.toThrow(refused);
    const large = run(closed.dataSource.manager, { text: 'SELECT 1', values: [] }, { large: true });
    await expect(large).rejects.toThrow(refused);
  });

  it.each([false, true])('answer what is underway before they close (large: %s)', async (large) => {
    const closing = await openServer(database.url, { driver, pool: 4, pipelined: 2 });
    const underway = Promise.all(
      Array.from({ length: 10 }, () =>
        run(closing.dataSource.manager, { text: 'SELECT 1 AS n, pg_sleep(0.02)', values: [] }, { large }),
      ),
    );
    await pause(20);
    await closing.close();
    expect(await underway).toHaveLength(10);
  });

  it('are not opened, and nothing worse happens, while the server cannot be reached', async () => {
    await expect(openServer('postgres://x@127.0.0.1:1/x', { driver })).rejects.toThrow('ECONNREFUSED');
    const pipelined = new PipelinedConnections({ connectionString: 'postgres://x@127.0.0.1:1/x' }, 2);
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.allSettled(Array.from({ length: 5 }, () => pipelined.query({ text: 'SELECT 1' })));
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    }
    await pipelined.close();
  });
});
