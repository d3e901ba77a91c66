import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { PgBouncer, pgbouncerProgram } from '../../../scripts/proofs/support/pgbouncer.js';
import { Postgres } from '../../../scripts/proofs/support/postgres.js';
import { Stage } from '../../../scripts/proofs/support/stage.js';
import { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import { openDatabase, type Database } from '../../../src/common/db/database.js';
import { migrate } from '../../../src/common/db/migrate.js';
import { run } from '../../../src/common/db/query/statement.js';
import { reachServer, reachServers } from '../../../src/common/db/reach-server.js';
import { roleSettings } from '../../../src/common/db/role-settings.js';
import { StartFailure } from '../../../src/common/start-failure.js';
import { SERVER } from '../../support/environment.js';
import { MODEL } from './model.js';
import { freshDatabase, openServer } from './stores.js';

Logger.overrideLogger(false);

(SERVER && pgbouncerProgram() ? describe : describe.skip)('a pooler in transaction mode', () => {
  const stage = new Stage();
  const drops: (() => Promise<void>)[] = [];
  afterAll(async () => {
    await stage.end();
    for (const drop of drops) await drop();
  });

  /** A database with a PgBouncer of its own. */
  async function pooled(settings: string[] = [], mode: 'transaction' | 'statement' = 'transaction') {
    const { url, drop } = await freshDatabase();
    drops.push(drop);
    return { direct: url, pooler: await PgBouncer.start(stage, url, mode, settings) };
  }

  const open = (url: string, direct: string | undefined, driver: 'plain' | 'fast' = 'plain'): Promise<Database> =>
    openDatabase(
      {
        mode: 'test',
        dataDir: '',
        databaseUrl: url,
        databaseDirectUrl: direct,
        databaseDriver: driver,
        databasePool: 4,
        databasePipelinedConnections: driver === 'fast' ? 2 : 0,
      },
      MODEL,
    );

  async function refusal(work: Promise<Database>): Promise<string> {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StartFailure);
    return (error as Error).message;
  }

  it('serves when the role has the settings, sends none and prepares nothing', async () => {
    const { direct, pooler } = await pooled();
    await reachServers({ databaseUrl: pooler.url, databaseDirectUrl: direct });
    const statements = await roleSettings(pooler.url, { apply: false });
    expect(statements).toContainEqual(
      expect.stringMatching(/^ALTER ROLE "\w+" IN DATABASE "\w+" SET lock_timeout = '20';$/),
    );
    expect(await refusal(open(pooler.url, direct))).toMatch(
      /^DATABASE_URL: behind the pooler at 127\.0\.0\.1:\d+ the role \w+ lacks settings \(.*statement_timeout is 0 instead of 3000.*\); run `marquee database settings --apply`, then let the pooler open new connections \(PgBouncer: RECONNECT\)\.$/,
    );
    expect(await roleSettings(pooler.url, { apply: true })).toEqual(statements);
    expect(await refusal(open(pooler.url, direct))).toMatch(
      /^DATABASE_URL: the pooler at 127\.0\.0\.1:\d+ uses connections that are older than the settings of the role \w+ \(.+\); let it open new ones \(PgBouncer: RECONNECT\)\.$/,
    );
    await pooler.restart();
    const store = await open(pooler.url, direct);
    try {
      const db = store.dataSource.manager;
      const text = 'SELECT count(*)::int AS count FROM pg_prepared_statements WHERE $1::int > 0';
      const counts = await Promise.all(Array.from({ length: 20 }, () => run(db, { text, values: [1] })));
      expect(new Set(counts.flat().map((row) => JSON.stringify(row)))).toEqual(new Set(['{"count":0}']));
      await expect(migrate(store)).rejects.toThrow('DATABASE_DIRECT_URL');
      const notifications = new DatabaseNotifications(store);
      await notifications.start();
      expect(notifications.connected).toBe(true);
      await notifications.stop();
    } finally {
      await store.close();
    }
  });

  it('needs the plain driver, unless it keeps prepared statements', async () => {
    const { direct, pooler } = await pooled();
    await roleSettings(direct, { apply: true });
    expect(await refusal(open(pooler.url, direct, 'fast'))).toMatch(
      /^DATABASE_DRIVER: the pooler at 127\.0\.0\.1:\d+ does not keep prepared statements \(.+\); set DATABASE_DRIVER=plain, or use PgBouncer 1\.21 or newer with max_prepared_statements\.$/,
    );
  });

  it('needs a direct URL that leads to the same database', async () => {
    const { direct, pooler } = await pooled();
    await roleSettings(direct, { apply: true });
    const other = await freshDatabase();
    drops.push(other.drop);
    expect(await refusal(open(pooler.url, other.url))).toMatch(
      /^DATABASE_DIRECT_URL: notifications through the pooler at 127\.0\.0\.1:\d+ do not arrive at .+; name the server and the database that the pooler of DATABASE_URL leads to\.$/,
    );
  }, 20_000);

  it('is no direct URL itself', async () => {
    const { pooler } = await pooled([
      'ignore_startup_parameters = options, statement_timeout, lock_timeout, idle_in_transaction_session_timeout',
    ]);
    expect(await refusal(open(pooler.url, pooler.url))).toMatch(
      /^DATABASE_DIRECT_URL: the server at 127\.0\.0\.1:\d+ does not keep session state \(.+\); name PostgreSQL itself, or a pooler in session mode\.$/,
    );
  });

  it('is not in statement mode', async () => {
    const { direct, pooler } = await pooled([], 'statement');
    await roleSettings(direct, { apply: true });
    expect(await refusal(open(pooler.url, direct))).toMatch(
      /^DATABASE_URL: the pooler at 127\.0\.0\.1:\d+ allows no transactions \(.+\); use transaction mode \(PgBouncer: pool_mode = transaction\)\.$/,
    );
  });

  it('names the variable of the URL that does not answer', async () => {
    const { direct } = await pooled();
    const nobody = 'postgres://postgres@127.0.0.1:1/x';
    await expect(reachServers({ databaseUrl: direct, databaseDirectUrl: nobody })).rejects.toThrow(
      /^DATABASE_DIRECT_URL: no PostgreSQL answers at 127\.0\.0\.1:1 /,
    );
    await expect(reachServers({ databaseUrl: nobody, databaseDirectUrl: direct })).rejects.toThrow(
      /^DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:1 /,
    );
  });

  it('without a direct URL stops the start, and names it', async () => {
    const { pooler } = await pooled([
      'ignore_startup_parameters = options, statement_timeout, lock_timeout, idle_in_transaction_session_timeout',
    ]);
    await expect(openServer(pooler.url)).rejects.toThrow(
      /^DATABASE_URL: .+; if it is a pooler in transaction mode, name PostgreSQL itself in DATABASE_DIRECT_URL, /,
    );
    const { pooler: strict } = await pooled();
    await expect(reachServer(strict.url)).rejects.toThrow(/or use transaction mode with DATABASE_DIRECT_URL\.$/);
  });

  it('among several hosts, follows the primary although PgBouncer remembers what the standby reported', async () => {
    const primary = await Postgres.start(stage);
    const standby = await primary.standby();
    await roleSettings(primary.url, { apply: true });
    const [one, other] = [
      await PgBouncer.start(stage, primary.url, 'transaction', []),
      await PgBouncer.start(stage, standby.url, 'transaction', []),
    ];
    const both = (ports: number[]) =>
      `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
    const pooledUrl = both([other.port, one.port]);
    await reachServer(pooledUrl, { isPooled: true });
    const store = await open(pooledUrl, both([standby.port, primary.port]));
    try {
      const write = (text: string) => run(store.dataSource.manager, { text, values: [] });
      await write('CREATE TABLE written (id int)');
      await primary.kill();
      await standby.promote();
      for (const deadline = Date.now() + 20_000; ; await pause(100)) {
        const failure = await write('INSERT INTO written VALUES (1)').catch((error: Error) => error);
        if (!(failure instanceof Error)) break;
        if (Date.now() > deadline) throw failure;
      }
      const client = new pg.Client({ connectionString: standby.url });
      await client.connect();
      expect((await client.query('SELECT id FROM written')).rows).toEqual([{ id: 1 }]);
      await client.end();
    } finally {
      await store.close();
    }
  });
});
