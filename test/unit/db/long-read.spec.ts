import { readLong } from '../../../src/common/db/query/long-read.js';
import { run } from '../../../src/common/db/query/statement.js';
import { sqlStateOf } from '../../../src/common/db/sqlstate.js';
import { onEveryStore } from './stores.js';

onEveryStore('long reads', (open) => {
  const read = <R>(text: string, seconds = 20, values: unknown[] = []) =>
    readLong<R>(open().dataSource, { text, values }, { seconds, megabytes: 33 });
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'no error',
      (error: unknown) => sqlStateOf(error).code,
    );
  /** What ordinary statements have, on whichever connection. */
  const settings = () =>
    Promise.all(
      Array.from({ length: 8 }, async () => {
        const text = `SELECT current_setting('work_mem') AS memory, current_setting('transaction_read_only') AS only`;
        const [own] = await run<{ memory: string; only: string }>(open().dataSource.manager, { text, values: [] });
        return own;
      }),
    );

  it('have settings of their own, and leave those of others alone', async () => {
    const before = await settings();
    expect(
      await read(
        `SELECT $1::int AS n, current_setting('work_mem') AS memory, current_setting('statement_timeout') AS time`,
        20,
        [7],
      ),
    ).toEqual([{ n: 7, memory: '33MB', time: '20s' }]);
    expect(await settings()).toEqual(before);
    expect(before[0]).toMatchObject({ only: 'off' });
    expect(before[0].memory).not.toBe('33MB');
  });

  it('only read, and leave a connection that works after a fault', async () => {
    for (let round = 0; round < 8; round++) {
      expect(await codeOf(read('CREATE TABLE nothing (id int)'))).toBe('25006');
      expect(await codeOf(read('SELECT nothing FROM nowhere'))).toBe('42P01');
    }
    expect(await read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await settings())[0]).toMatchObject({ only: 'off' });
  });

  it('may take longer than other statements, and are given up after their time', async () => {
    // the embedded store has no clock that would stop a statement
    if (open().embedded) return;
    expect(await read('SELECT 1 AS one, pg_sleep(3.7)')).toMatchObject([{ one: 1 }]);
    expect(await codeOf(read('SELECT pg_sleep(5)', 1))).toBe('57014');
    expect(await read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  }, 20_000);
});
