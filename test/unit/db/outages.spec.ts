import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { Database } from '../../../src/common/db/database.js';
import { migrate } from '../../../src/common/db/migrate.js';
import type { EntityManager } from 'typeorm';
import { inTransactionFor, run } from '../../../src/common/db/query/statement.js';
import { isOutage } from '../../../src/common/db/query/outage.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { Unavailable } from '../../../src/common/errors/unavailable.js';
import { FaultyWire } from '../../../scripts/proofs/support/faulty-wire.js';
import { Postgres, program } from '../../../scripts/proofs/support/postgres.js';
import { Stage } from '../../../scripts/proofs/support/stage.js';
import { reachServer } from '../../../src/common/db/reach-server.js';
import { Thing, thing } from './model.js';
import { freshDatabase, onEveryDriver, openServer } from './stores.js';

Logger.overrideLogger(false);

const hasPostgres = ((): boolean => {
  try {
    return program('initdb') !== '' && program('pg_basebackup') !== '';
  } catch {
    return false;
  }
})();
const PIPELINED = 2;
const POOL = PIPELINED + 4;
const ONE = { text: 'SELECT 1 AS one', values: [] };

onEveryDriver('a store that', (driver) => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let wire: FaultyWire;
  let port: number;
  const endings: (() => unknown)[] = [];
  let opened: Database;
  const db = () => opened.dataSource.manager;

  beforeAll(async () => {
    database = await freshDatabase();
    const url = new URL(database.url);
    port = Number(url.port || 5432);
    wire = await FaultyWire.to({ atEnd: (step) => endings.push(step) }, port);
    url.host = `127.0.0.1:${wire.port}`;
    opened = await openServer(url.href, { driver, pool: POOL, pipelined: PIPELINED });
    await migrate(opened);
  });
  afterAll(async () => {
    await opened.close();
    for (const end of endings) await end();
    await database.drop();
  });

  /** What becomes of a piece of work, and whether it did within five seconds. */
  async function outcomeOf(work: Promise<unknown>): Promise<'done' | 'refused' | 'still waiting' | Error> {
    const late = new AbortController();
    const outcome = await Promise.race([
      work.then(
        () => 'done' as const,
        (error: Error) => (isOutage(error) ? 'refused' : error),
      ),
      pause(5_000, 'still waiting' as const, { signal: late.signal }),
    ]);
    late.abort();
    return outcome;
  }
  const everyKind = () => [
    run(db(), ONE),
    run(db(), ONE, { large: true }),
    db().transaction((tx) => run(tx, ONE)),
    write(db(), [insert(Thing, [thing()])]),
  ];

  describe('falls silent', () => {
    it('keeps nobody waiting, and is asked on other connections afterwards', async () => {
      // all kinds of connections are open, and as many as there can be
      await Promise.all(Array.from({ length: POOL }, everyKind).flat());
      wire.silence();
      const outcomes = await Promise.all(everyKind().map(outcomeOf));
      expect(outcomes.filter((outcome) => outcome !== 'done' && outcome !== 'refused')).toEqual([]);
      expect(await Promise.all(Array.from({ length: POOL }, everyKind).flat().map(outcomeOf))).toEqual(
        Array(POOL * 4).fill('done'),
      );
      expect(await opened.answers()).toBe(true);
    });

    it('refuses while new connections are silent, too, says so, and works again', async () => {
      await Promise.all(everyKind());
      wire.sever();
      expect(await Promise.all(everyKind().map(outcomeOf))).toEqual(Array(4).fill('refused'));
      expect(await opened.answers()).toBe(false);
      wire.mend();
      await pause(1_600);
      expect(await opened.answers()).toBe(true);
      expect(await Promise.all(everyKind().map(outcomeOf))).toEqual(Array(4).fill('done'));
    });

    it('gives a connection for one purpose another one', async () => {
      const own = opened.openConnection();
      await own.run(ONE);
      wire.silence();
      await expect(own.run(ONE)).rejects.toThrow(Unavailable);
      expect(await own.run(ONE)).toEqual([{ one: 1 }]);
      await own.close();
      // what is lost is found out about by whoever uses it first
      await Promise.allSettled(everyKind());
    });
  });

  describe('loses connections in the middle of work', () => {
    /** Ends all connections, as an administrator or so that the server says nothing. */
    const cut = async (quietly: boolean) => {
      if (quietly) return wire.leadTo(port);
      const admin = new pg.Client({ connectionString: database.url });
      await admin.connect();
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await admin.end();
    };

    type Step = (tx: EntityManager) => Promise<unknown>;
    const steps: [string, Step][] = [
      ['a statement', (tx) => run(tx, ONE)],
      ['a write', (tx) => write(tx, [insert(Thing, [thing()])])],
      ['a savepoint', (tx) => tx.transaction((inner) => run(inner, ONE))],
      ['a repository', (tx) => tx.getRepository(Thing).find({ take: 1 })],
      ['nothing but the commit', () => Promise.resolve()],
    ];

    it.each(steps.flatMap(([what, step]) => [true, false].map((quietly) => ({ what, step, quietly }))))(
      'refuses before $what, quietly: $quietly',
      async ({ step, quietly }) => {
        const outcomes = [];
        for (const isNested of [false, true]) {
          const work = async (tx: EntityManager) => {
            await run(tx, ONE);
            await cut(quietly);
            // the loss may be noticed before the next statement, or by it
            if (isNested) await pause(50);
            await step(tx);
          };
          const whole = isNested
            ? inTransactionFor(db(), 'an account', (tx) => tx.transaction(work), { autosave: true })
            : db().transaction(work);
          outcomes.push(await outcomeOf(whole));
        }
        expect(outcomes).toEqual(['refused', 'refused']);
        while ((await outcomeOf(Promise.all(everyKind()))) !== 'done') await pause(50);
      },
    );

    it('refuses statements in progress of every kind', async () => {
      const slow = { text: 'SELECT pg_sleep(3)', values: [] };
      for (const quietly of [true, false]) {
        const works = [
          run(db(), slow),
          run(db(), slow, { large: true }),
          db().transaction((tx) => run(tx, slow)),
          db().query(slow.text),
          db().transaction((tx) => tx.query(slow.text)),
        ].map(outcomeOf);
        await pause(200);
        await cut(quietly);
        expect(await Promise.all(works)).toEqual(works.map(() => 'refused'));
        while ((await outcomeOf(Promise.all(everyKind()))) !== 'done') await pause(50);
      }
    });
  });

  describe('has a locked row', () => {
    let locker: pg.Client;
    const locked = thing();
    /** What waits for the row: a write that names it again. */
    const waiter = (lockKey = 'its account') =>
      run(db(), { text: 'UPDATE things SET name = name WHERE id = $1', values: [locked.id] }, { lockKey });

    beforeEach(async () => {
      // after a silence it may be taken for dead until it is asked again
      while (!(await opened.answers())) await pause(20);
      await db().query('DELETE FROM things');
      await write(db(), [insert(Thing, [locked])]);
      locker = new pg.Client({ connectionString: database.url });
      await locker.connect();
      await locker.query('BEGIN');
      await locker.query('SELECT 1 FROM things WHERE id = $1 FOR UPDATE', [locked.id]);
    });
    afterEach(() => locker.end());

    it('serves everything else meanwhile, however much waits for it', async () => {
      const waiting = Promise.allSettled([
        ...Array.from({ length: 40 }, () => waiter()),
        ...Array.from({ length: 10 }, () =>
          inTransactionFor(db(), 'its account', (tx) =>
            run(tx, { text: 'UPDATE things SET name = name WHERE id = $1', values: [locked.id] }),
          ),
        ),
      ]);
      let served = 0;
      let over = false;
      void waiting.then(() => (over = true));
      while (!over) {
        await run(db(), ONE);
        await run(db(), ONE, { large: true });
        await write(db(), [insert(Thing, [thing()])], [], { lockKey: 'another account' });
        await inTransactionFor(db(), 'another account', (tx) => run(tx, ONE));
        served++;
      }
      expect(served).toBeGreaterThan(10);
      for (const outcome of await waiting) {
        expect(outcome.status).toBe('rejected');
        expect(isOutage((outcome as PromiseRejectedResult).reason)).toBe(true);
      }
    });

    it('stores what waited when the lock is let go in time', async () => {
      // both connections for what waits are open, so that nothing but the lock is waited for
      await Promise.all([1, 2].map(() => db().transaction((tx) => run(tx, ONE))));
      const waiting = [waiter(), waiter(), waiter('something else')];
      await pause(150);
      await locker.query('COMMIT');
      expect(await Promise.all(waiting.map(outcomeOf))).toEqual(['done', 'done', 'done']);
    });
  });
});

(hasPostgres ? describe : describe.skip).each(['fast', 'plain'] as const)('a store whose address (%s)', (driver) => {
  const stage = new Stage();
  let primary: Postgres;
  let standby: Postgres;
  let wire: FaultyWire;
  let opened: Database;
  const works = () => [
    run(opened.dataSource.manager, ONE, { large: true }),
    write(opened.dataSource.manager, [insert(Thing, [thing()])]),
    opened.dataSource.manager.transaction((tx) => write(tx, [insert(Thing, [thing()])])),
  ];
  const untilServed = async (served: boolean) => {
    while ((await opened.answers()) !== served) await pause(20);
  };

  beforeAll(async () => {
    primary = await Postgres.start(stage, ['fsync=off']);
    wire = await FaultyWire.to(stage, primary.port);
    const url = new URL(primary.url);
    url.port = `${wire.port}`;
    opened = await openServer(url.href, { driver });
    await migrate(opened);
    standby = await primary.standby();
  }, 60_000);
  afterAll(async () => {
    await opened?.close();
    await stage.end();
  }, 30_000);

  it('leads to a standby refuses everything until it leads to the primary again, and takes no connection along', async () => {
    await Promise.all(works());
    const own = opened.openConnection();
    wire.leadTo(standby.port);
    await untilServed(false);
    while (!opened.isReadOnly()) await pause(20);
    for (const outcome of await Promise.allSettled(works())) {
      expect(outcome.status).toBe('rejected');
      expect(isOutage((outcome as PromiseRejectedResult).reason)).toBe(true);
    }
    const created = own.run({ text: 'CREATE TABLE on_a_standby ()', values: [] });
    await expect(created).rejects.toMatchObject({ code: '25006' });
    await expect(created.catch((error: unknown) => isOutage(error))).resolves.toBe(true);

    wire.leadTo(primary.port, { stay: true });
    await untilServed(true);
    expect(opened.isReadOnly()).toBe(false);
    await Promise.all(Array.from({ length: 8 }, works).flat());
    await own.run({ text: 'CREATE TABLE on_the_primary ()', values: [] });
    await own.run({ text: 'DROP TABLE on_the_primary', values: [] });
    await own.close();
  });

  it('whose synchronous standby is missing is reported as such until its commits continue', async () => {
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    const requireStandby = async (setting: string) => {
      await client.query(`ALTER SYSTEM ${setting}`);
      await client.query('SELECT pg_reload_conf()');
    };
    expect(opened.commitsWaiting()).toBe(0);
    await requireStandby(`SET synchronous_standby_names = 'missing'`);
    await pause(500);
    const written = run(opened.dataSource.manager, { text: 'CREATE TABLE waited_for ()', values: [] });
    try {
      while (opened.commitsWaiting() === 0) await pause(20);
      expect(await opened.answers()).toBe(true);
    } finally {
      await requireStandby('RESET synchronous_standby_names');
      await client.end();
    }
    await written.catch((error: unknown) => expect(isOutage(error)).toBe(true));
    while (opened.commitsWaiting() > 0) await pause(20);
  });

  it('leads to a standby waits for it at a start, and says so when that takes too long', async () => {
    await expect(reachServer(standby.url)).rejects.toThrow(
      /^DATABASE_URL: the server at 127\.0\.0\.1:\d+ is read-only, such as a standby; promote it, or name the primary\.$/,
    );
  });

  it('leads to a standby that is promoted serves again', async () => {
    wire.leadTo(standby.port);
    await untilServed(false);
    await primary.stop();
    await standby.promote();
    await untilServed(true);
    await Promise.all(Array.from({ length: 8 }, works).flat());
  });
});
