import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Batch } from '../../../src/common/batch/batch.js';
import { TakesBatch } from '../../../src/common/batch/takes-batch.js';
import { Text, Int } from '../../../src/common/http/params/fields.js';
import { useApp, world } from '../../support/app.js';
import { sendPrepared, type Json } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { send } from '../../support/http.js';
import { exchange } from '../../support/raw.js';
import { useControllers } from '../../support/test-controllers.js';

const MIB = 1024 * 1024;
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

class Person {
  @Text({ max: 20 }) name: string;
  @Int({ min: 0, max: 200 }) age: number;
  @Int({ min: 0, max: 9 }) floor: number;
}
const PEOPLE = { Update: Person };

@Controller('12/uploads')
class UploadsController {
  @Post()
  @HttpCode(200)
  @TakesBatch(PEOPLE, 2_500, {
    bodyLimit: 5_000_000,
    jsonBounds: { depth: 20, values: 400_000, shapes: 5_000 },
  })
  take(@Body() operations: unknown) {
    const batch = Batch.read(operations, 2_500, PEOPLE, {});
    return { data: batch.run({ Update: ({ params }) => params.name }).items.length };
  }
}

const MAX_PENDING = 100;
const MAX_PER_ADDRESS = 60;
useApp({
  BODY_MEMORY_MIB: '8',
  MAX_CONCURRENT_REQUESTS: '10',
  MAX_PENDING_BODIES: `${MAX_PENDING}`,
  MAX_PENDING_BODIES_PER_ADDRESS: `${MAX_PER_ADDRESS}`,
  MAX_PENDING_UPLOADS_PER_USER: '2',
  // so that clients can be at any address
  TRUST_PROXY: '127.0.0.1',
});
const uploads = useControllers(UploadsController);

let advertiser: Advertiser;
beforeAll(async () => {
  advertiser = await given.advertiser();
});

const account = () => `/12/accounts/${advertiser.account.id}`;
const batch = () => `/12/batch/accounts/${advertiser.account.id}/campaigns`;
const postJson = (body: string) => {
  const { headers, ...prepared } = advertiser.api.prepare('POST', batch());
  return sendPrepared({ ...prepared, headers: { ...headers, 'content-type': JSON_TYPE }, body });
};
const list = (piece: string, count: number) => `[${Array(count).fill(piece).join(',')}]`;
const figure = async (name: string) => {
  const { text } = await send(world().direct, '/metrics', { method: 'GET' });
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`marquee_${name} `))
      ?.split(' ')[1] ?? 0,
  );
};
const heldBytes = () => figure('http_body_bytes');
const pendingBodies = () => figure('http_bodies_pending');
const untilPending = async (count: number) => {
  for (let i = 0; i < 100 && (await pendingBodies()) !== count; i++) await pause(20);
  expect(await pendingBodies()).toBe(count);
};

afterEach(async () => {
  // whatever was sent, nothing of it is held when it is over
  for (let i = 0; i < 50 && (await heldBytes()) > 0; i++) await pause(20);
  expect(await heldBytes()).toBe(0);
  await untilPending(0);
});

describe('JSON that is more than a server should make', () => {
  it.each([
    ['values', () => list('[]', 60_000), 'The body must have at most 50000 values'],
    [
      'values, of which nothing is well-formed',
      () => `${list('1', 60_000)}]`,
      'The body must have at most 50000 values',
    ],
    ['levels', () => `${'['.repeat(500_000)}`, 'The body is nested more than 20 levels deep'],
    [
      'names',
      () => `{${Array.from({ length: 6_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
      'The names in the objects of the body must come in at most 5000 different sequences',
    ],
  ])('is refused before anything is made of it: %s', async (_, make, message) => {
    const refusal = { code: 'INVALID_PARAMETER', parameter: 'body', message };
    expect(await postJson(make())).toMatchObject({ status: 400, body: { errors: [refusal] } });
    const unsigned = await send(world().url, batch(), {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE },
      body: make(),
    });
    expect(unsigned).toMatchObject({ status: 400, body: { errors: [refusal] } });
  });

  it('is told in numbers among the authentication endpoints', async () => {
    const answer = await send(world().url, '/oauth/request_token', {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE },
      body: list('1', 60_000),
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 214 }] } });
  });

  it('may be long where it is what an endpoint takes', async () => {
    const people = Array.from({ length: 2_500 }, (_, i) => ({
      operation_type: 'Update',
      params: { name: `n${i}`, age: 1, floor: 2, users: Array(25).fill({ email: ['f'.repeat(56)] }) },
    }));
    const body = JSON.stringify(people);
    expect(body.length).toBeGreaterThan(4_500_000);
    const answer = await send(uploads.url(), '/12/uploads', {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE },
      body,
    });
    expect(answer).toMatchObject({ status: 200, body: { data: 2_500 } });
  });

  it('comes back short where all of a long batch is wrong', async () => {
    const wrong = { operation_type: 'Update', params: { name: 'x'.repeat(1_800), age: 'x', floor: -1 } };
    const answer = await send(uploads.url(), '/12/uploads', {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE },
      body: JSON.stringify(Array(2_500).fill(wrong)),
    });
    expect(answer.status).toBe(400);
    const told: Json[][] = answer.body.operation_errors;
    expect(told).toHaveLength(2_500);
    expect(told[0].map(({ parameter }) => parameter)).toEqual(['name', 'age', 'floor']);
    expect(told.every((own) => own[0].code === 'INVALID_PARAMETER' && own[0].parameter === 'name')).toBe(true);
    expect(told[2_499]).toEqual([{ code: 'INVALID_PARAMETER', message: told[2_499][0].message, parameter: 'name' }]);
    expect(answer.text.length).toBeLessThan(2_000_000);
  });
});

describe('a megabyte of nonsense', () => {
  const long = 'a'.repeat(MIB - 1_000);

  it.each([
    [
      'an id in a batch',
      () => postJson(JSON.stringify([{ operation_type: 'Create', params: { funding_instrument_id: long } }])),
    ],
    ['a type of operation', () => postJson(JSON.stringify([{ operation_type: long }]))],
    [
      'an id in a form',
      () => advertiser.api.post(`${account()}/campaigns`, { form: { funding_instrument_id: long, name: 'x' } }),
    ],
    [
      'a list in a form',
      () => advertiser.api.post(`${account()}/campaigns`, { form: { start_time: ','.repeat(MIB - 1_000) } }),
    ],
    [
      'a form that is signed wrongly',
      () => advertiser.api.post(`${account()}/campaigns`, { form: { name: long }, headers: { 'x-odd': '1' } }),
    ],
    [
      'a media type',
      () =>
        send(world().url, batch(), {
          method: 'POST',
          headers: { 'content-type': `text/${'x'.repeat(12_000)}` },
          body: 'x',
        }),
    ],
    [
      'an encoding',
      () =>
        send(world().url, batch(), {
          method: 'POST',
          headers: { 'content-type': JSON_TYPE, 'content-encoding': 'x'.repeat(12_000) },
        }),
    ],
    ['an id in a path', () => advertiser.api.get(`${account()}/campaigns/${'z'.repeat(12_000)}`)],
  ])('is not sent back: %s', async (_, sending) => {
    const answer = await sending();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.text.length).toBeLessThan(25_000);
  });

  it('has to be text in a form', async () => {
    const answer = await send(world().url, `${account()}/campaigns`, {
      method: 'POST',
      headers: { 'content-type': FORM },
      body: Buffer.alloc(1_000, 0xfe),
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'body', message: 'The body must be UTF-8' }] },
    });
  });

  it('is not compared with what the signature should have been', async () => {
    const { headers, ...prepared } = advertiser.api.prepare('POST', `${account()}/campaigns`);
    const answer = await sendPrepared({
      ...prepared,
      headers: { ...headers, 'content-type': FORM },
      body: `name=${'!'.repeat(MIB - 10)}`,
    });
    expect(answer).toMatchObject({ status: 401, body: { errors: [{ code: 'UNAUTHORIZED_ACCESS' }] } });
    expect(answer.body.errors[0].signature_help).toEqual({ differs: expect.stringContaining('too long') as string });
  });
});

/** Sends the head of a request and as much of its body, and leaves it at that. */
const beginning = (path: string, bytes: number, length: number, type = JSON_TYPE): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(world().direct);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).once('error', reject);
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
    socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, ' ')]), () => resolve(socket));
  });

const UPLOAD = '/1.1/media/upload.json';

/** The head of an upload, signed by somebody where somebody is named, and where its file begins. */
const upload = (by?: Advertiser) => ({
  type: 'multipart/form-data; boundary=b',
  headers: by && { ...by.api.prepare('POST', `${UPLOAD}`).headers, host: new URL(world().url).host },
  body: '--b\r\nContent-Disposition: form-data; name="media"; filename="a"\r\n\r\n',
});

interface Held {
  socket: Socket;
  /** The first bytes that come back. */
  answer: Promise<string>;
  /** All of them, when the other side has closed the connection. */
  closed: Promise<string>;
}

/** Sends the head of a request, as from an address, and no more of its body than is given. */
async function hold(
  path: string,
  given: {
    type?: string;
    from?: string;
    headers?: Record<string, string | string[]>;
    length?: number;
    body?: string;
  } = {},
): Promise<Held> {
  const { type = JSON_TYPE, from = '203.0.113.99', headers = {}, length = 100_000, body = '' } = given;
  const { hostname, port } = new URL(world().direct);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('error', () => undefined).on('data', (chunk) => (text += String(chunk)));
  const answer = new Promise<string>((resolve) => {
    socket.once('data', () => resolve(text)).once('close', () => resolve(text));
  });
  const closed = new Promise<string>((resolve) =>
    socket.once('end', () => resolve(text)).once('close', () => resolve(text)),
  );
  const lines = Object.entries({
    host: 'x',
    ...headers,
    'x-forwarded-for': from,
    'content-type': type,
    'content-length': `${length}`,
  }).map(([name, value]) => `${name}: ${String(value)}`);
  await new Promise((resolve) =>
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`, resolve),
  );
  return { socket, answer, closed };
}

describe('bodies under way', () => {
  it('are bounded in sum by what arrived, whatever is announced', async () => {
    const announced = await Promise.all(Array.from({ length: 30 }, () => beginning(batch(), 10, MIB)));
    expect((await postJson('[]')).body.errors[0].message).toContain('minimum');
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, i) => beginning(batch(), MIB - 100, MIB, i % 2 === 0 ? JSON_TYPE : FORM)),
    );
    for (let i = 0; i < 100 && (await heldBytes()) < 8 * (MIB - 100); i++) await pause(20);

    const { headers } = advertiser.api.prepare('POST', batch());
    const post = (path: string) =>
      send(world().direct, path, {
        method: 'POST',
        headers: { ...headers, host: new URL(world().url).host, 'content-type': JSON_TYPE },
        body: ' '.repeat(10_000),
      });
    const refused = await post(batch());
    expect(refused).toMatchObject({
      status: 503,
      body: { errors: [{ code: 'SERVICE_UNAVAILABLE' }], request: { params: {} } },
    });
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.headers.connection).not.toBe('close');
    expect(await post('/oauth/request_token')).toMatchObject({ status: 503, body: { errors: [{ code: 130 }] } });
    expect(await post('/2/webhooks')).toMatchObject({ status: expect.any(Number) as number });
    expect((await advertiser.api.get(account())).status).toBe(200);

    [...sent, ...announced].forEach((socket) => socket.destroy());
    for (let i = 0; i < 100 && (await heldBytes()) > 0; i++) await pause(20);
    expect((await postJson(' '.repeat(10_000))).status).toBe(400);
  });

  it('have to arrive in bounded time, whatever they are and whether or not somebody signed', async () => {
    const kinds: [path: string, given: Parameters<typeof hold>[1], status: RegExp][] = [
      [batch(), { type: JSON_TYPE }, /^HTTP\/1\.1 408 /],
      [batch(), { type: FORM }, /^HTTP\/1\.1 408 /],
      [UPLOAD, { type: FORM }, /^HTTP\/1\.1 408 /],
      ['/12/nothing', { type: 'text/plain' }, /^HTTP\/1\.1 408 /],
      [UPLOAD, upload(advertiser), /^HTTP\/1\.1 408 /],
      [UPLOAD, upload(), /^HTTP\/1\.1 40[01] /],
      [batch(), { type: JSON_TYPE, headers: { 'content-encoding': 'gzip' } }, /^HTTP\/1\.1 415 /],
    ];
    const slow = await Promise.all(kinds.map(([path, given]) => hold(path, given)));
    const drip = setInterval(() => slow.forEach(({ socket }) => socket.write(' ')), 300);
    const texts = await Promise.all(slow.map(({ closed }) => closed));
    clearInterval(drip);
    for (const [i, [path, , status]] of kinds.entries()) {
      expect(texts[i]).toMatch(status);
      if (!texts[i].startsWith('HTTP/1.1 408')) continue;
      expect(texts[i]).toMatch(/connection: close/i);
      expect(texts[i]).toContain('The body took too long to arrive');
      if (path.startsWith('/12')) expect(texts[i]).toContain('"request":{"params":{}}');
    }
    expect(await figure('refusals_total{status="408",reason="slow-body"}')).toBe(5);
  }, 20_000);

  it('are no requests that are answered: those are as many as ever meanwhile', async () => {
    const kinds = [JSON_TYPE, FORM, 'multipart/form-data; boundary=b', 'application/octet-stream'];
    const slow = await Promise.all(
      Array.from({ length: 40 }, (_, i) => hold(i % 8 < 4 ? batch() : UPLOAD, { type: kinds[i % 4] })),
    );
    await untilPending(40);
    expect(await figure('http_requests_underway')).toBe(1);
    expect((await advertiser.api.get(account())).status).toBe(200);
    expect((await postJson('[]')).status).toBe(400);
    slow.forEach(({ socket }) => socket.destroy());
  });

  it('are bounded by address, whose client is told at once', async () => {
    const from = '192.0.2.7';
    const refused = () => figure('refusals_total{status="429",reason="pending-bodies-of-address"}');
    const before = await refused();
    const slow = await Promise.all(Array.from({ length: MAX_PER_ADDRESS }, () => hold(batch(), { from })));
    await untilPending(MAX_PER_ADDRESS);
    for (const [path, body] of [
      [batch(), { errors: [expect.objectContaining({ code: 'TOO_MANY_REQUESTS' })], request: { params: {} } }],
      ['/oauth/request_token', { errors: [expect.objectContaining({ code: 88 })] }],
      ['/2/webhooks', { status: 429, errors: [expect.objectContaining({ code: 88 })] }],
    ] as const) {
      const answer = await (await hold(path, { from })).closed;
      expect(answer).toMatch(/^HTTP\/1\.1 429 /);
      expect(answer).toMatch(/^retry-after: 1\r$/im);
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject(body);
    }
    expect((await refused()) - before).toBe(3);
    const other = await hold(batch(), { from: '192.0.2.8', length: 2 });
    other.socket.write('[]');
    expect(await other.answer).toMatch(/^HTTP\/1\.1 401 /);
    // what has no body is answered as ever
    const get = await send(world().direct, '/version', { method: 'GET', headers: { 'x-forwarded-for': from } });
    expect(get.status).toBe(200);
    slow[0].socket.destroy();
    await untilPending(MAX_PER_ADDRESS - 1);
    const next = await hold(batch(), { from, length: 2 });
    next.socket.write('[]');
    expect(await next.answer).toMatch(/^HTTP\/1\.1 401 /);
    [...slow, other, next].forEach(({ socket }) => socket.destroy());
  });

  it('are bounded by the networks of IPv6', async () => {
    const slow = await Promise.all(
      Array.from({ length: MAX_PER_ADDRESS }, (_, i) =>
        hold(batch(), { from: `2001:db8:1:2:${i.toString(16)}::${i + 1}` }),
      ),
    );
    await untilPending(MAX_PER_ADDRESS);
    expect(await (await hold(batch(), { from: '2001:db8:1:2:ffff::9' })).closed).toMatch(/^HTTP\/1\.1 429 /);
    const other = await hold(batch(), { from: '2001:db8:1:3::9', length: 2 });
    other.socket.write('[]');
    expect(await other.answer).toMatch(/^HTTP\/1\.1 401 /);
    [...slow, other].forEach(({ socket }) => socket.destroy());
  });

  it('make room for those of other addresses where few have nearly all', async () => {
    const greedy = await Promise.all(
      Array.from({ length: MAX_PER_ADDRESS }, () => hold(batch(), { from: '192.0.2.1' })),
    );
    await untilPending(MAX_PER_ADDRESS);
    const others = await Promise.all(
      Array.from({ length: MAX_PENDING - MAX_PER_ADDRESS }, (_, i) => hold(batch(), { from: `198.51.100.${i + 1}` })),
    );
    await untilPending(MAX_PENDING);
    const newcomer = await hold(batch(), { from: '203.0.113.1', length: 2 });
    newcomer.socket.write('[]');
    expect(await newcomer.answer).toMatch(/^HTTP\/1\.1 401 /);
    const displaced = await Promise.race(greedy.map(({ closed }) => closed));
    expect(displaced).toMatch(/^HTTP\/1\.1 503 /);
    expect(displaced).toMatch(/^retry-after: 1\r$/im);
    expect(others.every(({ socket }) => !socket.destroyed)).toBe(true);
    [...greedy, ...others, newcomer].forEach(({ socket }) => socket.destroy());
  });

  it('are bounded in all, while what watches the service is answered', async () => {
    const slow = await Promise.all(
      Array.from({ length: MAX_PENDING }, (_, i) => hold(batch(), { from: `198.51.100.${i + 1}` })),
    );
    await untilPending(MAX_PENDING);
    const refused = await (await hold(batch(), { from: '203.0.113.1' })).closed;
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toMatch(/^retry-after: 1\r$/im);
    expect(await figure('refusals_total{status="503",reason="pending-bodies"}')).toBeGreaterThan(0);
    expect((await send(world().direct, '/health/ready', { method: 'GET' })).status).toBe(200);
    expect((await advertiser.api.get(account())).status).toBe(200);
    slow.forEach(({ socket }) => socket.destroy());
  });

  it('are bounded for the uploads of one user', async () => {
    const slow = await Promise.all([0, 1].map((i) => hold(UPLOAD, { ...upload(advertiser), from: `192.0.2.${i}` })));
    await untilPending(2);
    // the two are known to be this user's once they are read
    let third = '';
    for (let i = 0; i < 50 && !third.startsWith('HTTP/1.1 429'); i++) {
      const { socket, answer } = await hold(UPLOAD, {
        ...upload(advertiser),
        from: '192.0.2.3',
        length: 300 + upload().body.length,
      });
      socket.write('x'.repeat(300));
      third = await answer;
      socket.destroy();
    }
    expect(third).toMatch(/^HTTP\/1\.1 429 /);
    expect(third).toMatch(/^retry-after: 1\r$/im);
    expect(third).toContain('"code":88');
    const stranger = await given.advertiser();
    const other = await hold(UPLOAD, { ...upload(stranger), from: '192.0.2.4', length: 300 + upload().body.length });
    other.socket.write('x'.repeat(300));
    expect(await other.answer).toMatch(/^HTTP\/1\.1 400 /);
    [...slow, other].forEach(({ socket }) => socket.destroy());
  });

  it('may come in the smallest of pieces', async () => {
    const text = `[${' '.repeat(5_000)}]`;
    const chunks = [...text].map((character) => `1\r\n${character}\r\n`).join('');
    const answer = await exchange(
      world().direct,
      `POST ${batch()} HTTP/1.1\r\nhost: x\r\ncontent-type: ${JSON_TYPE}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
      { silence: 3_000 },
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('heads that are no good', () => {
  const ask = (bytes: string) => exchange(world().direct, Buffer.from(bytes, 'latin1'), { silence: 2_000 });
  const bodyOf = (answer: string): Json => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  const long = `x: ${'x'.repeat(40_000)}\r\n`;

  it.each([
    ['no host', (path: string) => `POST ${path} HTTP/1.1\r\nconnection: close\r\n\r\n`, 400, 357],
    [
      'an unheard-of expectation',
      (path: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\nexpect: a miracle\r\nconnection: close\r\n\r\n`,
      417,
      214,
    ],
    ['long headers', (path: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\n${long}\r\n`, 431, 214],
    ['a broken header', (path: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\nno colon\r\n\r\n`, 400, 214],
    [
      'two lengths',
      (path: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx`,
      400,
      214,
    ],
  ])('are answered in the form of the path: %s', async (_, head, status, code) => {
    const ads = await ask(head('/12/accounts'));
    expect(ads).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(bodyOf(ads)).toMatchObject({ errors: [{ code: expect.any(String) as string }], request: { params: {} } });
    const sandbox = await ask(head('/sandbox/12/accounts'));
    expect(bodyOf(sandbox)).toEqual(bodyOf(ads));
    expect(bodyOf(await ask(head('/oauth/request_token')))).toEqual({
      errors: [{ code: 214, message: bodyOf(ads).errors[0].message }],
    });
    expect(bodyOf(await ask(head('/2/webhooks')))).toMatchObject({
      status,
      type: expect.stringMatching(/^about:blank$|\/2\/problems\/invalid-request$/) as string,
      errors: [{ code }],
    });
  });

  it('are answered in the form of the advertising endpoints when their path came long before', async () => {
    const { hostname, port } = new URL(world().direct);
    const socket = connect(Number(port), hostname);
    socket.write('GET /12/accounts HTTP/1.1\r\nhost: x\r\n');
    // the server reads the request line before the headers come that are too long
    await pause(200);
    socket.write(`x: ${'x'.repeat(9_000)}\r\n`);
    await pause(200);
    socket.write(`y: ${'y'.repeat(9_000)}\r\n\r\n`);
    let answer = '';
    for await (const piece of socket) answer += String(piece);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(answer)).toEqual({
      errors: [{ code: 'INVALID_PARAMETER', message: 'The headers must have at most 16384 bytes together' }],
      request: { params: {} },
    });
  });

  it('with a wish to continue are answered as ever', async () => {
    const answer = await ask(
      `POST ${batch()} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: 2\r\n\r\n[]`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
  });

  it('of a tunnel are refused', async () => {
    const answer = await ask('CONNECT other:443 HTTP/1.1\r\nhost: other:443\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(bodyOf(answer).errors[0].code).toBe(34);
    // one that goes away at once leaves the others alone
    const { hostname, port } = new URL(world().direct);
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write('CONNECT other:443 HTTP/1.1\r\nhost: other:443\r\n\r\n', () => socket.resetAndDestroy());
    }
    await pause(100);
    expect((await advertiser.api.get(account())).status).toBe(200);
  });
});
