import pg from 'pg';
import { migrate } from '../../../src/common/db/migrate.js';
import { Unavailable } from '../../../src/common/errors/unavailable.js';
import { isOutage } from '../../../src/common/db/query/outage.js';
import { MAX_LOCK_WAITS, retrying, ConflictRetry, whenUnlocked } from '../../../src/common/db/query/retry.js';
import { inTransactionFor, run } from '../../../src/common/db/query/statement.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { Thing, thing } from './model.js';
import { freshDatabase, onEveryDriver, openServer } from './stores.js';

/** Work that fails so often, in this way, before it succeeds. */
function failing(times: number, error: Error) {
  let runs = 0;
  const work = () => (++runs <= times ? Promise.reject(error) : Promise.resolve(runs));
  return { work, runs: () => runs };
}

const sqlError = (code: string, constraint?: string) =>
  Object.assign(new Error(code), { code, severity: 'ERROR', constraint });

describe('work that failed', () => {
  it.each([
    ['a serialisation failure', sqlError('40001')],
    ['a deadlock', sqlError('40P01')],
    ['an id that was taken', sqlError('23505', 'PK_campaigns')],
    ['a partition that was attached meanwhile', sqlError('23514')],
  ])('because of %s is done again, three times at most', async (_, error) => {
    expect(await retrying(failing(2, error).work)).toBe(3);
    const always = failing(9, error);
    await expect(retrying(always.work)).rejects.toBe(error);
    expect(always.runs()).toBe(3);
  });

  it('because a reference was stale is done again, five times at most, and then answered 503', async () => {
    expect(await retrying(failing(4, new ConflictRetry()).work)).toBe(5);
    const always = failing(9, new ConflictRetry());
    await expect(retrying(always.work)).rejects.toThrow(Unavailable);
    expect(always.runs()).toBe(5);
  });

  it.each([
    ['a name that was taken', sqlError('23505', 'custom_audiences_one_name')],
    ['anything else', new Error('no')],
  ])('because of %s is not done again', async (_, error) => {
    const once = failing(1, error);
    await expect(retrying(once.work)).rejects.toBe(error);
    expect(once.runs()).toBe(1);
  });
});

describe('work that needs a lock', () => {
  const locked = sqlError('55P03');

  it('is done again until it gets the lock, a bounded number of times', async () => {
    expect(await whenUnlocked(failing(MAX_LOCK_WAITS - 1, locked).work)).toBe(MAX_LOCK_WAITS);
    const always = failing(99, locked);
    await expect(whenUnlocked(always.work)).rejects.toBe(locked);
    expect(always.runs()).toBe(MAX_LOCK_WAITS);
    // an outage is answered 503
    expect(isOutage(locked)).toBe(true);
  });

  it('is not done again when it failed for another reason', async () => {
    const once = failing(1, sqlError('23505'));
    await expect(whenUnlocked(once.work)).rejects.toThrow('23505');
    expect(once.runs()).toBe(1);
  });
});

onEveryDriver('work that needs a lock on a server', (driver) => {
  let server: Awaited<ReturnType<typeof freshDatabase>>;
  let store: Awaited<ReturnType<typeof openServer>>;
  beforeAll(async () => {
    server = await freshDatabase();
    store = await openServer(server.url, { driver });
    await migrate(store);
  });
  afterAll(async () => {
    await store.close();
    await server.drop();
  });

  /** Locks a row as another replica does; `release` ends its transaction. */
  async function lockElsewhere(id: string) {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM things WHERE id = $1 FOR UPDATE', [id]);
    return async () => {
      await client.query('COMMIT');
      await client.end();
    };
  }

  /** A transaction that renames a locked thing; it waits 20 ms for the lock. */
  function renaming(id: string, beforeTry: (tries: number) => Promise<void> = async () => undefined) {
    let tries = 0;
    const work = async () => {
      await beforeTry(++tries);
      return inTransactionFor(store.dataSource.manager, id, async (tx) => {
        await run(tx, { text: "SELECT set_config('lock_timeout', '20', true)", values: [] });
        await run(tx, { text: 'UPDATE things SET name = $2 WHERE id = $1', values: [id, `renamed ${id}`] });
      });
    };
    return { work, tries: () => tries };
  }
  const nameOf = async (id: string) =>
    (
      await run<{ name: string }>(store.dataSource.manager, {
        text: 'SELECT name FROM things WHERE id = $1',
        values: [id],
      })
    )[0].name;

  it('takes effect once the lock is released', async () => {
    const one = thing();
    await write(store.dataSource.manager, [insert(Thing, [one])]);
    const release = await lockElsewhere(one.id);
    const { work, tries } = renaming(one.id, async (n) => {
      if (n === 3) await release();
    });
    await whenUnlocked(work);
    expect([tries(), await nameOf(one.id)]).toEqual([3, `renamed ${one.id}`]);
  });

  it('fails as an outage does while the lock stays, and changes nothing', async () => {
    const one = thing();
    await write(store.dataSource.manager, [insert(Thing, [one])]);
    const release = await lockElsewhere(one.id);
    const { work, tries } = renaming(one.id);
    const failure = await whenUnlocked(work).catch((error: unknown) => error);
    await release();
    expect([tries(), isOutage(failure), await nameOf(one.id)]).toEqual([MAX_LOCK_WAITS, true, one.name]);
  });
});
