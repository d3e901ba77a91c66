import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { DAY_MS } from '../../../src/common/time/days.js';
import { openInMemoryDatabase, type Database } from '../../../src/common/db/database.js';
import { migrate, pendingMigrations } from '../../../src/common/db/migrate.js';
import { run } from '../../../src/common/db/query/statement.js';
import { firstIdOf, newId } from '../../../src/common/entity/ids.js';
import { ENTITIES } from '../../../src/entities.js';
import { MIGRATIONS } from '../../../src/migrations/index.js';
import { PartitionAccountChanges1796100000000 } from '../../../src/migrations/1796100000000-PartitionAccountChanges.js';
import { SERVER } from '../../support/environment.js';
import { freshDatabase, openServer } from '../db/stores.js';

const EARLIER = MIGRATIONS.slice(0, MIGRATIONS.indexOf(PartitionAccountChanges1796100000000));
const BEFORE = { entities: ENTITIES, migrations: EARLIER };
const AFTER = { entities: ENTITIES, migrations: MIGRATIONS };
const INSERT = `INSERT INTO account_changes SELECT $1, 'a', 'CAMPAIGN', 'c', 'CREATE', now(), '1', 'API_OTHER', '{}', '{}', NULL`;
const PLACES = `SELECT id, tableoid::regclass::text AS place FROM account_changes ORDER BY id`;
const FIRST = /^account_changes_before_\d{8}$/;

const sql = <R>(store: Database, text: string, values: unknown[] = []) =>
  run<R>(store.dataSource.manager, { text, values });

/** Rows of the past, of now, and of a clock that was years ahead. */
const IDS = {
  old: firstIdOf(new Date('2024-05-01')),
  now: newId(new Date()),
  stray: firstIdOf(new Date('2061-01-01')),
};

it('the embedded store keeps every row, and its indexes', async () => {
  const before = await openInMemoryDatabase(BEFORE);
  await migrate(before);
  for (const id of Object.values(IDS)) await sql(before, INSERT, [id]);
  const template = await before.dump!();
  await before.close();
  const store = await openInMemoryDatabase(AFTER, template);
  try {
    await migrate(store);
    expect(await sql(store, PLACES)).toEqual([
      { id: IDS.old, place: expect.stringMatching(FIRST) },
      { id: IDS.now, place: expect.stringMatching(FIRST) },
      { id: IDS.stray, place: 'account_changes_default' },
    ]);
    const indexes = await sql(
      store,
      `SELECT c.relname::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'account_changes'::regclass AND i.indisvalid ORDER BY 1`,
    );
    expect(indexes).toEqual(
      ['IDX_ed2bbfca4f31ab04c048acf71c', 'PK_a653dacb3fa914a28f5b00ee0fd', 'account_changes_by_transaction'].map(
        (name) => ({ name }),
      ),
    );
  } finally {
    await store.close();
  }
}, 120_000);

(SERVER ? describe : describe.skip)('on a server', () => {
  let drop: () => Promise<void>;
  let store: Database;
  let url: string;

  beforeEach(async () => {
    ({ url, drop } = await freshDatabase());
    const before = await openServer(url, { model: BEFORE });
    await migrate(before);
    await before.close();
    store = await openServer(url, { model: AFTER });
    Logger.overrideLogger(false);
  });
  afterEach(async () => {
    await store.close();
    await drop();
  });

  /** A replica of the earlier version: it writes, by a prepared statement, until it is told to stop. */
  async function writing(client: pg.Client) {
    const written: string[] = [];
    let over = false;
    let longest = 0;
    const ended = (async () => {
      while (!over) {
        const id = newId(new Date());
        const began = performance.now();
        await client.query({ name: 'write', text: INSERT, values: [id] });
        longest = Math.max(longest, performance.now() - began);
        written.push(id);
      }
    })();
    return async () => {
      over = true;
      await ended;
      return { written, longest };
    };
  }

  async function connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query('SET plan_cache_mode = force_generic_plan');
      return await work(client);
    } finally {
      await client.end();
    }
  }

  it('nothing that is written meanwhile is lost or rejected', async () => {
    for (const id of Object.values(IDS)) await sql(store, INSERT, [id]);
    await connected(async (client) => {
      const stop = await writing(client);
      await migrate(store);
      await pause(100);
      const { written } = await stop();
      expect(written.length).toBeGreaterThan(10);
      const stored = await sql<{ id: string; place: string }>(store, PLACES);
      expect(stored.map(({ id }) => id)).toEqual([...Object.values(IDS), ...written].sort());
      expect(stored.filter(({ place }) => !FIRST.test(place)).map(({ id }) => id)).toEqual([IDS.stray]);
    });
  });

  it('waits for those who hold a lock, and lets others pass meanwhile', async () => {
    await connected(async (holder) => {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM account_changes');
      await connected(async (client) => {
        const stop = await writing(client);
        const migrated = migrate(store);
        await pause(2_000);
        expect(await pendingMigrations(store)).toContain('PartitionAccountChanges1796100000000');
        await holder.query('COMMIT');
        await migrated;
        const { written } = await stop();
        expect(await sql(store, 'SELECT count(*)::int AS n FROM account_changes')).toEqual([{ n: written.length }]);
      });
    });
  });

  it('can be repeated after it ended in the middle', async () => {
    for (const id of Object.values(IDS)) await sql(store, INSERT, [id]);
    // as an attempt of the week before leaves it
    const soon = new Date(Date.now() - 7 * DAY_MS);
    await connected(async (client) => {
      await client.query(
        `CREATE TABLE account_changes_default (LIKE account_changes INCLUDING DEFAULTS, CONSTRAINT "PK_account_changes_default" PRIMARY KEY (id))`,
      );
      await client.query(
        `ALTER TABLE account_changes ADD CONSTRAINT account_changes_bound CHECK (id < '${firstIdOf(soon)}') NOT VALID`,
      );
      await client.query(
        `WITH moved AS (DELETE FROM account_changes WHERE id >= '${firstIdOf(soon)}' RETURNING *) INSERT INTO account_changes_default SELECT * FROM moved`,
      );
    });
    await migrate(store);
    expect(await sql(store, PLACES)).toEqual([
      { id: IDS.old, place: expect.stringMatching(FIRST) },
      { id: IDS.now, place: expect.stringMatching(FIRST) },
      { id: IDS.stray, place: 'account_changes_default' },
    ]);
  });

  it('every partition has the privileges of the table, and only who may change rows changes partitions', async () => {
    const role = `marquee_reader_${process.pid}`;
    await connected(async (client) => {
      await client.query(`CREATE ROLE ${role}`);
      try {
        await client.query(`GRANT SELECT, INSERT ON account_changes TO ${role}`);
        await migrate(store);
        const { rows } = await client.query<{ name: string }>(
          `SELECT c.relname AS name FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relname LIKE 'account_changes%'
            AND has_table_privilege($1, c.oid, 'SELECT') AND has_table_privilege($1, c.oid, 'INSERT') AND NOT has_table_privilege($1, c.oid, 'DELETE')`,
          [role],
        );
        expect(rows.length).toBeGreaterThanOrEqual(4);
        const [first] = rows.map(({ name }) => name).filter((name) => FIRST.test(name));
        await client.query(`GRANT USAGE ON SCHEMA public TO ${role}; SET SESSION AUTHORIZATION ${role}`);
        const drop = client.query(`SELECT marquee_drop_partition('account_changes', $1)`, [first]);
        await expect(drop).rejects.toThrow(`${role} may not delete from account_changes`);
        const copy = client.query(`SELECT marquee_new_partition('account_changes', 'mine')`);
        await expect(copy).rejects.toThrow('permission denied for function');
        const far = client.query(`SELECT marquee_add_partition('account_changes', 'account_changes_x', 'y', 'z')`);
        expect((await far).rows).toEqual([{ marquee_add_partition: 'created' }]);
      } finally {
        await client.query('RESET SESSION AUTHORIZATION');
        await client.query(`DROP OWNED BY ${role}`);
        await client.query(`DROP ROLE ${role}`);
      }
    });
  });
});
