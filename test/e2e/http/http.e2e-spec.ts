import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { TAKES_THEIR_NAMES } from '../../../src/names/swap-errors.js';
import { useApp, world } from '../../support/app.js';
import { type Answer, send, type Json } from '../../support/http.js';
import { anonymously, sendPrepared, type Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { exchange } from '../../support/raw.js';
import { hintsIn, MISTAKES, unsaid, type Place } from '../../../scripts/proofs/support/mistakes.js';
import { newPlace } from '../../support/mistakes.js';

useApp();

describe('http', () => {
  let advertiser: Advertiser;
  beforeAll(async () => {
    advertiser = await given.advertiser();
  });
  const account = () => `/12/accounts/${advertiser.account.id}`;

  describe('a path that nothing answers', () => {
    it.each([
      '/12/nothing',
      '/12',
      '/12/',
      '/12/accounts//',
      '/5/accounts',
      '/10/accounts',
      '/11/nothing',
      '/13/accounts/x/campaigns',
      '/12/accounts/x/y',
      '/v12/accounts',
      '/V12/accounts/x/campaigns',
      '/12.0/accounts',
      '/12.0',
      '/0/accounts',
      '/accounts',
      '/accounts/x/campaigns',
      '/accounts?count=1',
      '/targeting_criteria/interests',
    ])('is ROUTE_NOT_FOUND among the advertising endpoints: %s', async (path) => {
      for (const answer of [await anonymously('GET', path), await advertiser.api.get(path)]) {
        expect(answer).toMatchObject({ status: 404 });
        expect(answer.body).toEqual({
          errors: [
            expect.objectContaining({ code: 'ROUTE_NOT_FOUND', message: 'The requested path could not be found' }),
          ],
          request: { params: {} },
        });
        expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      }
    });

    it.each(['/nothing', '/oauth/nothing', '/oauth2/nothing', '/1.1/nothing', '/favicon', '/..%2f..%2fetc/passwd'])(
      'is code 34 elsewhere: %s',
      async (path) => {
        const answer = await send(world().direct, path, { method: 'GET' });
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual({ errors: [{ code: 34, message: 'Sorry, that page does not exist' }] });
      },
    );

    it('is a problem below /2', async () => {
      const answer = await anonymously('GET', '/2/nothing');
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({
        title: 'Not Found Error',
        type: 'about:blank',
        status: 404,
        errors: [{ code: 34, message: 'Sorry, that page does not exist' }],
      });
    });
  });

  describe('a path with one slash too many at its end', () => {
    it('is that of the endpoint, and the signature covers it as it was sent', async () => {
      for (const path of ['/12/accounts', account(), `${account()}/campaigns`, '/2/webhooks', '/version']) {
        const [with_, without] = [await advertiser.api.get(`${path}/`), await advertiser.api.get(path)];
        expect({ path, status: with_.status, body: with_.body }).toEqual({
          path,
          status: without.status,
          body: without.body,
        });
      }
      const listed = await advertiser.api.get(`/12/stats/accounts/${advertiser.account.id}/active_entities/`, {
        query: { entity: 'CAMPAIGN', start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T00:00:00Z' },
      });
      expect(listed).toMatchObject({ status: 200, body: { data: [] } });
      const made = await advertiser.api.post('/sandbox/12/accounts/');
      expect(made.status).toBe(201);
    });
  });

  describe('parameters that an endpoint does not have', () => {
    let owner: Advertiser;
    beforeAll(async () => {
      owner = await given.advertiser();
    });
    const list = (query: Params) => owner.api.get(`/12/accounts/${owner.account.id}/campaigns`, { query });

    it('are named in a header', async () => {
      const hintOn = async (query: Params) => (await list(query)).headers['x-marquee-hint'];
      expect(await hintOn({ utm_source: 'mail' })).toBe(
        'utm_source is not a parameter of this endpoint and was ignored.',
      );
      expect(await hintOn({ page: 2, limit: 10 })).toMatch(
        /^page, limit are not parameters of this endpoint and were ignored\. The next page has the next_cursor/,
      );
      expect(await hintOn({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 })).toMatch(
        /^a, b, c, d, e and others are not parameters/,
      );
      expect(await hintOn({ 'campaign_ids[a]': 'x1', 'filter[name]': 'x' })).toBe(
        'campaign_ids[a] is not a parameter of this endpoint and was ignored. Did you mean campaign_ids? ' +
          'filter[name] is not a parameter of this endpoint and was ignored.',
      );
      expect(await hintOn({ count: 1 })).toBeUndefined();
    });

    it('are named in the first operation of a batch that has some', async () => {
      const send = (...operations: Params[]) =>
        owner.api.post(`/12/batch/accounts/${owner.account.id}/campaigns`, {
          json: operations.map((params) => ({ operation_type: 'Delete', params })),
        });
      const { headers } = await send({ campaign_id: 'x1' }, { campaign_id: 'x2', nme: 'x' });
      expect(headers['x-marquee-hint']).toBe(
        'In operation 1, nme is not a parameter of this endpoint and was ignored.',
      );
      expect((await send({ campaign_id: 'x1' })).headers['x-marquee-hint']).toBeUndefined();
    });

    it('are named, whatever their names consist of', async () => {
      const hintOn = async (name: string) => (await list({ [name]: 'x' })).headers['x-marquee-hint'];
      for (const name of ['campaign_ids[a]', 'campaign_ids[0][1]', 'campaign_ids[-1]', 'campaign_ids[9999999999]'])
        expect({ name, hint: await hintOn(name) }).toEqual({
          name,
          hint: `${name} is not a parameter of this endpoint and was ignored. Did you mean campaign_ids?`,
        });
      expect(await hintOn('campaign_ids\u00a0')).toMatch(
        /^campaign_ids\? is not a parameter .* Did you mean campaign_ids\?$/,
      );
      expect(await hintOn('日\r\n\u{1f600}')).toBe('????? is not a parameter of this endpoint and was ignored.');
      expect(await hintOn('x'.repeat(3000))).toBe(
        `${'x'.repeat(64)} is not a parameter of this endpoint and was ignored.`,
      );
    });

    it('do not hide lists in brackets, whose numbers order them', async () => {
      const { body } = await list({
        'sort_by[10]': 'updated_at-asc',
        'sort_by[2]': 'name-asc',
        'sort_by[0]': 'deleted-asc',
      });
      expect(body.request.params.sort_by).toEqual(['deleted-asc', 'name-asc', 'updated_at-asc']);
    });

    it('do not hide lists in brackets, in queries and in forms', async () => {
      const { account, api } = owner;
      const [one, other] = [await given.campaign({ account }), await given.campaign({ account })];
      await given.campaign({ account });
      const ids = async (query: Params) =>
        (await list(query)).body.data.map(({ id }: { id: string }) => id).sort() as string[];
      expect(await ids({ 'campaign_ids[]': [one.id, other.id] })).toEqual([one.id, other.id].sort());
      expect(await ids({ 'campaign_ids[0]': one.id, 'campaign_ids[1]': other.id })).toEqual([one.id, other.id].sort());
      const { body } = await api.post(`/12/accounts/${account.id}/line_items`, {
        form: {
          campaign_id: one.id,
          objective: 'ENGAGEMENTS',
          product_type: 'PROMOTED_POSTS',
          'placements[0]': 'PLATFORM_TIMELINE',
          'placements[1]': 'PLATFORM_SEARCH',
          start_time: '2030-01-01T00:00:00Z',
          end_time: '2035-01-01T00:00:00Z',
          entity_status: 'PAUSED',
        },
      });
      expect(body.errors).toBeUndefined();
      expect(body.data.placements.toSorted()).toEqual(['PLATFORM_SEARCH', 'PLATFORM_TIMELINE']);
    });
  });

  describe('what is no id', () => {
    it.each([
      ['None', 'had no value for account_id'],
      ['undefined', 'had no value for account_id'],
      [':account_id', 'a placeholder'],
      ['{account_id}', 'a placeholder'],
      ['YOUR_ACCOUNT_ID', 'a placeholder'],
      ['act_1', 'another advertising platform'],
    ])('is named in the path as it was sent: %s', async (id, what) => {
      const { status, body } = await advertiser.api.get(`/12/accounts/${encodeURIComponent(id)}/campaigns`);
      expect(status).toBe(404);
      expect(body.errors[0]).toMatchObject({ value: id, message: `Account ${id} was not found` });
      expect(body.errors[0].hint).toContain(`account_id is "${id}"`);
      expect(body.errors[0].hint).toContain(what);
      const below = `/12/accounts/${advertiser.account.id}/campaigns/${encodeURIComponent(id)}`;
      expect((await advertiser.api.get(below)).body.errors[0]).toMatchObject({
        value: id,
        hint: expect.stringContaining(`campaign_id is "${id}"`),
      });
    });

    it.each([':funding_instrument_id', '{funding_instrument_id}', '<id>', '...'])(
      'is named in a parameter: %s',
      async (id) => {
        const form = { funding_instrument_id: id, name: 'x', daily_budget_amount_local_micro: 1_000_000 };
        const { body } = await advertiser.api.post(`/12/accounts/${advertiser.account.id}/campaigns`, { form });
        expect(body.errors[0].hint).toBe(
          `funding_instrument_id is "${id}", a placeholder: put an id in its place. The lists of the API return ids.`,
        );
      },
    );
  });

  describe('version 11', () => {
    const under = (version: number) => `/${version}/accounts/${advertiser.account.id}/campaigns`;

    it('is answered by version 12, with a warning, and shares keys, cursors and limits with it', async () => {
      const funding = await given.fundingInstrument({ account: advertiser.account });
      const create = { funding_instrument_id: funding.id, name: 'Of 11', daily_budget_amount_local_micro: 1_000_000 };
      const headers = { 'idempotency-key': 'the same in both' };
      const made = await advertiser.api.post(under(11), { form: create, headers });
      expect(made).toMatchObject({ status: 201, body: { data: { name: 'Of 11' } } });
      expect(made.headers).toMatchObject({
        'x-current-api-version': '12',
        'x-api-warn': expect.stringMatching(/^\[api-v11\] .*\/12/),
      });
      const repeated = await advertiser.api.post(under(12), { form: create, headers });
      expect(repeated.headers).toHaveProperty('idempotent-replayed', 'true');
      expect(repeated.headers).not.toHaveProperty('x-api-warn');
      expect(repeated.body.data.id).toBe(made.body.data.id);

      const batch = await advertiser.api.post(`/11/batch${under(12).slice(3)}`, {
        json: [{ operation_type: 'Create', params: { ...create, name: 'Of a batch of 11' } }],
      });
      expect(batch).toMatchObject({ status: 200, body: { data: [{ name: 'Of a batch of 11' }] } });

      const empty = await advertiser.api.get(under(12), { query: { cursor: '', with_total_count: true } });
      expect(empty).toMatchObject({ status: 200, body: { total_count: 2 } });
      const first = await advertiser.api.get(under(11), { query: { count: 1, cursor: '' } });
      const query = { count: 1, cursor: first.body.next_cursor as string };
      const second = await advertiser.api.get(under(12), { query });
      expect([first, second].map(({ body }) => body.data[0].name)).toEqual(['Of a batch of 11', 'Of 11']);
      const left = ({ headers }: Answer) => Number(headers['x-account-rate-limit-remaining']);
      expect(left(first) - left(second)).toBe(1);
    });

    it('warns on errors too, and says nothing about other paths', async () => {
      const refused = await anonymously('GET', under(11));
      expect(refused.status).toBe(401);
      expect(refused.headers['x-api-warn']).toContain('[api-v11]');
      const none = await advertiser.api.get('/11/nothing');
      expect([none.status, none.headers['x-api-warn']]).toEqual([404, expect.stringContaining('[api-v11]')]);
      expect((await advertiser.api.get('/110/accounts')).headers).not.toHaveProperty('x-api-warn');
    });
  });

  describe('a method that a path does not take', () => {
    it.each([
      ['GET', '/2/webhooks/replay', ['POST']],
      ['POST', '/2/webhooks/events', ['GET', 'HEAD']],
    ])(
      '%s %s lists the methods of that path, and not those of another with an id in its place',
      async (method, path, allowed) => {
        const { status, headers } = await anonymously(method, path);
        expect({ status, allow: headers.allow!.split(', ').sort() }).toEqual({ status: 405, allow: allowed });
      },
    );

    it('is METHOD_NOT_ALLOWED, with those it takes', async () => {
      for (const [method, path, allowed] of [
        ['POST', account(), ['DELETE', 'GET', 'HEAD', 'PUT']],
        ['PUT', `${account()}/campaigns`, ['GET', 'HEAD', 'POST']],
        ['PATCH', `${account()}/campaigns/x`, ['DELETE', 'GET', 'HEAD', 'PUT']],
        ['GET', `/12/batch${account().slice(3)}/campaigns`, ['POST']],
        ['OPTIONS', '/12/accounts', ['GET', 'HEAD', 'POST']],
      ] as const) {
        const answer = await anonymously(method, path);
        expect({ method, path, status: answer.status }).toEqual({ method, path, status: 405 });
        expect(answer.body.errors[0]).toMatchObject({
          code: 'METHOD_NOT_ALLOWED',
          message: `Method ${method} not allowed.`,
        });
        expect(answer.headers.allow!.split(', ').sort()).toEqual([...allowed]);
      }
    });

    it('is code 34 elsewhere', async () => {
      const answer = await anonymously('POST', '/version');
      expect(answer.status).toBe(405);
      expect(answer.body.errors[0]).toMatchObject({ code: 34 });
      expect(answer.headers.allow).toContain('GET');
    });
  });

  describe('HEAD', () => {
    it('answers like GET, without a body', async () => {
      const head = await advertiser.api.call('HEAD', account());
      const get = await advertiser.api.get(account());
      expect(head.status).toBe(200);
      expect(head.text).toBe('');
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect((await anonymously('HEAD', account())).status).toBe(401);
      expect((await anonymously('HEAD', '/12/nothing')).status).toBe(404);
    });
  });

  describe('every answer', () => {
    const answers = async (): Promise<[string, Answer, boolean][]> => [
      ['list', await advertiser.api.get('/12/accounts'), true],
      ['write', await advertiser.api.put(account(), { query: { name: 'x' } }), true],
      ['invalid', await advertiser.api.get('/12/accounts', { query: { count: 0 } }), true],
      ['unauthorised', await anonymously('GET', account()), true],
      ['not found', await anonymously('GET', '/12/nothing'), true],
      ['wrong method', await anonymously('PATCH', account()), true],
      ['other family', await anonymously('GET', '/oauth/nothing'), false],
      ['live', await anonymously('GET', '/health/live'), false],
    ];

    it('has an id, its time, and among the advertising endpoints their version', async () => {
      for (const [what, { headers }, ads] of await answers()) {
        expect({ what, ...headers }).toMatchObject({
          what,
          'x-request-id': expect.stringMatching(/^[A-Za-z0-9._:-]{8,128}$/),
          'x-response-time': expect.stringMatching(/^\d+$/),
          'x-content-type-options': 'nosniff',
          'content-type': expect.stringMatching(/^application\/json/),
        });
        expect({ what, version: headers['x-current-api-version'] }).toEqual({ what, version: ads ? '12' : undefined });
        expect(headers['x-powered-by']).toBeUndefined();
      }
    });

    it('keeps a well-formed x-request-id and replaces others', async () => {
      for (const id of ['abcdefgh', '0b5e1c9e-6f5e-4b43-9a3f-4d1c6b0f0a11', 'A1.b:c-d_e'.padEnd(128, 'x')]) {
        expect((await anonymously('GET', '/health/live', { 'x-request-id': id })).headers['x-request-id']).toBe(id);
      }
      for (const id of [
        'short',
        'has space in it',
        'x'.repeat(129),
        '<script>alert(1)</script>',
        '{"a":1}xx',
        '-begins-so',
      ]) {
        const { headers } = await anonymously('GET', '/health/live', { 'x-request-id': id });
        expect(headers['x-request-id']).not.toBe(id);
        expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      }
      const ids = await Promise.all(
        Array.from({ length: 20 }, async () => (await anonymously('GET', '/health/live')).headers['x-request-id']),
      );
      expect(new Set(ids).size).toBe(20);
    });

    it('says Connection: close when that is asked', async () => {
      const closed = await send(world().direct, '/health/live', { method: 'GET', headers: { connection: 'close' } });
      expect(closed.headers.connection).toBe('close');
      const kept = await send(world().direct, '/health/live', { method: 'GET' });
      expect(kept.headers.connection).not.toBe('close');
    });

    it('never tells what went wrong inside', async () => {
      await world().sql('ALTER TABLE businesses RENAME TO businesses_gone');
      try {
        await world().sql(`UPDATE accounts SET "businessId" = '0business' WHERE id = $1`, advertiser.account.id);
        const own = await given.advertiser({ businessId: null });
        await world().sql(`UPDATE accounts SET "businessId" = '0business' WHERE id = $1`, own.account.id);
        const { status, body, text } = await own.api.get('/12/accounts');
        expect(status).toBe(500);
        expect(body).toEqual({
          errors: [{ code: 'INTERNAL_ERROR', message: 'An internal error occurred' }],
          request: { params: {} },
        });
        expect(text).not.toMatch(/businesses|select|\.ts|\.js|node_modules/i);
      } finally {
        await world().sql('ALTER TABLE businesses_gone RENAME TO businesses');
        await world().sql(`UPDATE accounts SET "businessId" = NULL`);
      }
    });
  });

  describe('ids', () => {
    it('may be as long as a request line takes', async () => {
      const long = 'z'.repeat(12_000);
      for (const path of [
        `/12/accounts/${long}`,
        `${account()}/campaigns/${long}`,
        `${account()}/promotable_users/${long}`,
        `${account()}/funding_instruments/${long}`,
      ]) {
        const { status, body } = await advertiser.api.get(path);
        expect({ status, code: body.errors[0].code }).toEqual({ status: 404, code: 'NOT_FOUND' });
      }
      const listed = await advertiser.api.get(`${account()}/campaigns`, { query: { campaign_ids: long } });
      expect(listed).toMatchObject({ status: 200, body: { data: [] } });
    });

    it('of strange form are not found either', async () => {
      for (const id of ['ABC', "'", '%27%20OR%201=1--', '..', '%2e%2e%2f', '-1', '1e9', '%F0%9F%98%80', '$1', ';']) {
        const { status } = await advertiser.api.get(`${account()}/campaigns/${id}`);
        expect({ id, status }).toEqual({ id, status: 404 });
      }
    });
  });

  describe('what is no HTTP', () => {
    it.each([
      ['nonsense', 'GARBAGE\r\n\r\n'],
      ['bytes', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
      ['a strange method', 'BREW /12/accounts HTTP/1.1\r\nhost: x\r\n\r\n'],
      ['a strange version', 'GET / HTTP/9.9\r\nhost: x\r\n\r\n'],
      ['a broken header', 'GET /12/accounts HTTP/1.1\r\nhost: x\r\nno colon\r\n\r\n'],
      ['two lengths', 'POST /12/accounts HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
      [
        'a length and chunks',
        'POST /12/accounts HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['a broken chunk', 'POST /12/accounts HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n'],
      ['no host', 'GET /12/accounts HTTP/1.1\r\n\r\n'],
    ])('gets a clean 400: %s', async (_, bytes) => {
      const text = await exchange(world().direct, Buffer.from(bytes, 'latin1'), { silence: 1_500 });
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(text).not.toMatch(/at .*\.(js|ts)/);
      const next = await anonymously('GET', '/health/live');
      expect(next.status).toBe(200);
    });

    it('gets a 431 for headers that are too large', async () => {
      const text = await exchange(world().direct, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 431 /);
      expect(text).toContain('"errors"');
    });

    it('or no host at all does no harm', async () => {
      for (const bytes of [
        'GET /health/live HTTP/1.0\r\n\r\n',
        'GET http:// HTTP/1.1\r\nhost: x\r\n\r\n',
        'GET * HTTP/1.1\r\nhost: x\r\n\r\n',
        'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n',
        'GET //12/accounts HTTP/1.1\r\nhost: x\r\n\r\n',
        'GET /12/accounts HTTP/1.1\r\nhost: \u0001[::\r\n\r\n',
      ]) {
        const text = await exchange(world().direct, Buffer.from(bytes, 'latin1'));
        expect(text).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
      }
    });
  });

  describe('for operators', () => {
    it('health says that the process lives and is ready', async () => {
      expect(await anonymously('GET', '/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
      const ready = await anonymously('GET', '/health/ready');
      expect(ready).toMatchObject({ status: 200, body: { status: 'ok', database: 'ok' } });
      expect(ready.headers['cache-control']).toBe('no-store');
    });

    it('version names the release and the API version', async () => {
      const { body } = await anonymously('GET', '/version');
      expect(body).toMatchObject({
        name: 'marquee',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        api_version: 12,
      });
    });

    it('metrics are for loopback, not for what a proxy passes on', async () => {
      expect((await advertiser.api.directly().get(account())).status).toBe(200);
      const figures = await send(world().direct, '/metrics', { method: 'GET' });
      expect(figures.status).toBe(200);
      expect(figures.text).toMatch(/marquee_http_request_duration_seconds_bucket{.*accounts\/:account_id"/);
      // Routes are patterns: a path would be a label of its own for every id.
      expect(figures.text).not.toContain(advertiser.account.id);
      const forwarded = await send(world().direct, '/metrics', {
        method: 'GET',
        headers: { 'x-forwarded-for': '127.0.0.1' },
      });
      expect(forwarded).toMatchObject({ status: 404, body: { errors: [{ code: 34 }] } });
    });

    const outside = Object.values(networkInterfaces())
      .flat()
      .find((each) => each && !each.internal && each.family === 'IPv4');

    it('metrics are not for other machines', async () => {
      if (!outside) return;
      const inner = world().app.getHttpServer();
      const server = createServer((request, response) => void inner.emit('request', request, response));
      await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
      const { port } = server.address() as AddressInfo;
      try {
        const answer = await send(`http://${outside.address}:${port}`, '/metrics', { method: 'GET' });
        expect(answer).toMatchObject({ status: 404, body: { errors: [{ code: 34 }] } });
        const near = await send(`http://127.0.0.1:${port}`, '/metrics', { method: 'GET' });
        expect(near.status).toBe(200);
      } finally {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    });
  });
});

describe('hints', () => {
  let place: Place;
  let advertiser: Advertiser;
  beforeAll(async () => {
    advertiser = await given.advertiser();
    place = await newPlace(world().url, world().url);
  });

  describe('outside production every mistake gets a hint', () => {
    it.each(MISTAKES)('$name', async (mistake) => {
      const answer = await mistake.make(place);
      expect(answer.status).toBe(mistake.status);
      const hints = hintsIn(answer, mistake);
      expect(hints).toHaveLength(1);
      expect({ hint: hints[0], unsaid: unsaid(hints[0], mistake, place) }).toEqual({ hint: hints[0], unsaid: [] });
    });
  });

  it('outside production a date of a line item says whose midnight it is, in a query and in a form', async () => {
    const path = `/12/accounts/${advertiser.account.id}/line_items`;
    const sent = { start_time: '2031-01-01', end_time: '2031-02-01T00:00:00+01:00' };
    const hint = 'A date without a time zone is midnight in UTC: start_time.';
    for (const given of [{ query: sent }, { form: sent }]) {
      const { headers, body } = await advertiser.api.post(path, given);
      expect(headers['x-marquee-hint']).toBe(hint);
      expect(body.request.params).toMatchObject({ start_time: '2031-01-01T00:00:00Z' });
    }
  });

  describe("names of X's Ads API get a hint", () => {
    const own = () => `/12/accounts/${advertiser.account.id}`;
    const hintOf = ({ body }: Answer): unknown => body.errors?.[0]?.hint;

    it('in paths', async () => {
      const { api } = advertiser;
      expect(hintOf(await api.post(`${own()}/tweet`))).toContain(`${own()}/post?`);
      expect(hintOf(await api.get(`${own()}/tailored_audiences`))).toContain(`${own()}/custom_audiences?`);
      expect(hintOf(await api.get(`${own()}/auction_insights`))).toBe(
        "auction_insights is part of X's Ads API but not of this one; docs/support.md lists the endpoints of this one.",
      );
    });

    it.each([
      [
        'POST',
        'accounts/ID/cards/website',
        405,
        'Use POST ADS/12/accounts/ID/cards: cards of all kinds are made of components.',
      ],
      ['POST', 'accounts/ID/cards/website/abc', 404, 'Use POST ADS/12/accounts/ID/cards/abc: '],
      [
        'GET',
        'accounts/ID/cards/video_website',
        404,
        'card_id is "video_website", a kind of card that X no longer has',
      ],
      ['POST', '/2/tweets', 404, 'Use POST ADS/12/accounts/:account_id/post.'],
      ['POST', '/1.1/statuses/update.json', 404, 'Use POST ADS/12/accounts/:account_id/post.'],
      ['POST', 'accounts/ID/tweets', 404, 'Use POST ADS/12/accounts/ID/post. The header x-marquee-names: x'],
      ['POST', 'accounts/ID/posts', 405, 'Use POST ADS/12/accounts/ID/post.'],
      [
        'GET',
        '/1.1/account/verify_credentials.json',
        404,
        'Use GET ADS/12/accounts: it returns the accounts of the user.',
      ],
      ['GET', 'stats/accounts/ID/campaigns', 404, 'Use GET ADS/12/stats/accounts/ID?entity=CAMPAIGN&entity_ids='],
      ['GET', 'stats/jobs/accounts/ID/17', 405, 'Use GET ADS/12/stats/jobs/accounts/ID?job_ids=17.'],
      ['GET', 'accounts/ID/reach_estimate', 404, 'Use POST ADS/12/accounts/ID/audience_estimate.'],
      [
        'GET',
        'accounts/ID/videos',
        404,
        'Use GET ADS/12/accounts/ID/media_library: it takes the media_key of an upload.',
      ],
      ['GET', 'accounts/ID/auction_insights', 404, "auction_insights is part of X's Ads API but not of this one"],
    ])('in former endpoints: %s %s', async (method, path, status, says) => {
      const here = (text: string) => text.replace('ID', advertiser.account.id);
      const fill = (text: string) =>
        here(text).replace(/\b(ADS|BASE)(?=\/)/, (name) => place.urls[name as 'ADS' | 'BASE']);
      const answer = await advertiser.api.call(method, here(path.startsWith('/') ? path : `/12/${path}`));
      expect({ status: answer.status, hint: hintOf(answer) }).toEqual({
        status,
        hint: expect.stringContaining(fill(says)),
      });
    });

    it('in words of its history', async () => {
      const { api, account } = advertiser;
      const { body } = await api.post(`${own()}/line_items`, { form: { placements: 'ALL_ON_X' } });
      expect(body.errors.map(({ hint }: { hint?: string }) => hint)).toContain('Did you mean ALL_ON_PLATFORM?');
      const lineItem = await given.lineItem({ account });
      const target = async (targeting_type: string) =>
        hintOf(
          await api.post(`${own()}/targeting_criteria`, {
            form: { line_item_id: lineItem.id, targeting_type, targeting_value: 'tea' },
          }),
        );
      expect(await target('KEYWORD')).toMatch(
        /^Did you mean BROAD_KEYWORD\? There are EXACT_KEYWORD, PHRASE_KEYWORD and/,
      );
      expect(await target('NEGATIVE_PHRASE_KEYWORD')).toBe(
        'Did you mean PHRASE_KEYWORD? With operator_type=NE it excludes.',
      );
      expect(await target('TAILORED_AUDIENCE')).toBe('Did you mean CUSTOM_AUDIENCE?');
      const added = await api.post(`${own()}/media_library`, { form: { media_id: '17' } });
      expect(hintOf(added)).toBe('media_id is not a parameter of this endpoint. Did you mean media_key?');
      const form = { command: 'INIT', total_bytes: '1', media_type: 'image/png', media_category: 'tweet_image' };
      const upload = await api.post('/1.1/media/upload.json', { form });
      expect(hintOf(upload)).toMatch(/^Did you mean post_image\?/);
    });

    it('in parameters, words and the objects of a batch', async () => {
      const { api, account } = advertiser;
      const list = await api.get(`${own()}/promoted_posts`, { query: { promoted_tweet_ids: 'a1' } });
      expect(list.headers['x-marquee-hint']).toContain('Did you mean promoted_post_ids?');
      const { body } = await api.post(`${own()}/line_items`, {
        form: { placements: 'ALL_ON_TWITTER', objective: 'TWEET_ENGAGEMENTS' },
      });
      const hints = body.errors.flatMap(({ hint }: { hint?: string }) => hint ?? []);
      expect(hints).toEqual(
        expect.arrayContaining([`Did you mean ALL_ON_PLATFORM? ${TAKES_THEIR_NAMES}`, 'Did you mean ENGAGEMENTS?']),
      );
      const audience = await given.customAudience({ account });
      const users = await api.post(`${own()}/custom_audiences/${audience.id}/users`, {
        json: [{ operation_type: 'Update', params: { users: [{ twitter_id: ['x'] }] } }],
      });
      expect(users.body.operation_errors[0][0].hint).toBe(`Did you mean platform_id? ${TAKES_THEIR_NAMES}`);
    });
  });

  describe('a hint is not given', () => {
    it('about an account of somebody else, in whichever environment it is', async () => {
      const stranger = await given.advertiser();
      for (const path of [`/12/accounts/${place.sandboxAccountId}`, `/sandbox/12/accounts/${place.accountId}`]) {
        const { status, body } = await stranger.api.get(path);
        expect({ status, hint: body.errors[0].hint }).toEqual({ status: 404, hint: undefined });
      }
    });

    it('where nothing is near', async () => {
      const { status, body } = await advertiser.api.get('/12/weather/tomorrow');
      expect({ status, hint: body.errors[0].hint }).toEqual({ status: 404, hint: undefined });
    });

    it('to more than twenty of the operations of a batch', async () => {
      const { api, account } = advertiser;
      const operation = { operation_type: 'Create', params: { entity_status: 'active' } };
      const { body } = await api.post(`/12/batch/accounts/${account.id}/campaigns`, {
        json: Array.from({ length: 40 }, () => operation),
      });
      const hints = body.operation_errors.flat().filter(({ hint }: { hint?: string }) => hint !== undefined);
      expect(hints).toHaveLength(20);
      expect(hints[0].hint).toBe('Did you mean ACTIVE?');
    });
  });

  describe('a hint says nothing that its reader must not see', () => {
    it('no secret, and no token', async () => {
      const { consumer, token } = place.credentials;
      for (const { make } of MISTAKES) {
        const { text } = await make(place);
        for (const secret of [consumer.secret, token.secret, place.bearer]) expect(text).not.toContain(secret);
      }
    });
  });
});

describe('parameters', () => {
  const DAILY = 'daily_budget_amount_local_micro';
  const TOTAL = 'total_budget_amount_local_micro';

  let advertiser: Advertiser;
  let funding: { id: string };
  beforeAll(async () => {
    advertiser = await given.advertiser();
    funding = await given.fundingInstrument({ account: advertiser.account });
  });

  const account = () => `/12/accounts/${advertiser.account.id}`;
  const campaign = (params: Params = {}): Params => ({
    funding_instrument_id: funding.id,
    name: 'Spring',
    [DAILY]: 5_500_000,
    ...params,
  });
  const create = (params: Params) => advertiser.api.post(`${account()}/campaigns`, { query: campaign(params) });
  const batch = (json: Json) => advertiser.api.post(`/12/batch${account().slice(3)}/campaigns`, { json });
  const named = (errors?: Json[]) => errors?.map(({ code, parameter }) => `${code} ${parameter}`).sort();

  describe('texts in JSON', () => {
    it('are strings: numbers and booleans are 400, with a hint', async () => {
      const params = { funding_instrument_id: funding.id, [DAILY]: 5_500_000 };
      for (const name of [true, 17]) {
        const { status, body } = await batch([{ operation_type: 'Create', params: { ...params, name } }]);
        expect({ status, errors: body.operation_errors }).toMatchObject({
          status: 400,
          errors: [
            [
              {
                code: 'INVALID_PARAMETER',
                parameter: 'name',
                message: `Expected String, got ${name} for name`,
                hint: 'name is a string: put it in quotation marks.',
              },
            ],
          ],
        });
      }
      const { body } = await batch([
        { operation_type: 'Create', params: { ...params, name: 'x', funding_instrument_id: 5 } },
      ]);
      expect(named(body.operation_errors[0])).toEqual(['INVALID_PARAMETER funding_instrument_id']);
    });

    it('that are names show something', async () => {
      for (const name of ['  ', '\u200b\u2060'])
        expect(named((await create({ name })).body.errors)).toEqual(['INVALID_PARAMETER name']);
    });
  });

  describe('ids in capitals', () => {
    it('are read as small letters: in the path, in parameters and lists, in JSON', async () => {
      const id = (await create({ name: 'Capitals' })).body.data.id as string;
      const shouted = `/12/accounts/${advertiser.account.id.toUpperCase()}/campaigns`;
      const one = await advertiser.api.get(`${shouted}/${id.toUpperCase()}`);
      expect({ status: one.status, id: one.body.data?.id, params: one.body.request.params }).toEqual({
        status: 200,
        id,
        params: { account_id: advertiser.account.id, campaign_id: id },
      });
      const list = await advertiser.api.get(shouted, { query: { campaign_ids: id.toUpperCase() } });
      expect(list.body).toMatchObject({ data: [{ id }], request: { params: { campaign_ids: [id] } } });
      const made = await create({ name: 'By capitals', funding_instrument_id: funding.id.toUpperCase() });
      expect(made.body.data).toMatchObject({ funding_instrument_id: funding.id });
      const params = { campaign_id: id.toUpperCase(), name: 'Changed' };
      const { body } = await batch([{ operation_type: 'Update', params }]);
      expect(body.data).toMatchObject([{ id, name: 'Changed' }]);
    });
  });

  describe('what is echoed beside a refusal', () => {
    it('is what parsed of a query', async () => {
      const { status, body } = await advertiser.api.get(`${account()}/campaigns`, {
        query: { count: 0, with_deleted: 'T', campaign_ids: 'b,a', unheard_of: 1 },
      });
      expect({ status, errors: named(body.errors) }).toEqual({ status: 400, errors: ['INVALID_PARAMETER count'] });
      expect(body.errors[0].value).toBe('0');
      expect(body.request.params).toEqual({
        account_id: advertiser.account.id,
        with_deleted: true,
        campaign_ids: ['b', 'a'],
      });
    });

    it('is what parsed of a form, and no default', async () => {
      const { body } = await advertiser.api.post(`${account()}/campaigns`, {
        form: campaign({ [DAILY]: '5500000', entity_status: 'GONE', standard_delivery: 'f' }),
      });
      expect(named(body.errors)).toEqual(['INVALID_PARAMETER entity_status']);
      expect(body.request.params).toEqual({
        account_id: advertiser.account.id,
        funding_instrument_id: funding.id,
        name: 'Spring',
        [DAILY]: 5_500_000,
        standard_delivery: false,
      });
    });

    it('is there too where the path names no account', async () => {
      const { body } = await advertiser.api.get('/12/accounts', { query: { count: 'x', with_deleted: 'false' } });
      expect(body.request).toEqual({ params: { with_deleted: false } });
    });

    it('is what parsed of each operation of a batch', async () => {
      const { body } = await batch([
        { operation_type: 'Create', params: campaign({ [DAILY]: 'x', standard_delivery: 'True' }) },
        { operation_type: 'Create', params: campaign() },
        { operation_type: 'Delete', params: {} },
      ]);
      const account_id = advertiser.account.id;
      expect(body.request).toEqual([
        {
          operation_type: 'Create',
          params: { account_id, funding_instrument_id: funding.id, name: 'Spring', standard_delivery: true },
        },
        { operation_type: 'Create', params: { account_id, ...campaign() } },
        { operation_type: 'Delete', params: { account_id } },
      ]);
    });

    it('quotes what was refused only as far as anybody reads it', async () => {
      const long = 'x'.repeat(300_000);
      const answers = [
        await advertiser.api.put(account(), { form: { industry_type: long, name: long } }),
        await batch([{ operation_type: 'Create', params: { ...campaign(), name: { [long]: long }, [DAILY]: [long] } }]),
      ];
      for (const { status, text } of answers) {
        expect(status).toBe(400);
        expect(text.length).toBeLessThan(10_000);
      }
    });
  });

  describe('an empty value', () => {
    it('is refused where nothing can be unset, on create as on update', async () => {
      const { id } = await given.campaign({ account: advertiser.account });
      for (const name of ['name', 'entity_status']) {
        const refused = { status: 400, body: { errors: [{ code: 'INVALID_PARAMETER', parameter: name }] } };
        expect(await create({ [name]: '' })).toMatchObject(refused);
        expect(await advertiser.api.put(`${account()}/campaigns/${id}`, { query: { [name]: '' } })).toMatchObject(
          refused,
        );
        const operation = { operation_type: 'Create', params: { ...campaign(), [name]: null } };
        const { body } = await batch([
          operation,
          { operation_type: 'Update', params: { campaign_id: id, [name]: '' } },
        ]);
        expect(body.operation_errors?.map(named)).toEqual([
          [`INVALID_PARAMETER ${name}`],
          [`INVALID_PARAMETER ${name}`],
        ]);
      }
      for (const name of ['name', 'industry_type']) {
        expect(await advertiser.api.put(account(), { query: { [name]: '' } })).toMatchObject({
          status: 400,
          body: { errors: [{ parameter: name }] },
        });
      }
      expect((await advertiser.api.get(`${account()}/features`, { query: { feature_keys: '' } })).status).toBe(400);
    });

    it('is as if it was not sent on creating, where an update could unset it', async () => {
      const { status, body } = await create({
        [TOTAL]: '',
        purchase_order_number: '',
        standard_delivery: '',
        budget_optimization: '',
      });
      expect(status).toBe(201);
      expect(body.data).toMatchObject({
        [TOTAL]: null,
        purchase_order_number: null,
        standard_delivery: true,
        budget_optimization: 'CAMPAIGN',
      });
    });
  });

  describe('a parameter that was sent twice', () => {
    it('is refused with both values where they differ', async () => {
      for (const sending of [
        { query: { ...campaign(), name: ['a', 'b'] } },
        { form: campaign({ name: ['a', 'b'] }) },
      ]) {
        const { status, body } = await advertiser.api.post(`${account()}/campaigns`, sending);
        expect({ status, errors: body.errors }).toEqual({
          status: 400,
          errors: [
            {
              code: 'INVALID_PARAMETER',
              message: 'name was sent twice with different values: "a", "b"',
              parameter: 'name',
              value: ['a', 'b'],
            },
          ],
        });
      }
      const { body } = await advertiser.api.post(`${account()}/campaigns`, {
        query: { name: 'a' },
        form: { name: 'b' },
      });
      expect(body.errors.map(({ message }: Json) => message)).toContain(
        'name was sent twice with different values: "a", "b"',
      );
      const often = await advertiser.api.get(`${account()}/campaigns`, { query: { count: [1, 2, 1] } });
      expect(often.body.errors[0].message).toBe('count was sent 3 times with different values: "1", "2"');
    });

    it('counts once where they are equal', async () => {
      const { status, body } = await create({ name: ['Twice', 'Twice'], [TOTAL]: [6_000_000, 6_000_000] });
      expect(status).toBe(201);
      expect(body.data).toMatchObject({ name: 'Twice', [TOTAL]: 6_000_000 });
      expect(body.request.params).toMatchObject({ name: 'Twice', [TOTAL]: 6_000_000 });
    });

    it('is one list where lists are taken', async () => {
      const { status, body } = await advertiser.api.get(`${account()}/campaigns`, {
        query: { campaign_ids: ['a', 'b'], sort_by: ['name-asc', 'created_at-asc'] },
      });
      expect(status).toBe(200);
      expect(body.request.params).toMatchObject({ campaign_ids: ['a', 'b'], sort_by: ['name-asc', 'created_at-asc'] });
    });

    it('is still no text as an array in JSON', async () => {
      const { body } = await batch([{ operation_type: 'Create', params: { ...campaign(), name: ['a', 'a'] } }]);
      expect(body.operation_errors[0][0].message).toBe('Expected String, got ["a","a"] for name');
    });

    it('spends what counting totals may spend', async () => {
      const own = await given.advertiser();
      const target = `/12/accounts/${own.account.id}/campaigns`;
      const once = await own.api.get(target, { query: { with_total_count: true } });
      const twice = await own.api.get(target, { query: { with_total_count: [true, true] } });
      expect(twice).toMatchObject({ status: 200, body: { total_count: 0 } });
      const left = (answer: { headers: object }) =>
        Object.entries(answer.headers).filter(([name]) => /total|ratelimit/i.test(name) && !/reset/.test(name));
      expect(left(once).map(([name]) => name)).toEqual(left(twice).map(([name]) => name));
    });
  });

  describe('problems between parameters', () => {
    it('are named beside those of single ones: a count and a cursor with a total', async () => {
      const { status, body } = await advertiser.api.get(`${account()}/campaigns`, {
        query: { count: 0, cursor: 'abc', with_total_count: true },
      });
      expect({ status, errors: named(body.errors) }).toEqual({
        status: 400,
        errors: ['EXCLUSIVE_PARAMETERS with_total_count', 'INVALID_PARAMETER count'],
      });
      expect(body.request.params).toMatchObject({ cursor: 'abc', with_total_count: true });
    });

    it('wait for the parameters that they need', async () => {
      const { body } = await advertiser.api.get(`${account()}/campaigns`, {
        query: { cursor: 'abc', with_total_count: 'perhaps' },
      });
      expect(named(body.errors)).toEqual(['INVALID_PARAMETER with_total_count']);
    });

    it('are named for funding too', async () => {
      const own = await given.advertiser({ environment: 'sandbox' });
      const { body } = await own.api.post(`/12/accounts/${own.account.id}/funding_instruments`, {
        query: {
          currency: 'XXQ',
          type: 'INSERTION_ORDER',
          start_time: '2026-02-01',
          end_time: '2026-01-01',
          credit_limit_local_micro: 10_000,
          funded_amount_local_micro: 'x',
        },
      });
      expect(named(body.errors)).toEqual([
        'INVALID_PARAMETER credit_limit_local_micro',
        'INVALID_PARAMETER currency',
        'INVALID_PARAMETER funded_amount_local_micro',
        'INVALID_TIME_WINDOW end_time',
      ]);
    });
  });

  describe('a status that an update tolerates', () => {
    it('is not offered, and is taken back where it is so already', async () => {
      const [draft, active] = await Promise.all([
        given.campaign({ account: advertiser.account, entity_status: 'DRAFT' }),
        given.campaign({ account: advertiser.account }),
      ]);
      const update = (id: string, entity_status: string) =>
        advertiser.api.put(`${account()}/campaigns/${id}`, { query: { entity_status } });
      const refusedAs = (given_: string) => ({
        status: 400,
        body: { errors: [{ message: `Expected a value in ACTIVE, PAUSED, got "${given_}" for entity_status` }] },
      });
      expect(await update(draft.id, 'GONE')).toMatchObject(refusedAs('GONE'));
      expect(await update(active.id, 'DRAFT')).toMatchObject(refusedAs('DRAFT'));
      expect(await update(draft.id, 'DRAFT')).toMatchObject({
        status: 200,
        body: { data: { entity_status: 'DRAFT' } },
      });
      expect((await create({ entity_status: 'GONE' })).body.errors[0].message).toBe(
        'Expected a value in ACTIVE, DRAFT, PAUSED, got "GONE" for entity_status',
      );
    });
  });

  describe('a cursor', () => {
    it('holds to what the filters mean, not to how they were written', async () => {
      const own = await given.advertiser();
      const made = await given.campaigns({ account: own.account, count: 3 });
      const [one, two, three] = made.map(({ id }) => id);
      const list = (query: Params) => own.api.get(`/12/accounts/${own.account.id}/campaigns`, { query });
      const { body } = await list({ count: 2, campaign_ids: `${one},${two},${three}` });
      const cursor = body.next_cursor;
      for (const same of [
        { campaign_ids: `${three},${one},${two}` },
        { campaign_ids: [three, two, one] },
        { campaign_ids: `${one},${two},${three},${one}`, sort_by: 'created_at-desc' },
        { campaign_ids: `${one},${two},${three}`, with_deleted: false, with_draft: 'F', count: 200 },
        { campaign_ids: `${one},${two},${three}`, with_total_count: false },
      ]) {
        const answer = await list({ ...same, cursor });
        expect({ same, status: answer.status, ids: answer.body.data?.map(({ id }: Json) => id) }).toEqual({
          same,
          status: 200,
          ids: [one],
        });
      }
      for (const other of [
        { campaign_ids: `${one},${two}` },
        { campaign_ids: `${one},${two},${three}`, with_draft: true },
        { campaign_ids: `${one},${two},${three}`, with_deleted: true },
        { campaign_ids: `${one},${two},${three}`, q: 'Campaign' },
        { campaign_ids: `${one},${two},${three}`, sort_by: 'created_at-asc' },
        { funding_instrument_ids: `${one},${two},${three}` },
      ]) {
        const answer = await list({ ...other, cursor });
        expect({ other, status: answer.status }).toEqual({ other, status: 400 });
      }
    });

    it('leads to the end of a list, whatever names have, and how often sort_by has an attribute', async () => {
      const own = await given.advertiser();
      // JSON takes twelve characters to write two control characters, and UTF-8 four bytes for an emoji
      const names = ['\u{1F600}'.repeat(255), `b${'\u0001'.repeat(254)}`, '漢'.repeat(255)];
      for (const name of [...names, ...names]) await given.campaign({ account: own.account, name });
      const list = (query: Params) => own.api.get(`/12/accounts/${own.account.id}/campaigns`, { query });
      const attributes = ['name', 'deleted', 'updated_at', 'start_time', 'end_time', 'daily_budget_amount_local_micro'];
      const every = [...attributes, 'total_budget_amount_local_micro', 'standard_delivery', 'created_at'];
      for (const sort_by of ['name-asc,name-desc', every.map((each) => `${each}-desc,${each}-asc`).join()]) {
        const { data } = (await list({ sort_by, with_deleted: true })).body;
        expect(data).toHaveLength(6);
        const walked: Json[] = [];
        for (let cursor = ''; ;) {
          const { status, body } = await list({ sort_by, with_deleted: true, count: 1, ...(cursor && { cursor }) });
          expect({ sort_by, errors: body.errors, status }).toMatchObject({ status: 200 });
          walked.push(...body.data);
          if (body.next_cursor === null) break;
          cursor = body.next_cursor;
        }
        expect(walked.map(({ id }) => id)).toEqual(data.map(({ id }: Json) => id));
      }
    });
  });

  describe('a batch without a content type', () => {
    it('is told that it takes JSON only', async () => {
      const target = `/12/batch${account().slice(3)}/campaigns`;
      for (const type of ['', 'text/plain']) {
        const prepared = advertiser.api.prepare('POST', target, { json: [] });
        const { 'content-type': _, ...headers } = prepared.headers;
        const { status, body } = await sendPrepared({
          ...prepared,
          headers: type ? { ...headers, 'content-type': type } : headers,
        });
        expect({ status, message: body.errors[0].message }).toEqual({
          status: 415,
          message: `Expected application/json for Content-Type, got ${type ? `"${type}"` : 'none'}`,
        });
      }
    });
  });
});

describe('hints production', () => {
  const BASE = 'https://ads.example';
  useApp({ NODE_ENV: 'production', BASE_URL: BASE, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'silent' });

  let place: Place;
  beforeAll(async () => {
    place = await newPlace(BASE, world().direct, { host: 'ads.example', 'x-forwarded-proto': 'https' });
  });

  describe('in production mode no mistake gets a hint', () => {
    it.each(MISTAKES)('$name', async ({ make, status }) => {
      const answer = await make(place);
      // Refused for the same reason, so that what is left out is the hint alone.
      expect(answer.status).toBe(status);
      expect(answer.headers['x-marquee-hint'] ?? 'ignored').toContain('ignored');
      expect(answer.text).not.toMatch(/"hint"|signature_help|[Dd]id you mean/);
    });
  });
});
