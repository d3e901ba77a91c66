import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import type { Database } from '../../../src/common/db/database.js';
import { onServer, SERVER } from '../../support/environment.js';
import { freshDatabase, onEveryStore, openServer } from './stores.js';

async function until(what: () => boolean, ms = 5_000): Promise<void> {
  for (let waited = 0; !what(); waited += 20) {
    if (waited > ms) throw new Error('it did not happen');
    await pause(20);
  }
}

onEveryStore('notifications', (open) => {
  let notifications: DatabaseNotifications;
  const db = () => open().dataSource.manager;

  beforeAll(async () => {
    notifications = new DatabaseNotifications(open());
    expect(notifications.connected).toBe(false);
    await notifications.start();
    expect(notifications.connected).toBe(true);
  });
  afterAll(() => notifications.stop());

  const listen = (channel: string) => {
    const heard: string[] = [];
    return { heard, stop: notifications.on(channel, (payload) => void heard.push(payload)) };
  };

  it('are heard by their sender once, as soon as they are sent', async () => {
    const { heard, stop } = listen('tokens');
    const other = listen('accounts');
    await notifications.publish(db(), 'tokens', 'a "quoted" 🦊');
    expect(heard).toEqual(['a "quoted" 🦊']);
    await pause(150);
    expect(heard).toHaveLength(1);
    expect(other.heard).toEqual([]);
    stop();
    await notifications.publish(db(), 'tokens', 'more');
    expect(heard).toHaveLength(1);
  });

  it('of a transaction are heard when it is committed, before its promise is kept', async () => {
    const { heard } = listen('committed');
    await db().transaction(async (tx) => {
      await notifications.publish(tx, 'committed', 'one');
      await tx.transaction((inner) => notifications.publish(inner, 'committed', 'two'));
      expect(heard).toEqual([]);
    });
    expect(heard).toEqual(['one', 'two']);
    await pause(150);
    expect(heard).toHaveLength(2);
  });

  it('of a transaction that is taken back are never heard', async () => {
    const { heard } = listen('undone');
    const failing = db().transaction(async (tx) => {
      await notifications.publish(tx, 'undone', 'no');
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    await db().transaction(async (tx) => tx.query('SELECT 1'));
    await pause(100);
    expect(heard).toEqual([]);
  });
});

(SERVER ? describe : describe.skip)('between processes', () => {
  let stores: Database[];
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let here: DatabaseNotifications;
  let there: DatabaseNotifications;

  beforeAll(async () => {
    database = await freshDatabase();
    stores = await Promise.all([openServer(database.url), openServer(database.url)]);
    [here, there] = stores.map((store) => new DatabaseNotifications(store));
    await Promise.all([here.start(), there.start()]);
  });
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  });

  it('notifications arrive, and those of a transaction after its commit', async () => {
    const heard: string[] = [];
    there.on('x', (payload) => void heard.push(payload));
    await here.publish(stores[0].dataSource.manager, 'x', '1');
    await until(() => heard.length === 1);
    await stores[0].dataSource.transaction(async (tx) => {
      await here.publish(tx, 'x', '2');
      await pause(100);
      expect(heard).toEqual(['1']);
    });
    await until(() => heard.length === 2);
  });

  it('what others send on our channel is left alone', async () => {
    const heard: string[] = [];
    there.on('y', (payload) => void heard.push(payload));
    for (const text of ['not json', '', '{}', 'null', '7'])
      await stores[0].dataSource.query(`SELECT pg_notify('marquee', $1)`, [text]);
    await here.publish(stores[0].dataSource.manager, 'y', 'after');
    await until(() => heard.length === 1);
  });

  it('a lost connection is a gap, and is replaced', async () => {
    let gaps = 0;
    there.onInterruption(() => void gaps++);
    const name = new URL(database.url).pathname.slice(1);
    await onServer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND query IN ('LISTEN marquee', 'SELECT 1')`,
    );
    await until(() => gaps === 2);
    expect(there.connected).toBe(true);
    const heard: string[] = [];
    there.on('z', (payload) => void heard.push(payload));
    await here.publish(stores[0].dataSource.manager, 'z', 'again');
    await until(() => heard.length === 1);
  });

  it('a server that is away is waited for', async () => {
    const away = new DatabaseNotifications({
      ...stores[0],
      server: { ...stores[0].server, connectionString: 'postgres://x@127.0.0.1:1/x' },
    });
    await away.start();
    expect(away.connected).toBe(false);
    await pause(300);
    await away.stop();
  });
});
