import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DataSource } from 'typeorm';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { DeliveryWorker } from '../../../src/webhooks/deliveries/delivery-worker.js';
import { JournalRetentionJob } from '../../../src/workbench/journal/journal-retention.job.js';
import { JournaledRequest } from '../../../src/workbench/journal/journaled-request.entity.js';
import { anonymously, Api, authorization, sendPrepared, type Json } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { BearerApi } from '../../support/bearer-api.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import { send } from '../../support/http.js';
import { closeReceivers, receiver } from '../../support/receiver.js';

describe('the request journal', () => {
  useSharedApp();
  afterEach(closeReceivers);

  let application: Application;
  let advertiser: Advertiser;
  let owner: Api;
  let campaigns: string;

  beforeEach(async () => {
    application = await given.application();
    advertiser = await given.advertiser({ application });
    campaigns = `/12/accounts/${advertiser.account.id}/campaigns`;
    owner = await ownerOf(application);
  });

  async function ownerOf({ id, consumer }: Application): Promise<Api> {
    const { ownerId } = (await world().get(ApplicationQueries).findById(id))!;
    return new Api({ consumer, token: await world().get(AccessTokensService).issue(ownerId, id, 'write') });
  }

  const listed = async (query = {}): Promise<Json[]> => (await owner.get('/workbench/requests', { query })).body.data;
  const detailOf = async (id: string): Promise<Json> => (await owner.get(`/workbench/requests/${id}`)).body.data;
  const count = async (form = {}): Promise<number> =>
    (await owner.post('/workbench/requests/count', { form })).body.data.count;

  it('has each request with its response, newest first, found by every filter', async () => {
    const created = await advertiser.api.get(campaigns, { query: { count: 7 } });
    const refused = await advertiser.api.post(campaigns, { form: { name: 'Autumn' } });
    const missing = await advertiser.api.get(`${campaigns}/abc`);
    const all = await listed();
    expect(all.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['GET', `${campaigns}/abc`, 404],
      ['POST', campaigns, 400],
      ['GET', campaigns, 200],
    ]);
    expect(all.map(({ request_id }) => request_id)).toEqual(
      [missing, refused, created].map(({ headers }) => headers['x-request-id']),
    );
    expect(all[0]).toMatchObject({ account_id: advertiser.account.id, user_id: advertiser.user.id });

    const matches = async (query: object) => {
      const ids = (await listed(query)).map(({ status }) => status);
      expect(await count(query)).toBe(ids.length);
      return ids;
    };
    expect(await matches({ status: '4xx' })).toEqual([404, 400]);
    expect(await matches({ status: '404,2xx' })).toEqual([404, 200]);
    expect(await matches({ method: 'POST' })).toEqual([400]);
    expect(await matches({ path: campaigns })).toEqual([400, 200]);
    expect(await matches({ path: '/12/accounts/*/campaigns/*' })).toEqual([404]);
    expect(await matches({ path: '/12/accounts/%' })).toEqual([]);
    expect(await matches({ account_id: advertiser.account.id })).toHaveLength(3);
    expect(await matches({ account_id: 'zzz' })).toEqual([]);
    expect(await matches({ request_id: refused.headers['x-request-id'] })).toEqual([400]);
    const hour = (hours: number) => new Date(world().clock.now().getTime() + hours * 3_600_000).toISOString();
    expect(await matches({ start_time: hour(-1), end_time: hour(1) })).toHaveLength(3);
    expect(await matches({ start_time: hour(1) })).toEqual([]);
    expect(await matches({ end_time: hour(-1) })).toEqual([]);

    const page = await owner.get('/workbench/requests', { query: { max_results: 2 } });
    const next = await owner.get('/workbench/requests', {
      query: { max_results: 2, pagination_token: page.body.meta.next_token },
    });
    expect([...page.body.data, ...next.body.data]).toEqual(all);
    expect(next.body.meta).toEqual({ result_count: 1 });
  });

  it('shows parameters, signature, response and the commands that repeat it', async () => {
    const answer = await advertiser.api.get(campaigns, { query: { count: 7, q: "it's\u0000 ü 😀" } });
    const detail = await detailOf(String(answer.headers['x-request-id']));
    expect(detail).toMatchObject({
      auth_scheme: 'OAUTH1',
      body: { text: null, truncated: false },
      events: [],
      response: { text: answer.text, truncated: false, bytes: Buffer.byteLength(answer.text) },
      signature: { verdict: 'VALID', reason: null },
      url: `${world().url}${campaigns}`,
    });
    expect(detail.parameters).toEqual({ count: '7', q: "it's\u0000 ü 😀" });
    expect(detail.signature.base_string).toContain(`GET&${encodeURIComponent(`${world().url}${campaigns}`)}&count%3D7`);
    for (const command of Object.values(detail.commands as Record<string, string>))
      expect(command).toContain(campaigns);
  });

  it('shows why a signature was rejected, and a replay', async () => {
    const good = advertiser.api.prepare('GET', campaigns);
    expect((await sendPrepared(good)).status).toBe(200);
    const again = await sendPrepared(good);
    const wrong = new Api({
      ...advertiser.credentials,
      token: { ...advertiser.credentials.token, secret: 'wrong' },
    });
    const bad = await wrong.get(campaigns);
    const late = await send(world().url, campaigns, {
      method: 'GET',
      headers: {
        authorization: authorization(advertiser.credentials, 'GET', `${world().url}${campaigns}`, {}, { timestamp: 1 }),
      },
    });
    const verdicts = [];
    for (const { headers, status } of [again, bad, late]) {
      const { signature, user_id } = await detailOf(String(headers['x-request-id']));
      verdicts.push([status, signature.verdict, signature.reason, signature.base_string === null, user_id !== null]);
    }
    expect(verdicts).toEqual([
      [401, 'REPLAYED', 'nonce-used', false, true],
      [401, 'INVALID', 'signature', false, false],
      [401, 'INVALID', 'out-of-bounds', true, false],
    ]);
    await anonymously('GET', campaigns);
    expect(await count()).toBe(4);
  });

  it('shows the webhook events that a request caused, and their deliveries', async () => {
    const funding = await given.fundingInstrument({ account: advertiser.account });
    const target = await receiver();
    const webhook = await given.webhook(application, target.url, advertiser.account.id);
    const json = [1, 2].map((n) => ({
      operation_type: 'Create',
      params: {
        name: `Journal ${n}`,
        funding_instrument_id: funding.id,
        daily_budget_amount_local_micro: 1_000_000,
        entity_status: 'PAUSED',
      },
    }));
    const answer = await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, { json });
    expect(answer.status).toBe(200);
    const id = String(answer.headers['x-request-id']);
    let detail = await detailOf(id);
    for (
      let i = 0;
      i < 100 && detail.events.some(({ deliveries }: Json) => deliveries[0]?.state !== 'DELIVERED');
      i++
    ) {
      world().get(DeliveryWorker).wakeUp();
      detail = await detailOf(id);
    }
    expect(detail.body).toMatchObject({ text: JSON.stringify(json), truncated: false });
    expect(detail.events.map(({ kind, deliveries }: Json) => [kind, deliveries])).toEqual(
      Array(2).fill([
        'campaign.create',
        [{ attempt_count: 1, last_status: 200, state: 'DELIVERED', webhook_id: webhook }],
      ]),
    );
    // webhooks of the account also receive what happened before
    expect(target.received.map(({ event }) => event.event_id as string)).toEqual(
      expect.arrayContaining(detail.events.map(({ event_id }: Json) => event_id as string)),
    );
  });

  it('has no secret of any request', async () => {
    const bearer = await BearerApi.of(application);
    const listedWebhooks = await bearer.get('/2/webhooks');
    expect(listedWebhooks.status).toBe(200);
    const basic = Buffer.from(`${application.consumer.key}:${application.consumer.secret}`).toString('base64');
    const issued = await send(world().url, '/oauth2/token', {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    const token = issued.body.access_token as string;
    const json = [{ operation_type: 'Create', params: { name: 'x', client_secret: 'hidden-secret' } }];
    await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, { json });
    await advertiser.api.get(campaigns, { query: { password: 'hidden-secret' } });
    const details = await Promise.all((await listed()).map(({ id }) => detailOf(id as string)));
    expect(details.map(({ auth_scheme }) => auth_scheme)).toEqual(['OAUTH1', 'OAUTH1', 'BASIC', 'BEARER']);
    expect(details[2].response.text).toContain('"access_token":"***"');
    const kept = JSON.stringify(await rows(world().get(DataSource).manager, JournaledRequest).getMany());
    for (const secret of [
      token,
      'hidden-secret',
      application.consumer.secret,
      basic,
      advertiser.credentials.token.secret,
    ])
      expect(kept.includes(secret)).toBe(false);
  });

  it('has no person of any upload, nor secrets that are not texts or have no name', async () => {
    const audience = await given.customAudience({ account: advertiser.account });
    const hash = 'ab'.repeat(32);
    const secrets = ['jane@mail.example', hash, 'own-id-4711', 'hidden-secret', '4242424242', 'aGlkZGVuLXNlY3JldA=='];
    const users = [{ email: [hash], partner_user_id: ['own-id-4711'] }];
    const people = `/12/accounts/${advertiser.account.id}/custom_audiences/${audience.id}/users`;
    const upload = (params: object, path = people) =>
      advertiser.api.post(path, { json: [{ operation_type: 'Update', params }] });
    expect((await upload({ users })).status).toBe(200);
    for (const wrong of [
      { users: [{ email: ['jane@mail.example'] }] },
      { users: [{ email: [4242424242] }] },
      { users: [{ phone_number: 'hidden-secret' }] },
      { users: 'own-id-4711' },
      { users, effective_at: 'own-id-4711' },
    ])
      expect((await upload(wrong)).status).toBe(400);
    // at a wrong path, as a form, which is not even authenticated, and in the query
    await upload({ users }, `/12/batch/accounts/${advertiser.account.id}/campaigns`);
    await upload({ users: [{ partner_user_id: ['own-id-4711'] }] }, `${people}/`);
    await advertiser.api.post(people, { form: { users: JSON.stringify(users), partner_user_id: 'own-id-4711' } });
    await advertiser.api.get(campaigns, { query: { q: 'jane@mail.example', email: hash } });
    await advertiser.api.post('/1.1/media/upload', { form: { media_data: 'aGlkZGVuLXNlY3JldA==' } });
    const params = { name: 'x', client_secret: { a: ['hidden-secret'] }, password: 4242424242, token: ['own-id-4711'] };
    const json = [{ operation_type: 'Create', params }];
    await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, { json });
    const bearer = await BearerApi.of(application);
    await bearer.post('/2/webhooks', {
      json: { url: 'https://jane:hidden-secret@mail.example/hook?token=own-id-4711' },
    });

    const all = await listed();
    expect(all).toHaveLength(13);
    const shown = await Promise.all(all.map(({ id }) => detailOf(id as string)));
    const kept = await rows(world().get(DataSource).manager, JournaledRequest)
      .where('applicationId', application.id)
      .getMany();
    for (const text of [JSON.stringify(shown), JSON.stringify(kept), decodeURIComponent(JSON.stringify(kept))])
      for (const secret of secrets) expect({ secret, found: text.includes(secret) }).toEqual({ secret, found: false });
    // developers still see what was wrong
    const messages = shown.map(({ response }) => String(response.text));
    expect(messages.some((text) => text.includes('effective_at'))).toBe(true);
  });

  it('masks by the same rules what releases before have stored', async () => {
    const answer = await advertiser.api.get(campaigns);
    const id = String(answer.headers['x-request-id']);
    expect((await detailOf(id)).status).toBe(200);
    const people = `/12/accounts/${advertiser.account.id}/custom_audiences/abc/users`;
    const old = {
      url: `https://jane:hidden-secret@mail.example${people}`,
      scheme: 'OAUTH1',
      parameters: { q: 'jane@mail.example', client_secret: ['hidden-secret'] },
      body: { text: '[{"params":{"users":[{"partner_user_id":["own-id-4711"]}]}}]', truncated: false, bytes: 60 },
      contentType: 'application/json',
      userAgent: 'node',
      signature: { verdict: 'VALID', reason: null, baseString: 'POST&http%3A%2F%2Fa&q%3D1%2520jane%2540mail.example' },
      response: {
        text: '{"errors":[{"message":"Expected String, got \\"own-id-4711\\" for users"}]}',
        truncated: false,
        bytes: 60,
        contentType: 'application/json',
      },
      changeIds: [],
    };
    const stored = { path: people, method: 'POST', status: 400, detail: JSON.stringify(old) };
    await world().get(DataSource).manager.update(JournaledRequest, { requestId: id }, stored);
    const shown = await detailOf(id);
    expect(shown.body).toMatchObject({ text: null, truncated: true });
    expect(JSON.stringify(shown)).not.toMatch(/jane|hidden-secret|own-id-4711/);
    expect(shown.response.text).toContain('Expected String');
  });

  it('cuts what is large', async () => {
    await advertiser.api.get(campaigns, { query: { q: 'x'.repeat(3_000) } });
    const json = Array.from({ length: 40 }, () => ({ operation_type: 'Create', params: { name: 'x'.repeat(500) } }));
    await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, { json });
    const [batch, list] = await listed();
    expect(await detailOf(batch.id as string)).toMatchObject({
      body: { text: null, truncated: true, bytes: JSON.stringify(json).length },
      response: { truncated: true },
    });
    expect((await detailOf(list.id as string)).parameters.q).toHaveLength(2_051);
  });

  it('cuts the base string of a large form, and has no part of a secret of it', async () => {
    const form = { a: 'x', name: 'y'.repeat(300_000), zz_password: 'hunter2' };
    expect((await advertiser.api.post(campaigns, { form })).status).toBe(400);
    const [{ id }] = await listed();
    const { parameters, signature } = await detailOf(id as string);
    expect(parameters).toMatchObject({ a: 'x', zz_password: '***' });
    expect(parameters.name).toHaveLength(2_051);
    expect(signature.verdict).toBe('VALID');
    expect(signature.base_string).toMatch(/^POST&http.*&a%3Dx%26\.\.\.$/);
  });

  it('belongs to the owner of the application, and to no other', async () => {
    const answer = await advertiser.api.get(campaigns);
    const id = String(answer.headers['x-request-id']);
    expect(await advertiser.api.get('/workbench/requests')).toMatchObject({
      status: 403,
      body: { detail: 'Only the owner of the application may use the workbench' },
    });
    const other = await ownerOf(await given.application());
    expect((await other.get('/workbench/requests')).body.data).toEqual([]);
    expect(await other.get(`/workbench/requests/${id}`)).toMatchObject({
      status: 404,
      body: { errors: [{ code: 34, parameters: { request_id: [id] } }] },
    });
    expect(await anonymously('GET', '/workbench/requests')).toMatchObject({
      status: 400,
      body: { errors: [{ code: 215 }] },
    });
    expect((await owner.get(`/workbench/requests/${id}`)).status).toBe(200);
    expect(await count()).toBe(1);
  });

  it('rejects filters that select nothing', async () => {
    const faults = [
      [{ status: '600' }, 'status'],
      [{ method: 'FETCH' }, 'method'],
      [{ start_time: '2026-10-02T00:00:00Z', end_time: '2026-10-01T00:00:00Z' }, 'end_time'],
      [{ pagination_token: 'x' }, 'pagination_token'],
    ] as const;
    for (const [query, parameter] of faults)
      expect(await owner.get('/workbench/requests', { query })).toMatchObject({
        status: 400,
        body: { errors: [{ parameters: { [parameter]: expect.anything() } }] },
      });
  });

  it('returns the newest of several requests with the same x-request-id', async () => {
    const headers = { 'x-request-id': randomUUID() };
    await advertiser.api.get(campaigns, { headers });
    await advertiser.api.get(`${campaigns}/abc`, { headers });
    expect((await detailOf(headers['x-request-id'])).status).toBe(404);
    expect(await count({ request_id: headers['x-request-id'] })).toBe(2);
  });

  it('keeps a day, the last requests of each application, and nothing about deleted users', async () => {
    const others = await given.application();
    const other = await given.client({ application: others });
    for (let i = 0; i < 5; i++) await advertiser.api.get(campaigns, { query: { count: i + 1 } });
    await other.api.get('/12/accounts');
    await (await ownerOf(others)).get('/workbench/requests');
    const before = await listed();
    const retention = world().get(JournalRetentionJob);
    const db = world().get(DataSource).manager;
    await retention.clear(undefined, { rejected: 2, others: 3 });
    expect(await listed()).toEqual(before.slice(0, 3));
    expect(await rows(db, JournaledRequest).where('userId', other.user.id).getCount()).toBe(1);

    await advertiser.api.get(campaigns, { query: { q: other.user.username.toUpperCase() } });
    expect(await count()).toBe(4);
    await world().get(UserRemoval).delete(other.user.id);
    await world().get(UserRemoval).finish(other.user.id);
    expect(await rows(db, JournaledRequest).where('userId', other.user.id).getExists()).toBe(false);
    expect(await count()).toBe(3);

    const { clock } = world();
    const now = clock.now();
    clock.set(new Date(now.getTime() + 24 * 3_600_000 + 1_000));
    await retention.clear();
    clock.set(now);
    expect(await count()).toBe(0);
  });

  it('keeps the last requests also where many follow a long silence', async () => {
    const retention = world().get(JournalRetentionJob);
    // connections keep plans for a table of this size
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 10 }, () => retention.clear()));
    await advertiser.api.get(campaigns);
    const [{ id }] = await listed();
    await world().sql(
      `INSERT INTO journaled_requests SELECT (json_populate_record(r, json_build_object('id', r.id || lpad(n::text, 5, '0')))).*
       FROM journaled_requests r, generate_series(1, 20000) n WHERE r.id = $1`,
      id,
    );
    await retention.clear();
    expect(await count()).toBe(9_000);
  });

  it('survives parameters with separators, and strangers write into no journal', async () => {
    await advertiser.api.get(campaigns);
    const forged = ['a', application.id, '', 'forged', '1', '1', 'POST', world().url, '/forged', '201'].join('\n');
    const hostile = ['a\nb', '\n', `${forged}\n`.repeat(3), 'a\0b', '\0', 'ü', ' ', '"', '\u2028'];
    for (const key of hostile) {
      for (const name of ['oauth_consumer_key', 'oauth_token', 'oauth_nonce', 'oauth_signature', 'oauth_timestamp']) {
        const oauth = {
          oauth_consumer_key: application.consumer.key,
          oauth_token: 'x',
          oauth_nonce: 'x',
          oauth_signature: 'x',
          oauth_signature_method: 'HMAC-SHA1',
          oauth_timestamp: String(world().clock.seconds()),
          [name]: key,
        };
        expect((await anonymously('GET', `/12/accounts?${new URLSearchParams(oauth).toString()}`)).status).toBe(401);
        const header = `OAuth ${Object.entries(oauth)
          .map(([each, value]) => `${each}="${encodeURIComponent(value)}"`)
          .join(', ')}`;
        expect((await anonymously('GET', '/12/accounts', { authorization: header })).status).toBe(401);
      }
    }
    await advertiser.api.get(campaigns);
    const all = await listed({ max_results: 1000 });
    expect(all.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(new Set(all.map(({ path }) => path as string))).toEqual(new Set([campaigns, '/12/accounts']));
    expect(all.some(({ request_id }) => request_id === 'forged')).toBe(false);
  });

  it('keeps what was authenticated, however many requests strangers send in the name of the application', async () => {
    for (let i = 0; i < 3; i++) await advertiser.api.get(campaigns, { query: { count: i + 1 } });
    const first = advertiser.api.prepare('GET', campaigns);
    await sendPrepared(first);
    const wrong = new Api({ consumer: application.consumer, token: { key: 'x', secret: 'x' } });
    const byKey = `/12/accounts?oauth_consumer_key=${application.consumer.key}`;
    for (let i = 0; i < 5; i++) {
      expect((await anonymously('GET', byKey)).status).toBe(401);
      expect((await wrong.get('/12/accounts')).status).toBe(401);
      expect((await sendPrepared(first)).status).toBe(401);
    }
    expect(await count()).toBe(19);
    await world().get(JournalRetentionJob).clear(undefined, { rejected: 6, others: 4 });
    expect([await count({ status: '2xx' }), await count({ status: '401' })]).toEqual([4, 6]);
    // the newest ones
    expect((await listed()).slice(0, 6).map(({ status }) => status)).toEqual(Array(6).fill(401));
  });

  it('loses one request where the database does not take one', async () => {
    await world().sql(
      `ALTER TABLE journaled_requests ADD CONSTRAINT broken CHECK (path <> '${campaigns}/broken') NOT VALID`,
    );
    try {
      const paths = ['a', 'b', 'broken', 'c', 'd'].map((id) => `${campaigns}/${id}`);
      await Promise.all(paths.map((path) => advertiser.api.get(path)));
      const stored = (await listed()).map(({ path }) => path as string);
      expect(stored.sort()).toEqual(paths.filter((path) => !path.endsWith('broken')));
    } finally {
      await world().sql('ALTER TABLE journaled_requests DROP CONSTRAINT broken');
    }
  });

  it('gives commands that repeat a request', async () => {
    const funding = await given.fundingInstrument({ account: advertiser.account });
    const form = {
      name: `It's "Ünïcode" & 😀 $HOME`,
      funding_instrument_id: funding.id,
      daily_budget_amount_local_micro: 1_000_000,
      entity_status: 'PAUSED',
    };
    const answer = await advertiser.api.post(campaigns, { form });
    expect(answer.status).toBe(201);
    const { commands } = await detailOf(String(answer.headers['x-request-id']));
    const { consumer, token } = advertiser.credentials;
    const env = {
      ...process.env,
      MARQUEE_CONSUMER_KEY: consumer.key,
      MARQUEE_CONSUMER_SECRET: consumer.secret,
      MARQUEE_ACCESS_TOKEN: token.key,
      MARQUEE_ACCESS_TOKEN_SECRET: token.secret,
    };
    const run = promisify(execFile);
    await run(process.execPath, ['--input-type=module', '-e', commands.node as string], { env });
    await run('sh', ['-c', (commands.cli as string).replace('npx marquee', 'node bin/marquee.mjs')], { env });
    await run('python3', ['-c', commands.python as string], { env }).catch((error: Error) => {
      // not every machine has the package
      if (!error.message.includes('ModuleNotFoundError')) throw error;
    });
    const { body } = await advertiser.api.get(campaigns, { query: { q: "It's" } });
    expect(body.data.length).toBeGreaterThanOrEqual(3);
    expect(new Set(body.data.map(({ name }: Json) => name as string))).toEqual(new Set([form.name]));
  }, 60_000);
});
