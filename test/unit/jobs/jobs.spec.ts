import { setTimeout as pause } from 'node:timers/promises';
import PgBoss from 'pg-boss';
import { Logger } from '@nestjs/common';
import type { Database } from '../../../src/common/db/database.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { BossDatabase } from '../../../src/common/jobs/boss-database.js';
import { enqueue, enqueueWrite, notifyWorkers } from '../../../src/common/jobs/enqueue.js';
import { defineJob, type JobHandler, type Job } from '../../../src/common/jobs/job.js';
import type { Jobs } from '../../../src/common/jobs/jobs.js';
import { Thing, thing } from '../db/model.js';
import { onEveryStore, openServer } from '../db/stores.js';
import { JOB_MODEL, NEVER_MS, process, QUEUES, states, stored, unique, until } from './queues.js';

interface Payload {
  mark: string;
}

onEveryStore(
  'jobs',
  (open) => {
    const store = () => open();
    const db = () => store().dataSource.manager;
    const names = QUEUES.values();
    const opened: Jobs[] = [];
    const others: Database[] = [];
    const fresh = (options: Parameters<typeof defineJob>[1] = {}): Job<Payload> =>
      defineJob<Payload>(names.next().value!, options);
    /** A process that is stopped after the test. */
    const worker = (...given: Parameters<typeof process> | []) => {
      const made = given.length > 0 ? process(...(given as Parameters<typeof process>)) : process(store());
      opened.push(made.jobs);
      return made;
    };
    const working = async <P extends object>(job: Job<P>, handler: JobHandler<P>, own = worker()) => {
      own.jobs.work(job, handler);
      await own.jobs.start();
      return own;
    };
    /** Another replica: on a server with connections of its own, for the embedded store there is none. */
    const otherStore = async (): Promise<Database> => {
      if (store().embedded) return store();
      const other = await openServer(store().server!.connectionString!, { model: JOB_MODEL });
      others.push(other);
      return other;
    };
    const rows = (note: string) => run<Thing>(db(), { text: 'SELECT id FROM things WHERE note = $1', values: [note] });
    const warned: unknown[] = [];
    const failed: unknown[] = [];

    beforeAll(() => names.next()); // the first one is for schedules
    beforeEach(() => {
      failed.length = 0;
      Logger.overrideLogger({
        log: () => undefined,
        warn: (message: unknown) => void warned.push(message),
        error: (message: unknown) => void failed.push(message),
      });
    });
    afterAll(() => Logger.overrideLogger(false));
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((jobs) => jobs.stop()));
      await Promise.all(others.splice(0).map((other) => other.close()));
    });

    it('lets the owners of jobs take turns, also owners who come later and jobs that continue', async () => {
      const job = fresh({ turnsBy: 'mark' });
      // of two jobs of the same millisecond, either may come first
      for (const marks of ['aaaa', 'b', 'bc']) {
        await pause(5);
        await write(db(), [
          enqueueWrite(
            job,
            [...marks].map((mark) => ({ mark })),
          ),
        ]);
      }
      const order: string[] = [];
      let continued = 0;
      await working(job, async ({ mark }) => {
        order.push(mark);
        // like a slice of work that queues the next one
        if (mark === 'c' && continued++ < 2) await enqueue(db(), job, { mark });
      });
      await until(() => order.length === 9);
      expect(order.join('')).toBe('abcabcaca');
      await until(async () => (await states(store(), job.name)).every((state) => state === 'completed'));
    });

    it('gives the free places to different owners, and a failed job another attempt', async () => {
      const job = fresh({ turnsBy: 'mark', concurrency: 2, retries: 1, retryDelaySeconds: 1 });
      await write(db(), [
        enqueueWrite(
          job,
          [...'aaab'].map((mark) => ({ mark })),
        ),
      ]);
      const attempts: string[] = [];
      await working(job, async ({ mark }, { number }) => {
        attempts.push(`${mark}${number}`);
        await pause(50);
        if (mark === 'b' && number === 1) throw new Error('not yet');
      });
      await until(() => attempts.length === 5);
      expect(attempts.slice(0, 2).sort()).toEqual(['a1', 'b1']);
      expect(attempts.sort()).toEqual(['a1', 'a1', 'a1', 'b1', 'b2']);
    });

    it('hands over the payload, with an id and the number of the attempt', async () => {
      const job = fresh();
      const got: unknown[] = [];
      const payload = { mark: 'quotes \' " \\ and ü', list: [1, null, { a: true }] };
      await working(job, async (given, { id, number, signal }) => void got.push([given, id, number, signal.aborted]));
      await enqueue(db(), job, payload);
      await until(async () => (await states(store(), job.name)).includes('completed'));
      const [{ id }] = await stored(store(), job.name);
      expect(got).toEqual([[payload, id, 1, false]]);
    });

    it('enqueues in a transaction, with which it commits or is undone', async () => {
      const job = fresh();
      const [kept, undone] = [unique(), unique()];
      const got: string[] = [];
      await working(job, async ({ mark }) => void got.push(mark));
      await store().dataSource.transaction(async (tx) => {
        await write(tx, [insert(Thing, [thing({ note: kept })])]);
        await enqueue(tx, job, { mark: kept });
        await pause(store().embedded ? 0 : 300);
        expect(got).toEqual([]);
      });
      const broken = store().dataSource.transaction(async (tx) => {
        await enqueue(tx, job, { mark: undone });
        throw new Error('no');
      });
      await expect(broken).rejects.toThrow('no');
      await until(() => got.length > 0);
      await pause(300);
      expect(got).toEqual([kept]);
      expect(await stored(store(), job.name)).toHaveLength(1);
    });

    it('is noticed at once in the same process, after a transaction too, and when it was a part of write()', async () => {
      const job = fresh();
      const got: string[] = [];
      await working(job, async ({ mark }) => void got.push(mark), worker(store(), { lookMs: NEVER_MS }));
      await enqueue(db(), job, { mark: 'alone' });
      await until(() => got.includes('alone'));
      await store().dataSource.transaction(async (tx) => {
        await tx.transaction((inner) => enqueue(inner, job, { mark: 'transaction' }));
      });
      await until(() => got.includes('transaction'));
      await write(db(), [enqueueWrite(job, [{ mark: 'written' }])]);
      notifyWorkers(db(), job);
      await until(() => got.includes('written'));
    });

    it('is stored in the statement of what it is about, and not when a precondition fails', async () => {
      const job = fresh();
      const [kept, refused] = [unique(), unique()];
      const storing = (note: string, sql: string) =>
        write(
          db(),
          [insert(Thing, [thing({ note })]), enqueueWrite(job, [{ mark: note }, { mark: note }])],
          [{ sql: () => sql, refusal: () => new Error('refused') }],
        );
      await storing(kept, 'SELECT 1');
      await expect(storing(refused, 'SELECT 1 WHERE false')).rejects.toThrow('refused');
      expect([await rows(kept), await rows(refused)].map(({ length }) => length)).toEqual([1, 0]);
      const found = await run<{ data: Payload }>(db(), {
        text: 'SELECT data FROM pgboss.job WHERE name = $1',
        values: [job.name],
      });
      expect(found).toEqual([{ data: { mark: kept } }, { data: { mark: kept } }]);
    });

    it('fills the row as pg-boss itself would', async () => {
      const job = fresh({ retries: 3, retryDelaySeconds: 7, timeoutSeconds: 45 });
      await enqueue(db(), job, { mark: 'ours' });
      const boss = new PgBoss({
        db: new BossDatabase(store().dataSource, { succeeded: () => undefined, failed: () => undefined }),
        migrate: false,
        supervise: false,
        schedule: false,
      });
      const options = { retryLimit: 3, retryDelay: 7, retryBackoff: true, expireInSeconds: 60 };
      await boss.send(job.name, { mark: 'theirs' }, options);
      const found = await run<Record<string, unknown>>(db(), {
        text: `SELECT priority, state, retry_limit, retry_count, retry_delay, retry_backoff, started_on, singleton_key, singleton_on, expire_in::text, completed_on, dead_letter, output,
          now() - start_after < '1 min' AND start_after <= now() AS begins, keep_until - start_after AS kept, created_on <= now() AS created
          FROM pgboss.job WHERE name = $1 ORDER BY created_on`,
        values: [job.name],
      });
      expect(found).toHaveLength(2);
      expect(found[0]).toEqual(found[1]);
    });

    it('lets a job rest', async () => {
      const job = fresh();
      const got: number[] = [];
      await working(job, async () => void got.push(performance.now()));
      const began = performance.now();
      await enqueue(db(), job, { mark: '' }, { delaySeconds: 1 });
      await until(() => got.length === 1);
      expect(got[0] - began).toBeGreaterThan(900);
    });

    it('refuses to enqueue past the transaction that is open', async () => {
      const job = fresh();
      const forgotten = store().dataSource.transaction(() => enqueue(db(), job, { mark: '' }));
      await expect(forgotten).rejects.toThrow('A transaction is open here');
      const database = new BossDatabase(store().dataSource, { succeeded: () => undefined, failed: () => undefined });
      const inside = store().dataSource.transaction(async () => database.executeSql('SELECT 1'));
      await expect(inside).rejects.toThrow('A transaction is open here');
      expect(await stored(store(), job.name)).toEqual([]);
    });

    it('is done by one of two workers, as many at a time as it allows', async () => {
      const job = fresh({ concurrency: 3 });
      const done: string[] = [];
      let [underway, max] = [0, 0];
      const handler: JobHandler<Payload> = async ({ mark }) => {
        max = Math.max(max, ++underway);
        await pause(5);
        underway--;
        done.push(mark);
      };
      await working(job, handler);
      await working(job, handler, worker(await otherStore()));
      const marks = Array.from({ length: 60 }, (_, i) => `m${i}`);
      await write(db(), [
        enqueueWrite(
          job,
          marks.map((mark) => ({ mark })),
        ),
      ]);
      await until(() => done.length >= marks.length);
      await pause(200);
      expect(done.sort()).toEqual(marks.sort());
      expect(max).toBeGreaterThan(1);
      expect(max).toBeLessThanOrEqual(6);
      await until(async () => (await states(store(), job.name)).every((state) => state === 'completed'));
    });

    it('is tried again after a failure, and kept as failed after the last', async () => {
      const job = fresh({ retries: 1, retryDelaySeconds: 1 });
      const attempts: number[] = [];
      const { metrics } = await working(job, async ({ mark }, { number }) => {
        attempts.push(number);
        if (mark === 'bad') throw new Error('it cannot be done');
        if (number === 1) await run(db(), { text: `SELECT $1::int`, values: ['secret'] });
      });
      // the first failure is an increase
      for (const outcome of ['done', 'retried', 'failed', 'given back'])
        expect(await metrics.text()).toContain(`marquee_jobs_total{queue="${job.name}",outcome="${outcome}"} 0`);
      await enqueue(db(), job, { mark: 'bad' });
      await until(async () => (await states(store(), job.name))[0] === 'failed');
      expect(attempts).toEqual([1, 2]);
      const [{ id, output }] = await stored(store(), job.name);
      expect(output).toEqual({ message: 'it cannot be done' });
      expect(failed).toEqual([`The job ${job.name} (${id}) failed for good: it cannot be done`]);

      await enqueue(db(), job, { mark: 'better' });
      await until(async () => (await states(store(), job.name))[1] === 'completed');
      const figures = await metrics.text();
      expect(figures).toContain(`marquee_jobs_total{queue="${job.name}",outcome="retried"} 2`);
      expect(figures).toContain(`marquee_jobs_total{queue="${job.name}",outcome="failed"} 1`);
      expect(figures).toContain(`marquee_jobs_total{queue="${job.name}",outcome="done"} 1`);
      expect(figures).toContain(`marquee_jobs_waiting{queue="${job.name}"} 0`);
    });

    it('tells nothing of a payload that the database quotes', async () => {
      const job = fresh({ retries: 0 });
      await working(job, async ({ mark }) => void (await run(db(), { text: 'SELECT $1::text::int', values: [mark] })));
      await enqueue(db(), job, { mark: 'hunter2' });
      await until(async () => (await states(store(), job.name))[0] === 'failed');
      await until(() => failed.length > 0);
      expect(JSON.stringify([failed, (await stored(store(), job.name))[0].output])).not.toContain('hunter2');
      expect(failed).toEqual([expect.stringContaining('22P02')]);
    });

    it('takes too long once, and is told so', async () => {
      const job = fresh({ timeoutSeconds: 1, retries: 0 });
      const reasons: unknown[] = [];
      await working(job, async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reasons.push((signal.reason as Error).message);
      });
      await enqueue(db(), job, { mark: '' });
      await until(async () => (await states(store(), job.name))[0] === 'failed');
      expect(reasons).toEqual(['It took longer than 1 s.']);
      expect((await stored(store(), job.name))[0].output).toEqual({ message: 'It took longer than 1 s.' });
    });

    it('ends before its timeout, and is done, where it looks at its signal', async () => {
      const job = fresh({ timeoutSeconds: 60, runSeconds: 1, retries: 0 });
      await working(job, async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      });
      await enqueue(db(), job, { mark: '' });
      await until(async () => (await states(store(), job.name))[0] === 'completed');
    });

    it('is done by another after its worker died, and is told to have failed when that was its last attempt', async () => {
      const job = fresh({ retries: 1, retryDelaySeconds: 1 });
      const last = fresh({ retries: 0 });
      await enqueue(db(), job, { mark: 'first' });
      await enqueue(db(), last, { mark: 'last' });
      // somebody takes both and is never heard of again
      const dying = new PgBoss({
        db: { executeSql: async (text, values) => ({ rows: await run(db(), { text, values: values as unknown[] }) }) },
        migrate: false,
        supervise: false,
        schedule: false,
      });
      expect(await dying.fetch(job.name)).toHaveLength(1);
      expect(await dying.fetch(last.name)).toHaveLength(1);

      const got: number[] = [];
      const own = worker(store(), { maintenanceSeconds: 1 });
      own.jobs.work(last, async () => void got.push(0));
      await working(job, async (_, { number }) => void got.push(number), own);
      await pause(1_500);
      expect(got).toEqual([]);
      await run(db(), {
        text: `UPDATE pgboss.job SET started_on = now() - expire_in - interval '1 s' WHERE name = ANY($1)`,
        values: [[job.name, last.name]],
      });
      await until(async () => (await states(store(), job.name))[0] === 'completed');
      expect(got).toEqual([2]);
      const [{ id }] = await stored(store(), last.name);
      await until(() => failed.length > 0);
      expect(failed).toEqual([
        `The job ${last.name} (${id}) failed for good: its worker ended during the last attempt`,
      ]);
    });

    it('is scheduled once in a stretch of time over all processes', async () => {
      const job = defineJob(QUEUES[0]);
      const runs: number[] = [];
      for (const own of [worker(), worker(await otherStore()), worker(await otherStore())]) {
        own.jobs.schedule(job, { everySeconds: 2 });
        await working(job, async () => void runs.push(performance.now()), own);
      }
      const began = performance.now();
      await until(() => runs.length >= 3);
      const took = performance.now() - began;
      // three runs lie in three stretches of two seconds, of which the first may be nearly over
      expect(took).toBeGreaterThan(1_900);
      const slots = await run<{ slot: string; n: number }>(db(), {
        text: 'SELECT singleton_on::text AS slot, count(*)::int AS n FROM pgboss.job WHERE name = $1 GROUP BY 1',
        values: [job.name],
      });
      expect(slots.length).toBeGreaterThanOrEqual(3);
      expect(slots.every(({ n }) => n === 1)).toBe(true);
    });

    it('is only enqueued where the role is to answer requests', async () => {
      const job = fresh();
      const got: string[] = [];
      const handler: JobHandler<Payload> = async ({ mark }) => void got.push(mark);
      const { jobs, metrics } = await working(job, handler, worker(store(), {}, 'api'));
      await enqueue(db(), job, { mark: 'a' });
      await pause(500);
      expect([got, await states(store(), job.name)]).toEqual([[], ['created']]);
      expect(await metrics.text()).toContain(`marquee_jobs_waiting{queue="${job.name}"} 1`);
      await jobs.stop();
      await working(job, handler, worker(store(), {}, 'worker'));
      await until(() => got.length === 1);
    });

    it('lets a job end when the process stops, and takes no other', async () => {
      const job = fresh();
      let begun = false;
      const ended: string[] = [];
      const { jobs } = await working(job, async ({ mark }) => {
        begun = true;
        await pause(400);
        ended.push(mark);
      });
      await enqueue(db(), job, { mark: 'first' });
      await enqueue(db(), job, { mark: 'second' });
      await until(() => begun);
      await jobs.stop();
      expect(ended).toHaveLength(1);
      expect((await states(store(), job.name)).sort()).toEqual(['completed', 'created']);
    });

    it('gives a job back when the process stops before it ends, without counting the attempt', async () => {
      const job = fresh({ retries: 0, concurrency: 2 });
      const underway: string[] = [];
      const { jobs } = await working(
        job,
        async ({ mark }, { signal }) => {
          underway.push(mark);
          // one listens, the other does not
          await new Promise((_, reject) => {
            if (mark === 'listens') signal.addEventListener('abort', () => reject(signal.reason as Error));
          });
        },
        worker(store(), { graceMs: 300 }),
      );
      await write(db(), [enqueueWrite(job, [{ mark: 'listens' }, { mark: 'does not' }])]);
      notifyWorkers(db(), job);
      await until(() => underway.length === 2);
      const began = performance.now();
      await jobs.stop();
      expect(performance.now() - began).toBeLessThan(2_000);
      expect(await states(store(), job.name)).toEqual(['retry', 'retry']);

      const numbers: number[] = [];
      await working(job, async (_, { number }) => void numbers.push(number));
      await until(async () => (await states(store(), job.name)).every((state) => state === 'completed'));
      expect(numbers).toEqual([1, 1]);
      expect(failed).toEqual([]);
    });

    it('does not begin for a job without a queue, or with two handlers', async () => {
      const { jobs } = worker();
      jobs.work(defineJob('unheard-of'), async () => undefined);
      expect(() => jobs.work(defineJob('unheard-of'), async () => undefined)).toThrow('Two handlers');
      await expect(jobs.start()).rejects.toThrow('No migration creates a queue for the jobs unheard-of');
    });

    it('warns of nothing in all this', () => expect(warned).toEqual([]));
  },
  JOB_MODEL,
);

it('a job is declared within bounds', () => {
  expect(() => defineJob('Expired Rows')).toThrow(RangeError);
  expect(() => defineJob('a', { timeoutSeconds: 20, runSeconds: 21 })).toThrow(
    'a: runSeconds must be a whole number from 1 to 20',
  );
  expect(() => defineJob('a', { timeoutSeconds: 0 })).toThrow(
    'a: timeoutSeconds must be a whole number from 1 to 3600',
  );
  expect(() => defineJob('a', { retries: 0.5 })).toThrow(RangeError);
  expect(() => defineJob('a', { concurrency: 1_000 })).toThrow(RangeError);
  expect(() => defineJob('a', { retries: 16 })).not.toThrow();
  expect(() => defineJob('a', { retries: 17 })).toThrow('two weeks');
});
