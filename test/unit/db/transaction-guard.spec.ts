import { setTimeout as pause } from 'node:timers/promises';
import { assertOutsideTransaction } from '../../../src/common/db/query/transaction-guard.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { Thing, thing } from './model.js';
import { onEveryStore } from './stores.js';

onEveryStore('inside a transaction', (open) => {
  const dataSource = () => open().dataSource;
  const forgetful: [string, () => Promise<unknown>][] = [
    ['DataSource.query', () => dataSource().query('SELECT 1')],
    ['the manager', () => dataSource().manager.query('SELECT 1')],
    ['a repository', () => dataSource().getRepository(Thing).count()],
    ['a query builder', () => dataSource().createQueryBuilder(Thing, 't').getCount()],
    ['run', () => run(dataSource().manager, { text: 'SELECT 1', values: [] })],
    ['write', () => write(dataSource().manager, [insert(Thing, [thing()])])],
    ['a second transaction', () => dataSource().transaction(async () => 1)],
    ['a second transaction of the manager', () => dataSource().manager.transaction('SERIALIZABLE', async () => 1)],
    [
      'a query runner',
      async () => {
        const runner = dataSource().createQueryRunner();
        return runner.query('SELECT 1').finally(() => runner.release());
      },
    ],
  ];

  it.each(forgetful)('refuses %s at once and says why', async (_, work) => {
    const started = performance.now();
    await expect(dataSource().transaction(work)).rejects.toThrow('A transaction is open here');
    await expect(dataSource().manager.transaction('READ COMMITTED', work)).rejects.toThrow(
      'A transaction is open here',
    );
    expect(performance.now() - started).toBeLessThan(1_000);
    await work();
  });

  it('lets its tx do everything, nested transactions too', async () => {
    const [kept, undone, last] = [thing(), thing(), thing()];
    await dataSource().transaction(async (tx) => {
      expect(() => assertOutsideTransaction()).toThrow('A transaction is open here');
      await write(tx, [insert(Thing, [kept])]);
      expect(await tx.getRepository(Thing).countBy({ id: kept.id })).toBe(1);
      expect(await tx.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      const failing = tx.transaction(async (inner) => {
        await write(inner, [insert(Thing, [undone])]);
        await write(inner, [insert(Thing, [kept])]);
      });
      await expect(failing).rejects.toThrow('PK_things');
      await tx.transaction((inner) => write(inner, [insert(Thing, [last])]));
    });
    const things = rows(dataSource().manager, Thing);
    expect(await things.whereIn('id', [kept.id, undone.id, last.id]).getMany()).toHaveLength(2);
  });

  it('leaves alone what outlives the transaction, and what runs beside it', async () => {
    let after: Promise<unknown> = Promise.resolve();
    const [, beside] = await Promise.all([
      dataSource().transaction(async (tx) => {
        after = pause(100).then(() => run(dataSource().manager, { text: 'SELECT 3 AS n', values: [] }));
        await tx.query('SELECT 1');
      }),
      run(dataSource().manager, { text: 'SELECT 2 AS n', values: [] }),
    ]);
    expect(beside).toEqual([{ n: 2 }]);
    expect(await after).toEqual([{ n: 3 }]);
    expect(() => assertOutsideTransaction()).not.toThrow();
  });

  it('opens again after a failure', async () => {
    await expect(dataSource().transaction(async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await dataSource().transaction(async (tx) => tx.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});
