import { setTimeout as pause } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { openInMemoryDatabase, type Model } from '../../../src/common/db/database.js';
import { migrate, pendingMigrations } from '../../../src/common/db/migrate.js';
import { MODEL } from './model.js';
import { SERVER } from '../../support/environment.js';
import { freshDatabase, openServer } from './stores.js';

const NAMES = ['CreateThings1700000000001', 'CreateTheRest1700000000002'];
const TABLES = `SELECT count(*)::int AS n FROM information_schema.tables WHERE table_schema = 'public'`;

it('migrate the embedded store once, and say what is pending without changing it', async () => {
  const store = await openInMemoryDatabase(MODEL);
  expect(await pendingMigrations(store)).toEqual(NAMES);
  expect(await store.dataSource.query(TABLES)).toEqual([{ n: 0 }]);
  expect(await migrate(store)).toEqual(NAMES);
  expect(await migrate(store)).toEqual([]);
  expect(await pendingMigrations(store)).toEqual([]);

  const template = await store.dump?.();
  await store.close();
  const copy = await openInMemoryDatabase(MODEL, template);
  expect(await pendingMigrations(copy)).toEqual([]);
  await copy.close();
  await copy.close();
}, 120_000);

(SERVER ? describe : describe.skip)('on a server', () => {
  it('four processes that start together run each migration once', async () => {
    const { url, drop } = await freshDatabase();
    const stores = await Promise.all([1, 2, 3, 4].map(() => openServer(url)));
    try {
      expect(await pendingMigrations(stores[0])).toEqual(NAMES);
      expect(await stores[0].dataSource.query(TABLES)).toEqual([{ n: 0 }]);
      const ran = await Promise.all(stores.map(migrate));
      expect(ran.flat()).toEqual(NAMES);
      for (const store of stores) expect(await pendingMigrations(store)).toEqual([]);
      expect(await stores[0].dataSource.query('SELECT name FROM migrations ORDER BY id')).toEqual(
        NAMES.map((name) => ({ name })),
      );
      const settings = `SELECT current_setting('statement_timeout') AS timeout, current_setting('TimeZone') AS zone,
        (SELECT count(*)::int FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE l.locktype = 'advisory' AND d.datname = current_database()) AS locks`;
      for (const store of stores) {
        expect(await store.dataSource.query(settings)).toEqual([{ timeout: '3s', zone: 'UTC', locks: 0 }]);
      }
    } finally {
      await Promise.all(stores.map((store) => store.close()));
      await drop();
    }
  });

  it('a failing migration gives the lock back and leaves nothing of itself', async () => {
    const { url, drop } = await freshDatabase();
    class Broken1700000000003 {
      async up(runner: { query(text: string): Promise<unknown> }) {
        await runner.query('CREATE TABLE half (a int)');
        await runner.query('SELECT nothing');
      }
      async down() {}
    }
    const store = await openServer(url, {
      model: { ...MODEL, migrations: [...MODEL.migrations, Broken1700000000003] },
    });
    try {
      await expect(migrate(store)).rejects.toThrow('nothing');
      expect(await pendingMigrations(store)).toEqual(['Broken1700000000003']);
      expect(await store.dataSource.query(`SELECT to_regclass('half') AS half`)).toEqual([{ half: null }]);
      await expect(migrate(store)).rejects.toThrow('nothing');
    } finally {
      await store.close();
      await drop();
    }
  });

  describe('takes the time that it needs', () => {
    class Slow1700000000003 {
      async up(runner: QueryRunner) {
        await runner.query(`SET LOCAL work_mem = '8MB'`);
        await runner.query('SELECT pg_sleep(4)');
      }
      async down() {}
    }
    class Altered1700000000004 {
      async up(runner: QueryRunner) {
        await runner.query('ALTER TABLE things ADD color varchar');
      }
      async down() {}
    }
    class Indexed1700000000005 {
      transaction = false;
      async up(runner: QueryRunner) {
        await runner.query('CREATE INDEX CONCURRENTLY things_by_note ON things (note)');
      }
      async down() {}
    }

    /** Has the migrations run beside a transaction, which ends when they waited for it for a while. */
    async function beside(statement: string, migrations: Model['migrations']): Promise<string[]> {
      const { url, drop } = await freshDatabase();
      const store = await openServer(url, { model: { ...MODEL, migrations: [...MODEL.migrations, ...migrations] } });
      const other = store.dataSource.createQueryRunner();
      try {
        const first = await openServer(url);
        await migrate(first);
        await first.close();
        await other.startTransaction();
        await other.query(statement);
        const ran = migrate(store);
        await pause(1_500);
        await other.commitTransaction();
        return await ran;
      } finally {
        await other.release();
        await store.close();
        await drop();
      }
    }

    it('for a statement, although those of requests have three seconds', async () => {
      expect(await beside('SELECT 1', [Slow1700000000003])).toEqual(['Slow1700000000003']);
    });

    it('for a lock, although another migration gave its own back meanwhile', async () => {
      expect(await beside('SELECT count(*) FROM things', [Altered1700000000004])).toEqual(['Altered1700000000004']);
    });

    it('for the transactions before an index that is built beside them', async () => {
      expect(await beside('INSERT INTO thing_events SELECT id, id FROM things', [Indexed1700000000005])).toEqual([
        'Indexed1700000000005',
      ]);
      expect(await beside('LOCK TABLE things IN ROW EXCLUSIVE MODE', [Indexed1700000000005])).toEqual([
        'Indexed1700000000005',
      ]);
    });
  });

  it('keeps what the URL asks of the session beside our own settings', async () => {
    const { url, drop } = await freshDatabase();
    const store = await openServer(`${url}?options=-c%20work_mem%3D8MB`);
    try {
      const text = `SELECT current_setting('work_mem') AS mem, current_setting('TimeZone') AS zone, current_setting('application_name') AS name`;
      expect(await store.dataSource.query(text)).toEqual([{ mem: '8MB', zone: 'UTC', name: 'marquee' }]);
    } finally {
      await store.close();
      await drop();
    }
  });
});
