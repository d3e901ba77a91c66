import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { useApp, world } from '../../support/app.js';
import { anonymously, type Answer } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { send } from '../../support/http.js';
import { exchange } from '../../support/raw.js';

useApp();

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
    '/12/accounts/',
    '/5/accounts',
    '/11/accounts',
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
    expect(body).toMatchObject({ name: 'marquee', version: expect.stringMatching(/^\d+\.\d+\.\d+/), api_version: 12 });
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

  it('metrics are not for other machines', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((each) => each && !each.internal && each.family === 'IPv4');
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
