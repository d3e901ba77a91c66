import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { ExpiredRowsJob } from '../../../src/auth/expired-rows.job.js';
import { AccountAccessService } from '../../../src/accounts/access/account-access.service.js';
import { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import { readLong } from '../../../src/common/db/query/long-read.js';
import { lockName } from '../../../src/common/db/query/name-lock.js';
import { run } from '../../../src/common/db/query/statement.js';
import { BossDatabase } from '../../../src/common/jobs/boss-database.js';
import { CustomAudiencesService } from '../../../src/audiences/custom-audiences/custom-audiences.service.js';
import { WebhookRetentionJob } from '../../../src/webhooks/deliveries/retention.job.js';
import { PgBouncer, pgbouncerProgram } from '../../../scripts/proofs/support/pgbouncer.js';
import { Stage } from '../../../scripts/proofs/support/stage.js';
import { useApp, world } from '../../support/app.js';
import { SERVER } from '../../support/environment.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { closeReceivers, receiver, type Received } from '../../support/receiver.js';

(SERVER && pgbouncerProgram() ? describe : describe.skip)('behind PgBouncer in transaction mode', () => {
  const stage = new Stage();
  let pooler: PgBouncer;
  // without anything to ignore: the service sends no settings of sessions
  beforeAll(
    async () => void (pooler = await PgBouncer.start(stage, SERVER!, 'transaction', ['default_pool_size = 6'])),
  );
  afterAll(() => stage.end());
  useApp({}, 2, () => pooler.url);
  afterEach(closeReceivers);

  let advertiser: Advertiser;
  let funding: { id: string };
  beforeEach(async () => {
    advertiser = await given.advertiser();
    funding = await given.fundingInstrument({ account: advertiser.account });
  });

  const params = (name: string) => ({
    funding_instrument_id: funding.id,
    name,
    daily_budget_amount_local_micro: 5_500_000,
  });
  const path = () => `/12/accounts/${advertiser.account.id}/campaigns`;
  const create = (name: string): Promise<Answer> => advertiser.api.post(path(), { query: params(name) });
  const names = async (): Promise<string[]> =>
    (await advertiser.api.get(path(), { query: { count: 200 } })).body.data.map(({ name }: Json) => name);

  it('many concurrent writes, to few rows and to many, are stored once', async () => {
    const wanted = Array.from({ length: 60 }, (_, i) => `Campaign ${i}`);
    const answers = await Promise.all(wanted.map(create));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await names()).toSorted()).toEqual(wanted.toSorted());
    const { id } = answers[0].body.data;
    const changes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => advertiser.api.put(`${path()}/${id}`, { query: { name: `Changed ${i}` } })),
    );
    expect(new Set(changes.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await advertiser.api.delete(`${path()}/${id}`)).status).toBe(200);
    expect(await names()).toHaveLength(59);
  });

  it('batches are stored as a whole or not at all', async () => {
    const batch = (json: Json) =>
      advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, { json });
    const creation = (name: string) => ({ operation_type: 'Create', params: params(name) });
    const all = Array.from({ length: 40 }, (_, i) => `Batch ${i}`);
    expect((await batch(all.map(creation))).status).toBe(200);
    expect((await batch([creation('Not stored'), creation('')])).status).toBe(400);
    expect((await names()).toSorted()).toEqual(all.toSorted());
  });

  it('webhooks and jobs carry a change out in the background', async () => {
    const target = await receiver();
    const application = await given.application();
    const integrated = await given.advertiser({ application });
    await given.webhook(application, target.url, integrated.account.id);
    const audience = await given.customAudience({ account: integrated.account });
    // others report the account, which is as new
    const reportsAudience = ({ text }: Received) => text.includes(audience.id);
    await target.until(1, reportsAudience);
    await world().get(CustomAudiencesService).delete(integrated.account, audience.id);
    const [created, deleted] = await target.until(2, reportsAudience);
    expect([created, deleted].map(({ text }) => /"type":"(\w+)"/.exec(text)?.[1])).toEqual(['create', 'delete']);
  });

  it('another replica hears of a change at once, so that its cache is right', async () => {
    const sent = Date.now();
    await world().caughtUp();
    expect(world().get(DatabaseNotifications).connected).toBe(true);
    const { account } = advertiser;
    expect(await world().get(AccountAccessService).find('production', account.id, account.userId)).toBeTruthy();
    expect(Date.now() - sent).toBeLessThan(10_000);
  });

  it('old rows are removed, and the job queue is maintained', async () => {
    await world().get(WebhookRetentionJob).clear();
    await world().get(ExpiredRowsJob).deleteExpired();
    const boss = new BossDatabase(world().get(DataSource), { succeeded: () => undefined, failed: () => undefined });
    const { rows } = await boss.executeSql<{ timeout: string }>(
      `BEGIN; SELECT 1; COMMIT; SELECT current_setting('statement_timeout') AS timeout`,
    );
    expect(rows).toEqual([{ timeout: '1min' }]);
  });

  it('sessions have the settings of the service, and transactions a longer lock timeout', async () => {
    const settings = {
      text: `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS locks, current_setting('TimeZone') AS zone,
        current_setting('jit') AS jit, current_setting('plan_cache_mode') AS plans`,
      values: [],
    };
    const ofRole = { statement: '3s', locks: '20ms', zone: 'UTC', jit: 'off', plans: 'force_generic_plan' };
    const db = world().get(DataSource);
    const outside = await Promise.all(Array.from({ length: 10 }, () => run(db.manager, settings)));
    const inside = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        db.transaction(async (tx) => {
          await lockName(tx, `pooled ${i % 2}`);
          return run(tx, settings);
        }),
      ),
    );
    const long = await readLong(db, settings, { seconds: 30, megabytes: 16 });
    expect(new Set(outside.flat().map((row) => JSON.stringify(row)))).toEqual(new Set([JSON.stringify(ofRole)]));
    for (const [row] of inside) expect(row).toEqual({ ...ofRole, locks: '1s' });
    expect(long).toEqual([{ ...ofRole, statement: '30s', locks: '1s', plans: 'force_custom_plan' }]);
    // nothing of that stays on the connections that others get
    expect(await run(db.manager, settings)).toEqual([ofRole]);
  });

  it('the command prints the settings that the role has', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['bin/marquee.mjs', 'database', 'settings', '--json'],
      { env: { PATH: process.env.PATH, DATABASE_URL: world().config.databaseUrl } },
    );
    const [{ stored }] = await world().sql<{ stored: string[] }>(
      `SELECT setconfig AS stored FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase WHERE datname = current_database()`,
    );
    const printed = (JSON.parse(stdout) as string[]).map((statement) => {
      const [, name, value] = /^ALTER ROLE "\w+" IN DATABASE "\w+" SET (\w+) = '([^']*)';$/.exec(statement)!;
      return `${name}=${value}`;
    });
    expect(printed.toSorted()).toEqual(stored.toSorted());
  });

  it('a write waits for a lock as long as without a pooler', async () => {
    const { status, body } = await create('Locked');
    expect(status).toBe(201);
    const db = world().get(DataSource);
    let unlock = (): void => undefined;
    const released = new Promise<void>((resolve) => (unlock = resolve));
    const locked = db.transaction(async (tx) => {
      await run(tx, {
        text: 'SELECT 1 FROM campaigns WHERE id = $1 FOR UPDATE /* of all accounts */',
        values: [body.data.id],
      });
      await released;
    });
    const changed = advertiser.api.put(`${path()}/${body.data.id}`, { query: { name: 'Unlocked' } });
    await pause(300);
    unlock();
    await locked;
    expect((await changed).status).toBe(200);
  });

  it('while PgBouncer is away requests get 503 with retry-after, and it is used again when it is back', async () => {
    await pooler.stop();
    const refused = await create('While it is away');
    expect(refused.status).toBe(503);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await pooler.restart();
    const deadline = Date.now() + 15_000;
    let served = await create('After the restart');
    while (served.status === 503 && Date.now() < deadline) {
      await pause(100);
      served = await create('After the restart');
    }
    expect(served.status).toBe(201);
    const heard = async () => {
      await Promise.race([world().caughtUp(), pause(2_000).then(() => Promise.reject(new Error('nothing is heard')))]);
      return true;
    };
    // the other replica may still look for the database
    while (!(await heard().catch(() => Date.now() > deadline))) await pause(100);
    await heard();
    expect(await names()).toContain('After the restart');
  });
});
