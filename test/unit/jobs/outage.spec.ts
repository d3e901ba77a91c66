import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { enqueue } from '../../../src/common/jobs/enqueue.js';
import { defineJob } from '../../../src/common/jobs/job.js';
import { onServer, SERVER } from '../../support/environment.js';
import { freshDatabase, openServer } from '../db/stores.js';
import { FaultyWire } from '../../../scripts/proofs/support/faulty-wire.js';
import { startFailureOf } from '../../../src/start-failure-of.js';
import { migrate } from '../../../src/common/db/migrate.js';
import { JOB_MODEL, process, QUEUES, states, until } from './queues.js';

(SERVER ? describe : describe.skip)('while the database is away', () => {
  it('jobs wait, a line says so, and they are done when it is back', async () => {
    const { url, drop } = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    const store = await openServer(url, { model: JOB_MODEL });
    await migrate(store);
    const said: string[] = [];
    // the store has a line of its own
    const say = (message: string, context: string) => void (context === 'Jobs' && said.push(message));
    Logger.overrideLogger({ log: () => undefined, warn: say, error: say });
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => void unhandled.push(error);
    globalThis.process.on('unhandledRejection', onUnhandled);

    const job = defineJob<{ mark: string }>(QUEUES[1], { concurrency: 2 });
    const done: string[] = [];
    const { jobs } = process(store, { lookMs: 50, maintenanceSeconds: 1 });
    let during: Promise<void> | undefined;
    let back = (): void => undefined;
    jobs.work(job, async ({ mark }) => {
      // ends in the outage, so that its end cannot be recorded at once
      if (mark === 'across') await (during = new Promise((resolve) => (back = resolve)));
      done.push(mark);
    });
    try {
      await jobs.start();
      await enqueue(store.dataSource.manager, job, { mark: 'across' });
      await until(() => during !== undefined);
      await enqueue(store.dataSource.manager, job, { mark: 'before' });
      await until(() => done.includes('before'));

      await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
      await expect(enqueue(store.dataSource.manager, job, { mark: 'lost' })).rejects.toThrow();
      await until(() => said.length > 0);
      back();
      await pause(1_500);
      expect(said).toEqual([expect.stringContaining('Jobs wait')]);

      await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await until(() => said.some((line) => line.startsWith('Jobs run again')));
      await until(() => store.answers());
      await enqueue(store.dataSource.manager, job, { mark: 'after' });
      await until(() => done.includes('after'));
      await until(async () => (await states(store, job.name)).every((state) => state === 'completed'));
      expect(done).toEqual(['before', 'across', 'after']);
      expect(said).toHaveLength(2);
      expect(unhandled).toEqual([]);
    } finally {
      globalThis.process.off('unhandledRejection', onUnhandled);
      Logger.overrideLogger(false);
      await jobs.stop();
      await store.close();
      await drop();
    }
  });

  it('a process stops all the same, within its grace', async () => {
    const { url, drop } = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    const store = await openServer(url, { model: JOB_MODEL });
    await migrate(store);
    Logger.overrideLogger(false);
    const job = defineJob<{ mark: string }>(QUEUES[1]);
    const { jobs } = process(store, { graceMs: 500 });
    let begun = false;
    jobs.work(job, async () => {
      begun = true;
      await new Promise(() => undefined);
    });
    try {
      await jobs.start();
      await enqueue(store.dataSource.manager, job, { mark: '' });
      await until(() => begun);
      await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
      const began = performance.now();
      await jobs.stop();
      expect(performance.now() - began).toBeLessThan(5_000);
      await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await until(() => store.answers());
      // nobody could be told: it is done again when it has expired
      expect(await states(store, job.name)).toEqual(['active']);
    } finally {
      await jobs.stop();
      await store.close();
      await drop();
    }
  });

  it('a process that starts waits for it, and says so when it waits in vain', async () => {
    const { url: direct, drop } = await freshDatabase();
    const url = new URL(direct);
    const endings: (() => unknown)[] = [];
    const wire = await FaultyWire.to({ atEnd: (step) => endings.push(step) }, Number(url.port || 5432));
    url.host = `127.0.0.1:${wire.port}`;
    const store = await openServer(url.href, { model: JOB_MODEL });
    await migrate(store);
    Logger.overrideLogger(false);
    const job = defineJob<{ mark: string }>(QUEUES[1]);
    const [patient, hasty] = [20_000, 0].map((databaseWaitMs) => process(store, { databaseWaitMs }).jobs);
    const done: string[] = [];
    patient.work(job, ({ mark }) => Promise.resolve(void done.push(mark)));
    hasty.work(job, () => Promise.resolve());
    try {
      wire.sever();
      expect(startFailureOf(await hasty.start().catch((error: unknown) => error))).toMatch(/^DATABASE_URL: /);
      const starting = patient.start();
      await pause(1_000);
      wire.mend();
      await starting;
      await enqueue(store.dataSource.manager, job, { mark: 'after' });
      await until(() => done.includes('after'));
    } finally {
      await patient.stop();
      await hasty.stop();
      await store.close();
      for (const end of endings) await end();
      await drop();
    }
  }, 60_000);
});
