import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import { countWaiting } from '../../../src/webhooks/deliveries/delivery.statements.js';
import { WebhookChecksJob } from '../../../src/webhooks/endpoints/webhook-checks.job.js';
import { useApp, world } from '../../support/app.js';
import { type Answer, send, type Json } from '../../support/http.js';
import { given, type Integrator, type Advertiser } from '../../support/given.js';
import {
  closeReceivers,
  heldChallenge,
  hmacOf,
  receiver,
  type Received,
  type Receiver,
} from '../../support/receiver.js';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { seedDemo, followBaseUrls } from '../../../src/demo/demo.js';
import { Config } from '../../../src/config/config.js';
import type { DemoCredentials } from '../../../src/demo/credentials-file.js';
import { Api } from '../../support/api.js';
import { BearerApi } from '../../support/bearer-api.js';
import { connect, decide, newVerifier, oauth2App, oauth2Post, signedIn } from '../auth/oauth2-client.js';
useApp();

describe('webhooks', () => {
  afterEach(closeReceivers);

  const HOUR_MS = 3_600_000;

  let own: Integrator;
  let target: Receiver;
  beforeEach(async () => {
    own = await given.integrator();
    target = await receiver(own.application.consumer.secret);
  });

  const register = (url = target.url, by = own) => by.api.post('/2/webhooks', { url });
  const registered = async (url?: string): Promise<string> => {
    const { status, body } = await register(url);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.data.id as string;
  };
  const problem = ({ status, body }: Answer) => ({
    status,
    type: (body.type as string).split('/').pop(),
    code: body.errors[0].code,
    detail: (body.detail as string).split(':')[0],
    parameters: body.errors[0].parameters,
  });
  const refusal = (detail: string, url: string) => ({
    status: 400,
    type: 'invalid-request',
    code: 214,
    detail,
    parameters: { url: [url] },
  });
  const stored = async (id: string) =>
    (
      await world().sql<{
        valid: boolean;
        invalidReason: string | null;
        deletedAt: string | null;
        nextCheckAt: string;
      }>('SELECT * FROM webhooks WHERE id = $1', id)
    )[0];
  const eventsOf = (applicationId: string) =>
    world().sql<{ body: object }>('SELECT body FROM outgoing_events WHERE "applicationId" = $1', applicationId);
  /** Challenges all that are due after so many hours. */
  async function checkAfter(hours: number): Promise<void> {
    world().clock.set(new Date(Date.now() + hours * HOUR_MS));
    await world().get(WebhookChecksJob).checkDue();
  }

  describe('registering', () => {
    it('challenges the URL, and answers the webhook', async () => {
      const { status, body } = await register(`${target.url}?a=b`);
      expect({ status, body }).toEqual({
        status: 201,
        body: {
          data: {
            id: expect.stringMatching(/^\d{16}$/),
            url: `${target.url}?a=b`,
            valid: true,
            created_at: expect.stringMatching(/^\d{4}-.+Z$/),
          },
        },
      });
      expect(target.challenges).toEqual([expect.stringMatching(/^\/events\?a=b&crc_token=[\w-]{43}&nonce=[\w-]{22}$/)]);
    });

    it('lists what the application has, and of it what was asked for', async () => {
      const ids = [await registered(), await registered(`${target.url}?second`)];
      const all = await own.api.get('/2/webhooks');
      expect(all.body.data.map(({ id }: { id: string }) => id)).toEqual(ids);
      expect(all.body.meta).toEqual({ result_count: 2 });
      const some = await own.api.get('/2/webhooks', { 'webhook_config.fields': 'valid,url' });
      expect(some.body.data[0]).toEqual({ id: ids[0], url: target.url, valid: true });
      const none = await own.api.get('/2/webhooks', { 'webhook_config.fields': 'secret' });
      expect(problem(none)).toMatchObject({ status: 400, type: 'invalid-request', code: 214 });
      expect((await (await given.integrator()).api.get('/2/webhooks')).body).toEqual({
        data: [],
        meta: { result_count: 0 },
      });
    });

    it.each([
      ['another token', () => ({ response_token: hmacOf('another secret', 'x') })],
      ['no token', () => ({})],
      ['null', () => null],
      [
        'a status of its own',
        (_: string, response: { writeHead(status: number): { end(): void } }) => void response.writeHead(500).end(),
      ],
      [
        'a redirect',
        (_: string, response: { writeHead(status: number, headers: object): { end(): void } }) =>
          void response.writeHead(302, { location: '/elsewhere' }).end(),
      ],
    ])('refuses a URL that answers the challenge with %s', async (_, challenged) => {
      target.challenged = challenged;
      const answer = await register();
      expect(problem(answer)).toEqual(refusal('CrcValidationFailed', target.url));
      expect(answer.body).toMatchObject({
        title: 'Invalid Request',
        status: 400,
        type: `${world().config.baseUrl.origin}/2/problems/invalid-request`,
      });
      expect((await own.api.get('/2/webhooks')).body.data).toEqual([]);
    });

    it('says what is wrong with the response_token', async () => {
      const { key } = own.application.consumer;
      const { credentials } = await given.client({ application: own.application });
      for (const [made, said] of [
        [(token) => hmacOf(key, token), 'it is under the consumer key'],
        [(token) => hmacOf(credentials.token.secret, token), 'it is under the token secret'],
        [(token) => hmacOf(own.application.consumer.secret, token).slice('sha256='.length), 'sha256= is missing'],
        [(token) => token, 'it is crc_token itself'],
      ] satisfies [(token: string) => string, string][]) {
        target.challenged = (token) => ({ response_token: made(token) });
        const { status, body } = await register();
        expect([status, body.detail]).toEqual([
          400,
          expect.stringContaining(`not the expected one: ${said}. It must be`),
        ]);
      }
    });

    it('refuses URLs that nobody answers at, and what is none', async () => {
      const away = 'http://127.0.0.1:9/hook';
      expect(problem(await register(away))).toEqual(refusal('CrcValidationFailed', away));
      for (const url of [
        'ftp://example.com/',
        'nonsense',
        'http://user:password@localhost/',
        'http://169.254.169.254/',
      ])
        expect(problem(await register(url))).toEqual(refusal('UrlValidationFailed', url));
    });

    it('refuses what is missing, too long or no JSON', async () => {
      const codes = async (answer: Promise<Answer>) => {
        const { status, body } = await answer;
        return [status, body.errors[0].code, Object.keys(body.errors[0].parameters ?? {})[0]];
      };
      expect(await codes(own.api.post('/2/webhooks', {}))).toEqual([400, 357, 'url']);
      expect(await codes(own.api.post('/2/webhooks', { url: `${target.url}?${'x'.repeat(200)}` }))).toEqual([
        400,
        214,
        'url',
      ]);
      expect(await codes(own.api.post('/2/webhooks', { url: 7 }))).toEqual([400, 214, 'url']);
      expect(await codes(own.api.post('/2/webhooks'))).toEqual([400, 357, 'url']);
      const headers = { authorization: `Bearer ${own.api.token}`, 'content-type': 'application/json' };
      expect(await codes(send(world().url, '/2/webhooks', { method: 'POST', headers, body: '{' }))).toEqual([
        400,
        214,
        undefined,
      ]);
      const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
      expect((await send(world().url, '/2/webhooks', { method: 'POST', headers: form, body: 'url=x' })).status).toBe(
        415,
      );
    });

    it('has a URL once, and five webhooks at most, also for those who come at the same moment', async () => {
      const same = await Promise.all(Array.from({ length: 6 }, () => register()));
      expect(same.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
      const [refused] = same.filter(({ status }) => status === 400);
      expect(problem(refused)).toEqual(refusal('DuplicateUrlFailed', target.url));

      const more = await Promise.all(Array.from({ length: 8 }, (_, i) => register(`${target.url}?${i}`)));
      expect(more.filter(({ status }) => status === 201)).toHaveLength(4);
      const beyond = more.find(({ status }) => status === 400)!;
      expect(problem(beyond).detail).toBe('WebhookLimitExceeded');
      const { data } = (await own.api.get('/2/webhooks')).body;
      expect(data).toHaveLength(5);

      // one that is deleted makes room for one, and its URL is free
      const gone = data.find(({ url }: { url: string }) => url === target.url);
      await Promise.all([1, 2, 3].map(() => own.api.delete(`/2/webhooks/${gone.id}`)));
      const after = await Promise.all([register(), register(`${target.url}?x`)]);
      expect(after.map(({ status }) => status).sort()).toEqual([201, 400]);
    });

    it('is not kept waiting, nor refused, by what another application registers', async () => {
      await registered();
      const other = await given.integrator();
      target.challenged = (token) => ({ response_token: hmacOf(other.application.consumer.secret, token) });
      expect((await register(target.url, other)).status).toBe(201);
    });
  });

  describe('who may', () => {
    it('takes a bearer: 401 with code 215 without, 89 with one that is not valid', async () => {
      const ask = (headers: Record<string, string>) => send(world().url, '/2/webhooks', { method: 'GET', headers });
      const none = await ask({});
      expect([none.status, none.body.errors[0].code, none.body.type]).toEqual([401, 215, 'about:blank']);
      expect(none.headers['www-authenticate']).toBe('Bearer');
      const unknown = await ask({ authorization: 'Bearer unknown-but-well-formed' });
      expect([unknown.status, unknown.body.errors[0].code]).toEqual([401, 89]);
      const { api } = await given.client();
      expect(await api.get('/2/webhooks')).toMatchObject({ status: 401, body: { errors: [{ code: 215 }] } });
    });

    it('tells how the windows of the application stand', async () => {
      const { headers } = await own.api.get('/2/webhooks');
      const again = await own.api.get('/2/webhooks');
      expect(Number(headers['x-rate-limit-limit'])).toBeGreaterThan(0);
      expect(Number(headers['x-rate-limit-remaining']) - Number(again.headers['x-rate-limit-remaining'])).toBe(1);
      const write = await own.api.delete('/2/webhooks/1000000000000000');
      expect(write.headers['x-rate-limit-limit']).not.toBe(headers['x-rate-limit-limit']);
    });

    it("does not tell unknown webhooks, other applications' and deleted ones apart", async () => {
      const id = await registered();
      const other = await given.integrator();
      const deleted = await registered(`${target.url}?deleted`);
      await own.api.delete(`/2/webhooks/${deleted}`);
      for (const [by, each] of [
        [other, id],
        [own, deleted],
        [own, '1000000000000000'],
        [own, 'nonsense'],
      ] as const) {
        for (const method of ['PUT', 'DELETE']) {
          expect(problem(await by.api.call(method, `/2/webhooks/${each}`))).toEqual({
            status: 404,
            type: 'resource-not-found',
            code: 34,
            detail: 'WebhookIdInvalid',
            parameters: { webhook_id: [each] },
          });
        }
      }
      expect((await stored(id)).deletedAt).toBeNull();
    });
  });

  describe('deleting', () => {
    it('is soft, and takes the subscriptions along', async () => {
      const id = await registered();
      await own.api.post(`/2/webhooks/${id}/subscriptions`, {});
      expect(await own.api.delete(`/2/webhooks/${id}`)).toMatchObject({
        status: 200,
        body: { data: { deleted: true } },
      });
      expect((await stored(id)).deletedAt).not.toBeNull();
      expect((await own.api.get('/2/webhooks')).body.data).toEqual([]);
      expect(await world().sql('SELECT FROM webhook_subscriptions WHERE "webhookId" = $1', id)).toEqual([]);
      expect(await world().sql('SELECT FROM counters WHERE "ownerId" = $1', id)).toEqual([]);
    });
  });

  describe('challenges again', () => {
    it('PUT challenges at once: what passes is valid, what answers wrongly is not', async () => {
      const id = await registered();
      expect(await own.api.put(`/2/webhooks/${id}`)).toMatchObject({ status: 200, body: { data: { valid: true } } });
      expect(target.challenges).toHaveLength(2);
      const right = target.challenged;
      target.challenged = () => ({ response_token: 'sha256=wrong' });
      expect(problem(await own.api.put(`/2/webhooks/${id}`))).toEqual(refusal('CrcValidationFailed', target.url));
      expect(await stored(id)).toMatchObject({ valid: false, invalidReason: 'CRC_FAILED' });
      expect((await own.api.get('/2/webhooks')).body.data).toMatchObject([{ id, valid: false }]);
      target.challenged = right;
      expect((await own.api.put(`/2/webhooks/${id}`)).body).toEqual({ data: { valid: true } });
      expect(await stored(id)).toMatchObject({ valid: true, invalidReason: null });
    });

    it('come hourly, and not before', async () => {
      const id = await registered();
      await checkAfter(0.5);
      expect(target.challenges).toHaveLength(1);
      await checkAfter(1);
      expect(target.challenges).toHaveLength(2);
      await checkAfter(1);
      expect(target.challenges).toHaveLength(2);
      expect((await stored(id)).valid).toBe(true);
    });

    it('do not come where the webhook is deleted', async () => {
      const id = await registered();
      await own.api.delete(`/2/webhooks/${id}`);
      await checkAfter(2);
      expect(target.challenges).toHaveLength(1);
    });

    it('are asked by one of those who look at the same moment', async () => {
      await registered();
      world().clock.set(new Date(Date.now() + HOUR_MS));
      const job = world().get(WebhookChecksJob);
      await Promise.all([1, 2, 3, 4].map(() => job.checkDue()));
      expect(target.challenges).toHaveLength(2);
    });

    it.each([
      ['another token', () => ({ response_token: 'sha256=wrong' })],
      [
        'a redirect',
        (_: string, response: { writeHead(status: number): { end(): void } }) => void response.writeHead(301).end(),
      ],
    ])('end a webhook at once that answers with %s, and its siblings are told', async (_, challenged) => {
      const id = await registered();
      target.challenged = challenged;
      await checkAfter(1);
      expect(await stored(id)).toMatchObject({ valid: false, invalidReason: 'CRC_FAILED' });
      expect(await eventsOf(own.application.id)).toEqual([
        { body: { webhook_events: [expect.objectContaining({ type: 'disabled', entity_id: id })] } },
      ]);
      const asked = target.challenges.length;
      await checkAfter(3);
      expect(target.challenges).toHaveLength(asked);
    });

    it('leave one that is away for a while valid for 28 hours, and ask it twice as often after 24', async () => {
      const id = await registered();
      target.challenged = (_, response) => void response.writeHead(503).end();
      for (const [hours, valid, asked] of [
        [1, true, 2],
        [23, true, 3],
        [24.1, true, 4],
        [24.7, true, 5],
        [27.9, true, 6],
        [28.5, false, 7],
      ] as const) {
        await checkAfter(hours);
        expect([hours, (await stored(id)).valid, target.challenges.length]).toEqual([hours, valid, asked]);
      }
      expect(await eventsOf(own.application.id)).toHaveLength(1);
    });

    it('do not end a webhook that has passed another one since they began', async () => {
      const id = await registered();
      const asked = heldChallenge(target);
      const checked = checkAfter(1);
      const answer = await asked;
      expect((await own.api.put(`/2/webhooks/${id}`)).body).toEqual({ data: { valid: true } });
      const { nextCheckAt } = await stored(id);
      answer({ response_token: 'sha256=wrong' });
      await checked;
      expect(await stored(id)).toMatchObject({ valid: true, invalidReason: null, nextCheckAt });
      expect(await eventsOf(own.application.id)).toEqual([]);
    });

    it('go by the secret that the application has now', async () => {
      const id = await registered();
      const { secret } = (await world().get(ApplicationsService).rotateKeys(own.application.id))!;
      target.challenged = (token) => ({ response_token: hmacOf(secret, token) });
      await checkAfter(1);
      expect((await stored(id)).valid).toBe(true);
    });
  });
});

describe('subscriptions', () => {
  afterEach(closeReceivers);

  let own: Integrator;
  let advertiser: Advertiser;
  let webhookId: string;
  let path: string;
  beforeEach(async () => {
    own = await given.integrator();
    advertiser = await given.advertiser({ application: own.application });
    webhookId = await given.webhook(own.application, 'http://127.0.0.1:9/hook');
    path = `/2/webhooks/${webhookId}/subscriptions`;
  });

  const subscribe = (account_id?: string) => own.api.post(path, { account_id });

  describe('subscriptions of a webhook', () => {
    it('are to an account or to all that the application may read', async () => {
      const one = await subscribe(advertiser.account.id);
      expect({ status: one.status, body: one.body }).toEqual({
        status: 201,
        body: {
          data: {
            account_id: advertiser.account.id,
            active: true,
            created_at: expect.any(String),
            id: expect.any(String),
            webhook_id: webhookId,
          },
        },
      });
      const all = await own.api.post(path, {});
      expect(all).toMatchObject({ status: 201, body: { data: { account_id: null, active: true } } });
      const { body } = await own.api.get(path);
      expect(body).toEqual({ data: [all.body.data, one.body.data], meta: { result_count: 2 } });
    });

    it('are there once, however many ask for one at the same moment', async () => {
      for (const accountId of [advertiser.account.id, undefined]) {
        const answers = await Promise.all(Array.from({ length: 6 }, () => subscribe(accountId)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
        expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
      }
      const [counter] = await world().sql<{ value: number }>(
        'SELECT value FROM counters WHERE "ownerId" = $1',
        webhookId,
      );
      expect(counter.value).toBe(2);
    });

    it('are refused for accounts that the application may not read, as for those that are not there', async () => {
      const stranger = await given.advertiser();
      const gone = await given.advertiser({ application: own.application });
      await given.revokedToken(gone);
      for (const id of [stranger.account.id, gone.account.id, '0000000000000']) {
        expect(await subscribe(id)).toMatchObject({
          status: 404,
          body: {
            detail: `Account ${id} was not found`,
            type: expect.stringMatching(/resource-not-found$/),
            errors: [{ code: 34, parameters: { account_id: [id] } }],
          },
        });
      }
      expect(await subscribe('No Id')).toMatchObject({ status: 400, body: { errors: [{ code: 214 }] } });
      expect((await own.api.get(path)).body.data).toEqual([]);
    });

    it('lapse with the last token or role, and are in force again with the next', async () => {
      await subscribe(advertiser.account.id);
      await subscribe();
      const active = async () =>
        ((await own.api.get(path)).body.data as { active: boolean }[]).map((each) => each.active);
      expect(await active()).toEqual([true, true]);
      const memberships = world().get(MembershipsService);
      await memberships.revoke(advertiser.account.id, advertiser.user.id);
      expect(await active()).toEqual([false, false]);
      // a role that may not read the campaigns of the account
      await memberships.grant(advertiser.account.id, advertiser.user.id, 'ANALYST');
      expect(await active()).toEqual([false, false]);
      await memberships.grant(advertiser.account.id, advertiser.user.id, 'CAMPAIGN_ANALYST');
      expect(await active()).toEqual([true, true]);
      await world().get(ApplicationsService).update(own.application.id, { conversionsOnly: true });
      expect(await active()).toEqual([false, false]);
      await world().get(ApplicationsService).update(own.application.id, { conversionsOnly: false });
      await given.revokedToken(advertiser);
      expect(await active()).toEqual([false, false]);
      expect(await subscribe(advertiser.account.id)).toMatchObject({ status: 200, body: { data: { active: false } } });
    });

    it('by OAuth 2.0 need a token that reads, or can get one, and events need it too', async () => {
      const app = await oauth2App();
      const [visit, target] = [await signedIn(), await receiver()];
      const account = await given.account({ userId: visit.user.id });
      const colleague = await given.member(account, 'ACCOUNT_ADMIN');
      const change = async (name: string) =>
        (await colleague.api.post(`/12/accounts/${account.id}/custom_audiences`, { form: { name } })).body.data
          .id as string;
      const api = await BearerApi.of(app);
      path = `/2/webhooks/${await given.webhook(app, target.url)}/subscriptions`;
      const audiences = ({ event }: Received) => 'custom_audience_events' in event;
      const subscription = async () => (await api.post(path, { account_id: account.id })).status;
      const active = async () => ((await api.get(path)).body.data as { active: boolean }[]).map((each) => each.active);

      await connect(app, 'users.read offline.access', visit);
      expect(await subscription()).toBe(404);
      const first = await connect(app, 'ads.read offline.access', visit);
      expect([await subscription(), await active()]).toEqual([201, [true]]);
      const told = [await change('While it reads')];
      await target.until(1, audiences);

      // its access tokens expire, and its refresh token gets another
      await world().sql(`UPDATE oauth2_tokens SET "expiresAt" = '2026-01-01' WHERE kind = 'access'`);
      expect(await active()).toEqual([true]);
      await oauth2Post('/2/oauth2/revoke', app, { token: first.tokens.refresh_token });
      expect(await active()).toEqual([false]);
      // an approval whose code is not exchanged yet
      await decide(visit.visitor, app, newVerifier(), { scope: 'ads.read' });
      expect(await active()).toEqual([true]);
      await world().sql(`UPDATE oauth2_codes SET "expiresAt" = '2026-01-01'`);
      expect(await active()).toEqual([false]);
      await change('After it was revoked');
      // whether it may be received is looked at when it is dispatched
      while ((await countWaiting(world().get(DataSource).manager, 1)).events > 0) await pause(20);
      await connect(app, 'ads.read', visit);
      expect(await active()).toEqual([true]);
      told.push(await change('While it reads again'));
      const received = await target.until(2, audiences);
      expect(received.map(({ event }) => event.custom_audience_events[0].entity_id)).toEqual(told);
      await world().sql(`UPDATE oauth2_tokens SET "expiresAt" = '2026-01-01' WHERE kind = 'access'`);
      expect(await active()).toEqual([false]);
    });

    it('end one by one', async () => {
      await subscribe(advertiser.account.id);
      await subscribe();
      const account_id = advertiser.account.id;
      const answers = await Promise.all([1, 2, 3].map(() => own.api.delete(path, { account_id })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
      expect((await own.api.get(path)).body.data).toMatchObject([{ account_id: null }]);
      expect(await own.api.delete(path)).toMatchObject({ status: 200, body: { data: { deleted: true } } });
      expect(await own.api.delete(path)).toMatchObject({ status: 404, body: { errors: [{ code: 34 }] } });
      expect((await subscribe(account_id)).status).toBe(201);
    });

    it("belong to one's own webhooks", async () => {
      const other = await given.integrator();
      for (const answer of [await other.api.get(path), await other.api.post(path, {}), await other.api.delete(path)])
        expect(answer).toMatchObject({
          status: 404,
          body: { errors: [{ code: 34, parameters: { webhook_id: [webhookId] } }] },
        });
    });

    it('page', async () => {
      for (let i = 0; i < 4; i++) {
        const { account } = await given.advertiser({ application: own.application });
        await subscribe(account.id);
      }
      const first = await own.api.get(path, { max_results: '3' });
      expect(first.body.meta).toEqual({ result_count: 3, next_token: expect.any(String) });
      const second = await own.api.get(path, { max_results: '3', pagination_token: first.body.meta.next_token });
      expect(second.body.meta).toEqual({ result_count: 1 });
      const ids = [...first.body.data, ...second.body.data].map(({ id }: { id: string }) => id);
      expect(ids).toEqual([...new Set(ids)].sort().reverse());
      for (const [name, value] of [
        ['pagination_token', 'broken'],
        ['max_results', '0'],
        ['max_results', '1001'],
      ])
        expect(await own.api.get(path, { [name]: value })).toMatchObject({
          status: 400,
          body: {
            type: expect.stringMatching(/invalid-request$/),
            errors: [{ code: 214, parameters: { [name]: [value] } }],
          },
        });
    });

    it('are 5,000 at most', async () => {
      await subscribe();
      await world().sql(`UPDATE counters SET value = "limit" WHERE "ownerId" = $1 RETURNING value`, webhookId);
      const { status, body } = await subscribe(advertiser.account.id);
      expect([status, body.detail]).toEqual([400, 'A webhook has at most 5000 subscriptions']);
    });
  });
});

describe('demo webhook', () => {
  // What the receiver was sent is in the memory of its process, and a demo has one.
  useApp({}, 1);

  let demo: DemoCredentials;
  let api: BearerApi;
  beforeAll(async () => {
    demo = (await seedDemo(world().app, world().config))!;
    const [{ id }] = await world().get(ApplicationQueries).find(demo.consumer_key);
    api = await BearerApi.of({ id });
  }, 60_000);

  const get = (path: string) => send(world().url, path, { method: 'GET' });
  const post = (body: string, headers: Record<string, string>) =>
    send(world().url, '/demo/webhook', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const events = async () => (await get('/demo/webhook/events')).body.data as { event: Json }[];

  describe('the webhook of the demo', () => {
    it('is there, valid, and subscribed to all accounts; another may be deleted', async () => {
      const { body } = await api.get('/2/webhooks');
      expect(body.data).toEqual([
        expect.objectContaining({ id: demo.webhook_id, url: `${demo.base_url}/demo/webhook`, valid: true }),
        expect.objectContaining({ id: demo.examples.spare_webhook_id, valid: true }),
      ]);
      const subscriptions = await api.get(`/2/webhooks/${demo.webhook_id}/subscriptions`);
      expect(subscriptions.body.data).toMatchObject([
        { account_id: demo.account_id, active: true },
        { account_id: null, active: true },
      ]);
    });

    it('has a receiver that passes challenges and takes what is signed', async () => {
      const answer = await get('/demo/webhook?crc_token=token&nonce=x');
      expect(answer.body).toEqual({ response_token: hmacOf(demo.consumer_secret, 'token') });
      expect((await get('/demo/webhook?crc_token=')).status).toBe(400);

      const before = (await events()).length;
      const body = '{ "event_id": "made up" }';
      const forged = { 'x-platform-webhooks-signature': hmacOf('another secret', body) };
      for (const headers of [{}, forged] as Record<string, string>[])
        expect((await post(body, headers)).status).toBe(401);
      expect(await events()).toHaveLength(before);
      const signature = { 'x-platform-webhooks-signature': hmacOf(demo.consumer_secret, body) };
      expect((await post(body, signature)).status).toBe(200);
      expect((await events())[0].event).toEqual({ event_id: 'made up' });
      expect((await post('x'.repeat(300_000), signature)).status).toBe(413);

      const page = await get('/demo/webhook');
      expect(page.headers['content-type']).toMatch(/html/);
      expect(page.text).toMatch(/made up/);
    });

    it('hears of what happens, wherever the service is served', async () => {
      const moved = Object.assign(new Config(), world().config, { baseUrl: new URL(world().url) });
      await followBaseUrls(world().app, moved);
      expect((await api.get('/2/webhooks')).body.data[0].url).toBe(`${world().url}/demo/webhook`);
      expect((await api.put(`/2/webhooks/${demo.webhook_id}`)).body).toEqual({ data: { valid: true } });

      const token = { key: demo.access_token, secret: demo.access_token_secret };
      const user = new Api({ consumer: { key: demo.consumer_key, secret: demo.consumer_secret }, token });
      const { body } = await user.post(`/12/accounts/${demo.account_id}/custom_audiences`, {
        form: { name: 'Heard of' },
      });
      const isIt = ({ event }: { event: Json }) => event.custom_audience_events?.[0].entity_id === body.data.id;
      for (let wait = 0; !(await events()).some(isIt) && wait < 100; wait++) await pause(100);
      const { event } = (await events()).find(isIt)!;
      expect(event).toMatchObject({
        for_account_id: demo.account_id,
        custom_audience_events: [{ type: 'create', data: { name: 'Heard of' } }],
      });
    });
  });
});
