import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { Database } from '../../../src/common/db/database.js';
import { migrate } from '../../../src/common/db/migrate.js';
import { inTransactionFor, run } from '../../../src/common/db/query/statement.js';
import { isOutage } from '../../../src/common/db/query/outage.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { Unavailable } from '../../../src/common/errors/unavailable.js';
import { FaultyWire } from '../../../scripts/proofs/support/faulty-wire.js';
import { Thing, thing } from './model.js';
import { freshDatabase, onEveryDriver, openServer } from './stores.js';

Logger.overrideLogger(false);

const PIPELINED = 2;
const POOL = PIPELINED + 4;
const ONE = { text: 'SELECT 1 AS one', values: [] };

onEveryDriver('a store that', (driver) => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let wire: FaultyWire;
  const endings: (() => unknown)[] = [];
  let opened: Database;
  const db = () => opened.dataSource.manager;

  beforeAll(async () => {
    database = await freshDatabase();
    const url = new URL(database.url);
    wire = await FaultyWire.to({ atEnd: (step) => endings.push(step) }, Number(url.port || 5432));
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

  describe('has a locked row', () => {
    let locker: pg.Client;
    const locked = thing();
    /** What waits for the row: a write that names it again. */
    const waiter = (contendsFor = 'its account') =>
      run(db(), { text: 'UPDATE things SET name = name WHERE id = $1', values: [locked.id] }, { contendsFor });

    beforeEach(async () => {
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
        await write(db(), [insert(Thing, [thing()])], [], { contendsFor: 'another account' });
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
