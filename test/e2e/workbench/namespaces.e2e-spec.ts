import { setTimeout as pause } from 'node:timers/promises';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AccountAccessService } from '../../../src/accounts/access/account-access.service.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import { RemovalService } from '../../../src/auth/removal.service.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { ExpiredMediaJob } from '../../../src/creatives/media-upload/expired-media.job.js';
import { NamespaceExpiryJob } from '../../../src/workbench/namespaces/namespace-expiry.job.js';
import { commandEnvironment } from '../../support/command-environment.js';
import { Api, type Answer, type Json, type Params } from '../../support/api.js';
import { addNamespacesCommands } from '../../../src/cli/workbench/namespaces.commands.js';
import { commandsInside } from '../../support/commands-inside.js';
import { useApp, world } from '../../support/app.js';
import { given, type Application } from '../../support/given.js';
import { application as registered, person, Visitor } from '../auth/visitor.js';

const PATH = '/workbench/namespaces';
const SECRETS = ['access_token', 'access_token_secret', 'consumer_secret'];
const AT_ONCE = 50;

let application: Application;
let ownerId: string;
let owner: Api;

async function prepare(): Promise<void> {
  application = await given.application();
  ownerId = (await world().get(ApplicationQueries).findById(application.id))!.ownerId;
  owner = await tokenOf(ownerId, application);
}

async function tokenOf(userId: string, { id, consumer }: Application): Promise<Api> {
  return new Api({ consumer, token: await world().get(AccessTokensService).issue(userId, id, 'write') });
}

/** A new namespace as the service shows it. */
async function create(form: Params = {}, by = owner): Promise<Json> {
  const { status, body } = await by.post(PATH, { form });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.data;
}

/** The caller whose credentials a namespace has. */
const callerIn = (namespace: Json): Api =>
  new Api({
    consumer: { key: namespace.consumer_key, secret: namespace.consumer_secret },
    token: { key: namespace.access_token, secret: namespace.access_token_secret },
  });

const idsOf = ({ status, body }: Answer): string[] => {
  expect({ status, errors: body.errors }).toEqual({ status: 200 });
  return body.data.map(({ id }: Json) => id);
};
const listed = async (by = owner) => idsOf(await by.get(PATH, { query: { max_results: 200 } }));
const codeOf = ({ status, body }: Answer): Json => [status, body.errors?.[0].code];

const campaignsOf = ({ account_id }: Json) => `/12/accounts/${account_id}/campaigns`;
const campaignForm = ({ funding_instrument_id }: Json): Params => ({
  name: 'Autumn',
  funding_instrument_id,
  daily_budget_amount_local_micro: 1_000_000,
});

/** How many rows the tables have of a namespace that are not marked deleted. */
async function leftOf({ user_id, application_id, account_id, sandbox_account_id, id }: Json): Promise<Json> {
  const [counts] = await world().sql<Json>(
    `SELECT (SELECT count(*)::int FROM namespaces WHERE id = $1) AS namespaces,
      (SELECT count(*)::int FROM users WHERE id = $2 AND "deletedAt" IS NULL) AS users,
      (SELECT count(*)::int FROM applications WHERE id = $3 AND "deletedAt" IS NULL) AS applications,
      (SELECT count(*)::int FROM access_tokens WHERE "userId" = $2) AS tokens,
      (SELECT count(*)::int FROM accounts a JOIN account_memberships m ON m."accountId" = a.id
        WHERE (a.id IN ($4, $5) OR m."userId" = $2) AND a."deletedAt" IS NULL) AS accounts,
      (SELECT count(*)::int FROM account_memberships WHERE "userId" = $2) AS memberships,
      (SELECT count(*)::int FROM journaled_requests WHERE "applicationId" = $3) AS requests,
      (SELECT count(*)::int FROM faults WHERE "applicationId" = $3) AS faults,
      (SELECT count(*)::int FROM webhooks WHERE "applicationId" = $3 AND "deletedAt" IS NULL) AS webhooks,
      (SELECT count(*)::int FROM media WHERE "ownerId" = $2) AS media`,
    id,
    user_id,
    application_id,
    account_id,
    sandbox_account_id,
  );
  return counts;
}

const NOTHING = {
  namespaces: 0,
  users: 0,
  applications: 0,
  tokens: 0,
  accounts: 0,
  memberships: 0,
  requests: 0,
  faults: 0,
  webhooks: 0,
  media: 0,
};

const countOf = async (applicationId = application.id) =>
  (
    await world().sql<{ value: number }>(
      `SELECT value FROM counters WHERE "ownerId" = $1 AND kind = 'namespaces'`,
      applicationId,
    )
  )[0]?.value ?? 0;

describe('namespaces', () => {
  useApp();
  beforeEach(prepare);

  it(`serves ${AT_ONCE} at once, each with campaigns of its own`, async () => {
    const namespaces = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => create({ name: `Run ${i}` })));
    expect(await countOf()).toBe(AT_ONCE);
    const runs = namespaces.map(async (namespace) => {
      const api = callerIn(namespace);
      const campaigns = campaignsOf(namespace);
      const created = await api.post(campaigns, { form: campaignForm(namespace) });
      expect(created).toMatchObject({ status: 201 });
      expect(idsOf(await api.get(campaigns))).toEqual([created.body.data.id]);
      expect(idsOf(await api.get('/12/accounts'))).toEqual([namespace.account_id]);
      const sandbox = api.in('sandbox');
      expect(idsOf(await sandbox.get('/12/accounts'))).toEqual([namespace.sandbox_account_id]);
      const funding = `/12/accounts/${namespace.sandbox_account_id}/funding_instruments`;
      expect(idsOf(await sandbox.get(funding))).toEqual([namespace.sandbox_funding_instrument_id]);
    });
    await Promise.all(runs);
    const [first, second] = namespaces;
    expect((await callerIn(first).get(campaignsOf(second))).status).toBe(404);
    expect((await listed()).sort()).toEqual(namespaces.map(({ id }) => id).sort());
    const deleted = await Promise.all(namespaces.map(({ id }) => owner.delete(`${PATH}/${id}`)));
    expect(deleted.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
    expect([await listed(), await countOf()]).toEqual([[], 0]);
  }, 60_000);

  it('has everything that signs requests, at once on every replica, and shows the secrets once', async () => {
    const namespace = await create({ name: 'Build <4711>', ttl: 120 });
    expect(namespace).toMatchObject({
      name: 'Build <4711>',
      base_url: expect.stringMatching(/^http/),
      ads_base_url: expect.stringMatching(/^http/),
      ads_sandbox_base_url: expect.stringMatching(/\/sandbox$/),
    });
    expect(Date.parse(namespace.expires_at) - Date.parse(namespace.created_at)).toBe(120_000);
    const answers = await Promise.all(Array.from({ length: 6 }, () => callerIn(namespace).get('/12/accounts')));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));

    const shown = (await owner.get(`${PATH}/${namespace.id}`)).body.data;
    expect(shown).toEqual(
      Object.fromEntries(Object.entries(namespace).filter(([name]) => !/token|consumer|base_url/.test(name))),
    );
    expect((await owner.get(PATH)).body.data).toEqual([shown]);
    const journal = JSON.stringify(await world().sql('SELECT * FROM journaled_requests'));
    for (const name of SECRETS) expect(journal).not.toContain(namespace[name]);

    const unnamed = await create();
    expect(unnamed.name).toBe(`Namespace ${unnamed.id}`);
    expect(Date.parse(unnamed.expires_at) - Date.parse(unnamed.created_at)).toBe(3_600_000);
    const page = await owner.get(PATH, { query: { max_results: 1 } });
    expect(idsOf(page)).toEqual([unnamed.id]);
    const rest = { max_results: 1, pagination_token: page.body.meta.next_token };
    expect(idsOf(await owner.get(PATH, { query: rest }))).toEqual([namespace.id]);
  });

  it('is deleted with everything in it', async () => {
    const namespace = await create();
    const api = callerIn(namespace);
    const campaigns = campaignsOf(namespace);
    await api.post(campaigns, { form: campaignForm(namespace) });
    expect((await api.in('sandbox').post('/12/accounts', { form: {} })).status).toBe(201);
    expect((await api.post('/workbench/faults', { form: { latency_ms: 1, probability: 0 } })).status).toBe(201);
    const { consumer, token } = api.credentials;
    await new Api({ consumer, token: { ...token, secret: 'wrong' } }).get(campaigns);
    const audience = await api.post(`/12/accounts/${namespace.account_id}/custom_audiences`, {
      form: { name: 'Visitors' },
    });
    expect(audience.status).toBe(201);
    const acting = await world().get(AccountAccessService).find('production', namespace.account_id, namespace.user_id);
    await given.libraryMedia(acting!);
    await given.webhook({ id: namespace.application_id }, 'https://receiver.example/hook');
    const before = await leftOf(namespace);
    expect(before).toMatchObject({ namespaces: 1, users: 1, applications: 1, tokens: 1, accounts: 3 });
    expect(before).toMatchObject({ faults: 1, webhooks: 1, media: 1 });

    const deleted = await Promise.all([1, 2, 3].map(() => owner.delete(`${PATH}/${namespace.id}`)));
    expect(deleted.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(await countOf()).toBe(0);
    await world().caughtUp();
    for (let i = 0; i < 4; i++) expect((await api.get(campaigns)).status).toBe(401);
    expect((await owner.get(`${PATH}/${namespace.id}`)).status).toBe(404);
    await owner.get('/12/accounts', { query: { q: namespace.user_id } });
    const requestsAbout = async () =>
      (
        await world().sql(
          `SELECT FROM journaled_requests r WHERE "applicationId" = $1 AND strpos(r::text, $2) > 0`,
          ...[application.id, namespace.user_id],
        )
      ).length;
    for (let tries = 0; tries < 50 && (await requestsAbout()) === 0; tries++) await pause(100);
    const [{ data: job }] = await world().sql<{ data: Json }>(
      `SELECT data FROM pgboss.job WHERE name = 'user-deleted' AND data->>'userId' = $1`,
      namespace.user_id,
    );
    await world().get(UserRemoval).finish(job.userId, undefined, job.isInvented);
    // the owner's own requests stay: the user is nobody
    expect(await requestsAbout()).toBe(1);
    await world().get(ExpiredMediaJob).removeExpired();
    expect(await leftOf(namespace)).toEqual(NOTHING);
    const [user] = await world().sql<Json>('SELECT username, name FROM users WHERE id = $1', namespace.user_id);
    expect(user).toEqual({ username: `deleted_${namespace.user_id}`, name: '' });
  });

  it('takes the accounts with it that its user creates meanwhile, and a deleted user creates none', async () => {
    for (let round = 0; round < 3; round++) {
      const namespace = await create();
      const sandbox = callerIn(namespace).in('sandbox');
      const [deleted, ...answers] = await Promise.all([
        owner.delete(`${PATH}/${namespace.id}`),
        ...Array.from({ length: 6 }, () => sandbox.post('/12/accounts', { form: {} })),
      ]);
      expect(deleted.status).toBe(200);
      const made = answers.filter(({ status }) => status !== 401);
      expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
      const left = await world().sql(
        `SELECT id FROM accounts WHERE id = ANY($1) AND "deletedAt" IS NULL`,
        made.map(({ body }) => body.data.id),
      );
      expect(left).toEqual([]);
    }
    const user = await world().get(UsersService).create('leaver', {});
    await world().get(UserRemoval).delete(user.id);
    const late = { environment: 'sandbox', name: 'Late', timezone: 'UTC' } as const;
    await expect(world().get(AccountsService).create(user.id, late)).rejects.toMatchObject({ status: 401 });
  });

  it('expires once over all replicas, and not before its time', async () => {
    const [short, long] = [await create({ ttl: 60 }), await create({ ttl: 120 })];
    const extended = await owner.put(`${PATH}/${short.id}`, { form: { ttl: 90 } });
    expect(extended).toMatchObject({ status: 200, body: { data: { id: short.id } } });
    const job = world().get(NamespaceExpiryJob);
    world().clock.advance(61_000);
    expect(await job.deleteExpired()).toBe(0);
    expect((await callerIn(short).get('/12/accounts')).status).toBe(200);
    world().clock.advance(31_000);
    expect(await listed()).toEqual([long.id]);
    expect((await owner.put(`${PATH}/${short.id}`, { form: { ttl: 90 } })).status).toBe(404);
    const jobs = await Promise.all(Array.from({ length: 4 }, () => job.deleteExpired()));
    // the scheduled job may be one more, and the counter is lowered once
    expect(jobs.filter((deleted) => deleted > 0).length).toBeLessThanOrEqual(1);
    await world().caughtUp();
    expect((await callerIn(short).get('/12/accounts')).status).toBe(401);
    expect((await callerIn(long).get('/12/accounts')).status).toBe(200);
    expect(await countOf()).toBe(1);
    await world().get(UserRemoval).finish(short.user_id);
    expect(await leftOf(short)).toEqual(NOTHING);
  });

  it('is created and deleted whole, or not at all', async () => {
    const namespace = await create();
    const users = async () =>
      (await world().sql<{ n: number }>('SELECT count(*)::int AS n FROM users WHERE "deletedAt" IS NULL'))[0].n;
    const before = await users();
    // the last statement of each fails, as if the process was killed before it
    await world().sql('ALTER TABLE namespaces ADD CONSTRAINT broken CHECK (false) NOT VALID');
    expect((await owner.post(PATH, { form: {} })).status).toBe(500);
    await world().sql('ALTER TABLE namespaces DROP CONSTRAINT broken');
    expect([await users(), await countOf()]).toEqual([before, 1]);

    await world().sql(`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''broken''; END'`);
    await world().sql('CREATE TRIGGER broken BEFORE DELETE ON namespaces FOR EACH ROW EXECUTE FUNCTION broken()');
    expect((await owner.delete(`${PATH}/${namespace.id}`)).status).toBe(500);
    expect((await callerIn(namespace).get(campaignsOf(namespace))).status).toBe(200);
    world().clock.advance(3_601_000);
    await world().get(NamespaceExpiryJob).deleteExpired();
    expect((await leftOf(namespace)).namespaces).toBe(1);
    await world().sql('DROP TRIGGER broken ON namespaces');
    await world().sql('DROP FUNCTION broken()');
    await world().get(NamespaceExpiryJob).deleteExpired();
    expect([await leftOf(namespace), await countOf()]).toMatchObject([{ namespaces: 0, users: 0, accounts: 0 }, 0]);
  });

  it('allows 200 for an application, however many requests create them at once', async () => {
    await create();
    await world().sql(`UPDATE counters SET value = 197 WHERE "ownerId" = $1 AND kind = 'namespaces'`, application.id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => owner.post(PATH, { form: {} })));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(codeOf)).toEqual(Array(5).fill([400, 214]));
    expect(await countOf()).toBe(200);
    const [{ body }] = answers.filter(({ status }) => status === 201);
    await owner.delete(`${PATH}/${body.data.id}`);
    await create();
    expect((await listed()).length).toBe(4);
  });

  it('concerns the application alone, and none is created in a namespace', async () => {
    const namespace = await create();
    const other = await given.application();
    const stranger = await tokenOf((await world().get(ApplicationQueries).findById(other.id))!.ownerId, other);
    expect(await listed(stranger)).toEqual([]);
    for (const refused of [
      await stranger.get(`${PATH}/${namespace.id}`),
      await stranger.put(`${PATH}/${namespace.id}`, { form: { ttl: 60 } }),
      await stranger.delete(`${PATH}/${namespace.id}`),
    ])
      expect(refused).toMatchObject({
        status: 404,
        body: { errors: [{ code: 34, parameters: { namespace_id: [namespace.id] } }] },
      });
    const client = await given.client({ application });
    expect((await client.api.post(PATH, { form: {} })).status).toBe(403);
    const inside = callerIn(namespace);
    expect(codeOf(await inside.post(PATH, { form: {} }))).toEqual([403, 87]);
    expect((await inside.get('/workbench/faults')).status).toBe(200);
    expect(await countOf(namespace.application_id)).toBe(0);
  });

  it('rejects bad input and names the field', async () => {
    const { id } = await create();
    const cases: [Params, string][] = [
      [{ ttl: 59 }, 'ttl'],
      [{ ttl: 604_801 }, 'ttl'],
      [{ ttl: -1 }, 'ttl'],
      [{ ttl: 1.5 }, 'ttl'],
      [{ ttl: 'soon' }, 'ttl'],
      [{ ttl: '' }, 'ttl'],
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(81) }, 'name'],
    ];
    for (const [form, parameter] of cases) {
      const { status, body } = await owner.post(PATH, { form });
      const named = (body.errors as Json[]).map(({ parameters }) => Object.keys((parameters ?? {}) as object)[0]);
      expect([form, status, named]).toEqual([form, 400, [parameter]]);
    }
    expect((await owner.put(`${PATH}/${id}`, { form: {} })).status).toBe(400);
    expect((await owner.put(`${PATH}/${id}`, { form: { ttl: 59 } })).status).toBe(400);
    expect(await listed()).toEqual([id]);
  });

  it('ends with the owner of the application', async () => {
    const namespace = await create();
    await world().get(RemovalService).deleteApplication(application);
    await world().get(UserRemoval).delete(ownerId);
    await world().get(UserRemoval).finish(ownerId);
    await world().get(NamespaceExpiryJob).deleteExpired();
    expect(await leftOf(namespace)).toMatchObject({ namespaces: 0, users: 0, applications: 0, accounts: 0 });
  });

  it('is managed on the command line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'marquee-namespaces-'));
    const env = commandEnvironment(owner.credentials);
    const marqueeProcess = (...args: string[]) =>
      promisify(execFile)(process.execPath, ['bin/marquee.mjs', ...args], { env });
    const marquee = commandsInside(addNamespacesCommands, owner.credentials);
    try {
      const file = join(folder, 'namespace.json');
      const created = await marqueeProcess(
        'namespaces',
        'create',
        '--ttl',
        '600',
        '--name',
        'Build 1',
        '--output',
        file,
      );
      const [id] = await listed();
      expect(created.stdout).toMatch(new RegExp(`^Namespace ${id} expires at \\S+\\. Its credentials are in ${file}`));
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const written = JSON.parse(readFileSync(file, 'utf8'));
      expect((await callerIn(written).get(`/12/accounts/${written.account_id}`)).status).toBe(200);
      await expect(marquee('namespaces', 'create', '--output', file)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('exists'),
      });
      const unwritten = join(folder, 'unwritten.json');
      await expect(marquee('namespaces', 'create', '--ttl', '1', '--output', unwritten)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('ttl'),
      });
      expect(() => statSync(unwritten)).toThrow();
      expect((await marquee('namespaces', 'list')).stdout).toMatch(new RegExp(`${id} +Build 1 +ns${id}`));
      const extended = await marquee('namespaces', 'extend', id, '--ttl', '86400', '--json');
      const { expires_at } = JSON.parse(extended.stdout) as { expires_at: string };
      expect(Date.parse(expires_at) - Date.parse(written.expires_at)).toBeGreaterThan(80_000_000);
      await expect(marquee('namespaces', 'extend', id, '--ttl', '1')).rejects.toMatchObject({
        stderr: expect.stringContaining('ttl'),
      });
      expect((await marquee('namespaces', 'delete', id)).stdout).toBe('Deleted 1 namespace.\n');
      expect(await listed()).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);

  it('is managed on a page, which shows the secrets once', async () => {
    const user = await person();
    const own = await registered({ ownerId: user.id, name: 'Campaign Desk' });
    const page = `/workbench/applications/${own.id}/namespaces`;
    const visitor = await new Visitor().signIn(user.username);
    await visitor.get(page);
    expect(visitor.page.text).toContain('There are no namespaces');
    expect(visitor.page.text).toContain('id="live"');
    await visitor.post(page, { csrf: 'wrong', ttl: '3600' });
    expect(visitor.page.status).toBe(403);
    expect(visitor.page.text).not.toContain('id="live"');
    await visitor.get(page);
    await visitor.post(page, { csrf: visitor.csrf, name: '<b>Run</b>', ttl: '9' });
    expect([visitor.page.status, visitor.page.text.includes('ttl')]).toEqual([400, true]);
    await visitor.post(page, { csrf: visitor.csrf, name: '<b>Run</b>', ttl: '3600' });
    expect(visitor.page.status).toBe(201);
    expect(visitor.page.text).not.toContain('<b>Run');
    const shown = /<pre[^>]*>(.*?)<\/pre>/s.exec(visitor.page.text)![1];
    const namespace = JSON.parse(shown.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>'));
    expect((await callerIn(namespace).get('/12/accounts')).status).toBe(200);
    await visitor.get(page);
    expect(visitor.page.text).toContain(namespace.id);
    // an application that may not use the API makes no other that may
    for (const access of [{ adsAccess: false }, { adsAccess: true, conversionsOnly: true }]) {
      await world().get(ApplicationsService).update(own.id, access);
      await visitor.post(page, { csrf: visitor.csrf, name: 'Way around', ttl: '3600' });
      expect([visitor.page.status, visitor.page.text.includes('Way around')]).toEqual([403, false]);
    }
    await world().get(ApplicationsService).update(own.id, { conversionsOnly: false });
    for (const name of SECRETS) expect(visitor.page.text).not.toContain(namespace[name]);
    await visitor.post(`${page}/${namespace.id}/delete`, { csrf: visitor.csrf });
    expect([visitor.page.status, visitor.location]).toEqual([303, page]);
    await visitor.get(page);
    expect(visitor.page.text).toContain('There are no namespaces');
    await visitor.post(`${page}/${namespace.id}/delete`, { csrf: visitor.csrf });
    expect([visitor.page.status, visitor.page.text.includes(namespace.id)]).toEqual([404, true]);
  });
});
