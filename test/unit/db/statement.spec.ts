import { retrying } from '../../../src/common/db/query/retry.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { sqlStateOf } from '../../../src/common/db/sqlstate.js';
import { Thing, thing } from './model.js';
import { onEveryStore } from './stores.js';

const stateOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => sqlStateOf(error),
  );

onEveryStore('statements', (open) => {
  const db = () => open().dataSource.manager;
  const ask = async (n: number) => (await run<{ n: number }>(db(), { text: 'SELECT $1::int8 AS n', values: [n] }))[0].n;

  it('answer rightly after a unique violation, which says what it was', async () => {
    const first = thing();
    await write(db(), [insert(Thing, [first])]);
    for (let round = 0; round < 3; round++) {
      expect(await stateOf(write(db(), [insert(Thing, [first])]))).toMatchObject({
        code: '23505',
        constraint: 'PK_things',
        table: 'things',
      });
      expect(await stateOf(write(db(), [insert(Thing, [thing({ name: first.name })])]))).toMatchObject({
        code: '23505',
        constraint: 'UQ_name',
      });
      expect(await stateOf(run(db(), { text: 'SELECT nothing FROM nowhere', values: [] }))).toMatchObject({
        code: '42P01',
      });
      expect(await Promise.all([1, 2, 3, 4].map(ask))).toEqual([1, 2, 3, 4]);
      expect(await run(db(), { text: 'SELECT 1 AS one', values: [] }, { large: true })).toEqual([{ one: 1 }]);
      expect(await db().query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    }
  });

  it('answer rightly when many run at once and some fail', async () => {
    const taken = thing();
    await write(db(), [insert(Thing, [taken])]);
    const all = Array.from({ length: 120 }, (_, n) =>
      n % 5 === 0
        ? stateOf(write(db(), [insert(Thing, [taken])]))
        : n % 7 === 0
          ? db().query('SELECT $1::int8 AS n', [n])
          : ask(n),
    );
    for (const [n, answer] of (await Promise.all(all)).entries()) {
      if (n % 5 === 0) expect(answer).toMatchObject({ code: '23505' });
      else if (n % 7 === 0) expect(answer).toEqual([{ n }]);
      else expect(answer).toBe(n);
    }
  });

  it('say the same through TypeORM', async () => {
    const first = thing();
    await write(db(), [insert(Thing, [first])]);
    expect(await stateOf(db().insert(Thing, { ...first, rules: null, snapshot: null } as object))).toMatchObject({
      code: '23505',
      constraint: 'PK_things',
    });
    expect(await ask(5)).toBe(5);
  });

  it('run in the transaction they are given, and not in one that is over', async () => {
    const kept = thing();
    const gone = thing();
    const tx = await db().transaction(async (own) => {
      await write(own, [insert(Thing, [kept])]);
      return own;
    });
    await expect(run(tx, { text: 'SELECT 1', values: [] })).rejects.toThrow('is over');
    await expect(
      db().transaction(async (own) => {
        await write(own, [insert(Thing, [gone])]);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    const found = await run<Thing>(db(), {
      text: 'SELECT id FROM things WHERE id = ANY($1)',
      values: [[kept.id, gone.id]],
    });
    expect(found).toEqual([{ id: kept.id }]);
  });

  it('survive a migration that changes what a prepared statement returns', async () => {
    await db().query('CREATE TABLE changing (a int); INSERT INTO changing VALUES (1)');
    const statement = { text: 'SELECT * FROM changing', values: [] };
    expect(await run(db(), statement)).toEqual([{ a: 1 }]);
    await db().query('ALTER TABLE changing ADD b int');
    expect(await Promise.all([1, 2, 3, 4, 5, 6].map(() => run(db(), statement)))).toEqual(
      Array(6).fill([{ a: 1, b: null }]),
    );
    await db().query('DROP TABLE changing');
  });

  it('stay right when there are more texts than names', async () => {
    for (let n = 0; n < 1100; n++) {
      expect(await run(db(), { text: `SELECT ${n}::int8 AS n`, values: [] })).toEqual([{ n }]);
    }
  });

  it('are tried again where that can help, and only there', async () => {
    const taken = thing();
    await write(db(), [insert(Thing, [taken])]);
    const ids = [taken.id, taken.id, 'free'];
    await retrying(() => write(db(), [insert(Thing, [thing({ id: ids.shift() })])]));
    expect(ids).toEqual([]);

    let tries = 0;
    const unlucky = () => write(db(), [insert(Thing, [thing({ id: `u${tries++}`, name: taken.name })])]);
    await expect(retrying(unlucky)).rejects.toThrow('UQ_name');
    expect(tries).toBe(1);

    tries = 0;
    const deadlock = async () => {
      if (++tries < 3) throw Object.assign(new Error('deadlock'), { code: '40P01', severity: 'ERROR' });
      return tries;
    };
    expect(await retrying(deadlock)).toBe(3);
    tries = 0;
    await expect(retrying(deadlock, { attempts: 2 })).rejects.toThrow('deadlock');
  });
});

it('takes no other error for one of the database', () => {
  expect(sqlStateOf(Object.assign(new Error('pipe'), { code: 'EPIPE' }))).toEqual({});
  expect(sqlStateOf(undefined)).toEqual({});
  expect(sqlStateOf('text')).toEqual({});
});
