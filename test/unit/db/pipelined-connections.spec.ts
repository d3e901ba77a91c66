import { setTimeout as pause } from 'node:timers/promises';
import { PipelinedConnections } from '../../../src/common/db/postgres/pipelined-connections.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { sqlStateOf } from '../../../src/common/db/query/sqlstate.js';
import type { Database } from '../../../src/common/db/database.js';
import { migrate } from '../../../src/common/db/migrate.js';
import { Thing, thing } from './model.js';
import { onServer, SERVER } from '../../support/environment.js';
import { freshDatabase, openServer } from './stores.js';

const LANES = 3;

(SERVER ? describe : describe.skip)('lanes', () => {
  let opened: Database;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  const db = () => opened.dataSource.manager;
  const ask = async (n: number) => (await run<{ n: number }>(db(), { text: 'SELECT $1::int8 AS n', values: [n] }))[0].n;
  const whoAnswers = async () =>
    (await run<{ pid: number }>(db(), { text: 'SELECT pg_backend_pid() AS pid, pg_sleep(0.01)', values: [] }))[0].pid;
  const sessions = () => new Set<number>();

  beforeAll(async () => {
    database = await freshDatabase();
    opened = await openServer(database.url, undefined, { pool: LANES + 2, lanes: LANES });
    await migrate(opened);
  });
  afterAll(async () => {
    await opened.close();
    await database.drop();
  });

  it('give every one of two thousand statements its own answer, failing ones among them', async () => {
    const taken = thing();
    await write(db(), [insert(Thing, [taken])]);
    const answers = await Promise.all(
      Array.from({ length: 2_000 }, (_, n) =>
        n % 5 === 0
          ? write(db(), [insert(Thing, [taken])]).catch((error: unknown) => sqlStateOf(error).code)
          : n % 11 === 0
            ? run<{ n: number }>(db(), { text: `SELECT ${n % 50}::int8 / $1::int8 AS n`, values: [0] }).catch(
                (error: unknown) => sqlStateOf(error).code,
              )
            : ask(n),
      ),
    );
    expect(answers).toEqual(answers.map((_, n) => (n % 5 === 0 ? '23505' : n % 11 === 0 ? '22012' : n)));
  });

  it('spread a burst over all of them, and no further', async () => {
    const pids = sessions();
    for (const pid of await Promise.all(Array.from({ length: 30 }, whoAnswers))) pids.add(pid);
    expect(pids.size).toBe(LANES);
  });

  it('leave transactions to connections of their own', async () => {
    const lanes = new Set(await Promise.all(Array.from({ length: 30 }, whoAnswers)));
    await db().transaction(async (tx) => {
      const [{ pid }] = await run<{ pid: number }>(tx, { text: 'SELECT pg_backend_pid() AS pid', values: [] });
      expect(lanes.has(pid)).toBe(false);
    });
  });

  it('time out alone: those behind a slow statement are answered', async () => {
    const limit = { text: `SELECT set_config('statement_timeout', '200', false)`, values: [] };
    await Promise.all(Array.from({ length: LANES }, () => run(db(), limit)));
    const outcomes = await Promise.all(
      Array.from({ length: LANES * 3 }, (_, n) =>
        run(db(), { text: 'SELECT pg_sleep($1)', values: [n === 0 ? 3 : 0] }).then(
          () => 'answered',
          (error: unknown) => sqlStateOf(error).code,
        ),
      ),
    );
    expect(outcomes).toEqual(['57014', ...Array<string>(LANES * 3 - 1).fill('answered')]);
  });

  it('fail what was underway when they are killed, and work again', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const underway = Promise.allSettled(
      Array.from({ length: 40 }, () => run(db(), { text: 'SELECT pg_sleep(0.5)', values: [] })),
    );
    await pause(100);
    await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    expect((await underway).every(({ status }) => status === 'rejected')).toBe(true);
    await pause(50);
    expect(await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n)))).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
    expect(await db().query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await db().transaction((tx) => tx.query('SELECT 2 AS two'))).toEqual([{ two: 2 }]);
    expect(await run(db(), { text: 'SELECT 3 AS three', values: [] }, { large: true })).toEqual([{ three: 3 }]);
  });

  it('survive the death of an idle connection', async () => {
    const name = new URL(database.url).pathname.slice(1);
    for (let round = 0; round < 3; round++) {
      await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
      await pause(50);
      expect(await ask(round)).toBe(round);
      expect(await db().query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    }
  });

  it('refuse once they are closed, which may be done twice', async () => {
    const closed = await openServer(database.url, undefined, { pool: 4, lanes: 2 });
    await run(closed.dataSource.manager, { text: 'SELECT 1', values: [] });
    await closed.close();
    await closed.close();
    await expect(run(closed.dataSource.manager, { text: 'SELECT 1', values: [] })).rejects.toThrow('closed');
  });

  it('answer what is underway before they close', async () => {
    const closing = await openServer(database.url, undefined, { pool: 4, lanes: 2 });
    const underway = Promise.all(
      Array.from({ length: 10 }, () =>
        run(closing.dataSource.manager, { text: 'SELECT 1 AS n, pg_sleep(0.02)', values: [] }),
      ),
    );
    await pause(20);
    await closing.close();
    expect(await underway).toHaveLength(10);
  });

  it('fail, and nothing worse, while the server cannot be reached', async () => {
    const lanes = new PipelinedConnections({ connectionString: 'postgres://x@127.0.0.1:1/x' }, 2);
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.allSettled(Array.from({ length: 5 }, () => lanes.query({ text: 'SELECT 1' })));
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    }
    await lanes.close();
  });
});
