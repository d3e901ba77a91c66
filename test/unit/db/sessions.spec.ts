import { Logger } from '@nestjs/common';
import { pgbouncerProgram, startPgBouncer } from '../../../scripts/proofs/support/pgbouncer.js';
import { Stage } from '../../../scripts/proofs/support/stage.js';
import { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import { serverSettings } from '../../../src/common/db/database.js';
import { migrate } from '../../../src/common/db/migrate.js';
import { checkSessions } from '../../../src/common/db/postgres/check-sessions.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { reachServer } from '../../../src/common/db/reach-server.js';
import { StartFailure } from '../../../src/common/start-failure.js';
import { SERVER } from '../../support/environment.js';
import { Thing, thing } from './model.js';
import { freshDatabase, openServer, patiently } from './stores.js';

Logger.overrideLogger(false);

const SETTINGS = {
  text: `SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle,
    current_setting('TimeZone') AS zone, current_setting('plan_cache_mode') AS plans, current_setting('jit') AS jit`,
  values: [],
};
const IN_FORCE = { statement: '3s', idle: '3s', zone: 'UTC', plans: 'force_generic_plan', jit: 'off' };

(SERVER ? describe : describe.skip)('sessions', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => void (database = await freshDatabase()));
  afterAll(() => database.drop());

  it('on PostgreSQL itself need nothing', async () => {
    expect(await checkSessions(serverSettings(database.url))).toEqual({});
  });

  it('have what the URL says where it names a setting', async () => {
    const settings = { ...serverSettings(database.url), statement_timeout: undefined };
    const url = new URL(database.url);
    url.searchParams.set('statement_timeout', '4000');
    // the URL goes first, so that what is in force is what it says
    expect(await checkSessions({ ...settings, connectionString: url.href })).toEqual({});
  });

  (pgbouncerProgram() ? describe : describe.skip)('through PgBouncer', () => {
    const stage = new Stage();
    afterAll(() => stage.end());
    const sentence =
      /^DATABASE_URL: the server at 127\.0\.0\.1:\d+ does not keep session state \(.+\); if it is a pooler in transaction mode, name PostgreSQL itself in DATABASE_DIRECT_URL, otherwise use session mode \(PgBouncer: pool_mode = session\), or name PostgreSQL itself\.$/;

    it.each(['fast', 'plain'] as const)('in session mode have all settings and can be used (%s)', async (driver) => {
      const url = await startPgBouncer(stage, database.url, 'session');
      await reachServer(url);
      const store = await openServer(url, { driver });
      try {
        await migrate(store);
        const db = store.dataSource.manager;
        const all = await Promise.all([
          ...Array.from({ length: 20 }, () => patiently(() => run(db, SETTINGS))),
          ...Array.from({ length: 20 }, () => patiently(() => run(db, SETTINGS, { large: true }))),
          ...Array.from({ length: 5 }, () => patiently(() => db.transaction((tx) => run(tx, SETTINGS)))),
          store.openConnection().run(SETTINGS),
        ]);
        expect(new Set(all.map((rows) => JSON.stringify(rows)))).toEqual(new Set([JSON.stringify([IN_FORCE])]));
        await write(db, [insert(Thing, [thing()])]);
        const notifications = new DatabaseNotifications(store);
        await notifications.start();
        expect(notifications.connected).toBe(true);
        await notifications.stop();
      } finally {
        await store.close();
      }
    });

    it.each([
      ['transaction mode', 'transaction', []],
      ['transaction mode that hands connections out in turn', 'transaction', ['server_round_robin = 1']],
      ['transaction mode with one connection', 'transaction', ['default_pool_size = 1']],
      ['statement mode', 'statement', []],
    ] as const)('in %s stop the start', async (_, mode, settings) => {
      const dropped =
        'ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options';
      const url = await startPgBouncer(stage, database.url, mode, [dropped, ...settings]);
      const opened = openServer(url);
      await expect(opened).rejects.toThrow(StartFailure);
      await expect(opened).rejects.toThrow(sentence);
    });

    it('in transaction mode stop the start although other sessions were there before and have left connections open', async () => {
      const url = await startPgBouncer(stage, database.url, 'transaction');
      await Promise.allSettled(Array.from({ length: 6 }, () => reachServer(url)));
      for (let i = 0; i < 5; i++) await expect(checkSessions(serverSettings(url))).rejects.toThrow(sentence);
    });

    it('that are refused for what they ask at their start are told what to set', async () => {
      const url = await startPgBouncer(stage, database.url, 'session', []);
      await expect(reachServer(url)).rejects.toThrow(
        /^DATABASE_URL: a pooler at .* rejects the session \(unsupported startup parameter.*\); for PgBouncer, set pool_mode = session and ignore_startup_parameters = /,
      );
    });
  });
});
