import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { useApp, world } from '../../support/app.js';
import { type Json, send } from '../../support/http.js';
import { sendPrepared } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { compared, exchange } from '../../support/raw.js';
import { Batch } from '../../../src/common/batch/batch.js';
import { TakesBatch } from '../../../src/common/batch/takes-batch.js';
import { Text, Int } from '../../../src/common/http/params/fields.js';
import { useControllers } from '../../support/test-controllers.js';

useApp();

describe('bodies', () => {
  const DAILY = 'daily_budget_amount_local_micro';
  const FORM = 'application/x-www-form-urlencoded';

  let advertiser: Advertiser;
  let funding: { id: string };
  beforeAll(async () => {
    advertiser = await given.advertiser();
    funding = await given.fundingInstrument({ account: advertiser.account });
  });

  const account = () => `/12/accounts/${advertiser.account.id}`;
  const batch = () => `/12/batch/accounts/${advertiser.account.id}/campaigns`;
  const creation = (params: Json = {}) => ({
    operation_type: 'Create',
    params: { funding_instrument_id: funding.id, name: 'x', [DAILY]: 10_000, ...params },
  });
  const operations =
    (...types: string[]) =>
    (params: Json) =>
      types.map((operation_type) => ({ operation_type, params }));
  /** Everything that any body may have. */
  const FIELDS = [
    ...new Set(
      Object.values((JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject).components!.schemas!).flatMap(
        (schema) => Object.keys(('properties' in schema && schema.properties) || {}),
      ),
    ),
  ];
  const campaign = () => ({ funding_instrument_id: funding.id, name: 'From a form', [DAILY]: 10_000 });

  describe('form bodies', () => {
    it('are taken by POST and PUT, beside the query', async () => {
      const made = await advertiser.api.post(`${account()}/campaigns`, { form: campaign() });
      expect(made.status).toBe(201);
      const { name, ...rest } = campaign();
      const mixed = await advertiser.api.post(`${account()}/campaigns`, { query: { name }, form: rest });
      expect(mixed).toMatchObject({ status: 201, body: { data: { name }, request: { params: campaign() } } });
      const changed = await advertiser.api.put(`${account()}/campaigns/${made.body.data.id}`, {
        form: { name: 'New' },
      });
      expect(changed.body.data.name).toBe('New');
    });

    it.each([`${FORM};charset=UTF-8`, `${FORM}; charset=utf-8`, 'Application/X-WWW-Form-Urlencoded'])(
      'are taken as %s',
      async (type) => {
        const { status, body } = await advertiser.api.post(`${account()}/campaigns`, {
          form: { ...campaign(), name: 'é ☃ +&=%' },
          headers: { 'content-type': type },
        });
        expect({ status, name: body.data?.name }).toEqual({ status: 201, name: 'é ☃ +&=%' });
      },
    );

    it('may have far more parameters than anybody needs, and not as many as would stall the service', async () => {
      const sending = (count: number) => advertiser.api.post(`${account()}/campaigns`, { form: fields(count) });
      const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, '']));
      expect((await sending(5_000)).body.errors[0]).toMatchObject({ code: 'MISSING_PARAMETER' });
      const { status, body } = await sending(5_001);
      expect({ status, error: body.errors[0] }).toMatchObject({
        status: 400,
        error: { code: 'INVALID_PARAMETER', parameter: 'body', message: 'The body must have at most 5000 parameters' },
      });
      // unsigned, and not even to an endpoint
      const hostile = '%ff&'.repeat(260_000);
      for (const [path, expected] of [
        ['/12/nowhere', 404],
        ['/oauth/request_token', 400],
        [`${account()}/campaigns`, 400],
      ] as const) {
        const answer = await send(world().url, path, {
          method: 'POST',
          headers: { 'content-type': FORM },
          body: hostile,
        });
        expect([path, answer.status]).toEqual([path, expected]);
      }
    });

    it('may be empty, with any method', async () => {
      for (const [method, path, status] of [
        ['GET', account(), 200],
        ['PUT', account(), 200],
        ['DELETE', `${account()}/campaigns/0nobody`, 404],
        ['POST', `${account()}/campaigns`, 400],
      ] as const) {
        const empty: Record<string, string>[] = [
          { 'content-type': FORM, 'content-length': '0' },
          { 'content-type': FORM },
          { 'content-type': 'application/json' },
          { 'content-type': 'application/json; charset=utf-8', 'content-length': '0' },
        ];
        for (const headers of empty) {
          expect({ headers, status: (await advertiser.api.call(method, path, { headers })).status }).toEqual({
            headers,
            status,
          });
        }
      }
    });
  });

  describe('JSON bodies', () => {
    it('are refused where parameters belong in the query or a form', async () => {
      for (const [method, path] of [
        ['POST', `${account()}/campaigns`],
        ['PUT', account()],
      ]) {
        expect(await advertiser.api.call(method, path, { json: { name: 'x' } })).toMatchObject({
          status: 415,
          body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'Content-Type' }] },
        });
      }
    });

    it('have to be well formed', async () => {
      const { headers, ...prepared } = advertiser.api.prepare('POST', batch());
      for (const body of ['[', '{"a":1', "[{'a':1}]", '[1,]', 'null null', '\u0000', '[NaN]', '"\\ud8zz"']) {
        const again = advertiser.api.prepare('POST', batch()).headers;
        const answer = await sendPrepared({
          ...prepared,
          headers: { ...headers, ...again, 'content-type': 'application/json' },
          body,
        });
        expect(answer).toMatchObject({
          status: 400,
          body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'body' }] },
        });
      }
    });

    it('may be nested 20 levels deep and no deeper', async () => {
      // The array of operations, the operation and its params are three of them.
      const nested = (levels: number): Json => (levels === 0 ? 1 : [nested(levels - 1)]);
      const send = (levels: number) =>
        advertiser.api.post(batch(), { json: [creation({ unheard_of: nested(levels - 3) })] });
      expect((await send(20)).status).toBe(200);
      expect(await send(21)).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'body' }] },
      });
      const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
      const { method, target, headers } = advertiser.api.prepare('POST', batch());
      const answer = await sendPrepared({
        method,
        target,
        headers: { ...headers, 'content-type': 'application/json' },
        body: deep,
      });
      expect(answer.status).toBe(400);
    });

    it('do not reach prototypes', async () => {
      const { method, target, headers } = advertiser.api.prepare('POST', batch());
      const body = `[{"operation_type":"Create","params":{"__proto__":{"name":"x"},"constructor":1}}]`;
      const answer = await sendPrepared({
        method,
        target,
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(400);
      expect(answer.body.operation_errors[0].map(({ parameter }: Json) => parameter).sort()).toEqual([
        'funding_instrument_id',
        'name',
      ]);
      expect(({} as { name?: string }).name).toBeUndefined();
      for (const type of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
        expect((await advertiser.api.post(batch(), { json: [{ operation_type: type, params: {} }] })).status).toBe(400);
      }
    });

    it.each([
      ['/12/batch/accounts/:account/campaigns', operations('Create', 'Update', 'Delete')],
      ['/12/batch/accounts/:account/line_items', operations('Create', 'Update', 'Delete')],
      ['/12/batch/accounts/:account/targeting_criteria', operations('Create', 'Delete')],
      ['/12/batch/accounts/:account/custom_audiences', operations('Create', 'Update', 'Delete')],
      [
        '/12/accounts/:account/custom_audiences/:audience/users',
        (params: Json) => operations('Update', 'Delete')({ ...params, users: [params] }),
      ],
      ['/2/webhooks', (params: Json) => params],
      ['/2/webhooks/replay', (params: Json) => params],
    ] as [string, (params: Json) => Json][])('are refused by %s where they are no texts', async (path, bodyOf) => {
      const { id } = await given.customAudience({ account: advertiser.account });
      const target = path.replace(':account', advertiser.account.id).replace(':audience', id);
      const { api } = await given.integrator();
      for (const odd of [{ toString: false, valueOf: false }, { toJSON: 1 }, [[]], [null], { length: 3 }]) {
        const json = bodyOf(Object.fromEntries(FIELDS.map((name) => [name, odd])));
        const answer = await (path.startsWith('/2/') ? api.post(target, json) : advertiser.api.post(target, { json }));
        expect({ odd, status: answer.status, text: answer.text.slice(0, 200) }).toMatchObject({ odd, status: 400 });
      }
    });
  });

  describe('bodies that are too large', () => {
    it('get a 413 on a connection that goes on', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const sockets = new Set<Socket>();
      const call = (method: string, path: string, body?: Buffer) =>
        new Promise<{ status: number; body: Json; connection?: string }>((resolve, reject) => {
          const prepared = advertiser.api.prepare(method, path);
          const { hostname, port } = new URL(world().url);
          const outgoing = request(
            {
              agent,
              hostname,
              port,
              method,
              path: prepared.target,
              headers: {
                ...prepared.headers,
                ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
              },
            },
            (incoming) => {
              let text = '';
              incoming.on('data', (chunk) => (text += String(chunk)));
              incoming.on('end', () =>
                resolve({
                  status: incoming.statusCode!,
                  body: JSON.parse(text),
                  connection: incoming.headers.connection,
                }),
              );
            },
          );
          outgoing.on('socket', (socket) => sockets.add(socket)).on('error', reject);
          outgoing.end(body);
        });
      for (const size of [1024 * 1024 + 1, 6_000_000, 9_900_000]) {
        const refused = await call('POST', batch(), Buffer.alloc(size, ' '));
        expect(refused).toMatchObject({
          status: 413,
          body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'body' }] },
        });
        expect(refused.connection).not.toBe('close');
        expect((await call('GET', account())).status).toBe(200);
      }
      expect(sockets.size).toBe(1);
      agent.destroy();
    });

    it('beyond 10 MB close it', async () => {
      const { target, headers } = advertiser.api.prepare('POST', batch());
      const head = [
        `POST ${target} HTTP/1.1`,
        `host: ${new URL(world().direct).host}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        'content-type: application/json',
        'content-length: 30000000',
        '',
        '',
      ].join('\r\n');
      const text = await exchange(world().direct, Buffer.concat([Buffer.from(head), Buffer.alloc(11_000_000, ' ')]), {
        silence: 5_000,
      });
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
      expect(text.toLowerCase()).toContain('connection: close');
    });

    it('are not taken compressed', async () => {
      const prepared = advertiser.api.prepare('POST', batch());
      for (const encoding of ['gzip', 'deflate', 'br']) {
        const answer = await advertiser.api.post(batch(), { json: [], headers: { 'content-encoding': encoding } });
        expect(answer).toMatchObject({ status: 415, body: { errors: [{ parameter: 'Content-Encoding' }] } });
      }
      const { hostname, port } = new URL(world().url);
      const status = await new Promise<number>((resolve, reject) => {
        const outgoing = request(
          {
            hostname,
            port,
            method: 'POST',
            path: prepared.target,
            headers: { ...prepared.headers, 'content-type': 'application/json', 'content-encoding': 'gzip' },
          },
          (incoming) => resolve(incoming.resume().statusCode!),
        );
        outgoing.on('error', reject);
        outgoing.end(gzipSync('[]'));
      });
      expect(status).toBe(415);
    });
  });

  describe('texts that no store keeps', () => {
    const NUL = '\u0000';

    it('are refused in every parameter, not stumbled over', async () => {
      const { id } = await given.campaign({ account: advertiser.account });
      const calls: [method: string, path: string, names: string[]][] = [
        ['GET', '/12/accounts', ['account_ids', 'q', 'sort_by', 'cursor', 'count', 'with_deleted', 'with_total_count']],
        ['PUT', account(), ['name', 'industry_type']],
        ['GET', `${account()}/features`, ['feature_keys']],
        ['GET', `${account()}/promotable_users`, ['promotable_user_ids', 'cursor', 'sort_by']],
        ['GET', `${account()}/funding_instruments`, ['funding_instrument_ids', 'cursor', 'sort_by']],
        [
          'GET',
          `${account()}/account_history`,
          ['entity_type', 'entity_id', 'start_time', 'end_time', 'user_id', 'count', 'cursor'],
        ],
        ['GET', `${account()}/campaigns`, ['campaign_ids', 'funding_instrument_ids', 'q', 'cursor', 'with_draft']],
        [
          'POST',
          `${account()}/campaigns`,
          ['funding_instrument_id', 'name', 'purchase_order_number', 'entity_status', 'budget_optimization', DAILY],
        ],
        ['PUT', `${account()}/campaigns/${id}`, ['name', 'purchase_order_number', 'entity_status', DAILY]],
      ];
      for (const [method, path, names] of calls) {
        for (const name of names) {
          for (const value of [NUL, `a${NUL}b`]) {
            const { status, body } = await advertiser.api.call(method, path, { query: { [name]: value } });
            const named = body.errors?.some((each: Json) => each.parameter === name);
            expect({ method, path, name, status, named }).toEqual({ method, path, name, status: 400, named: true });
          }
        }
      }
    });

    it('are refused in batches, half surrogates too', async () => {
      const { id } = await given.campaign({ account: advertiser.account });
      for (const text of [NUL, 'a\ud800', '\udc00b', '\ud800\ud800']) {
        const { status, body } = await advertiser.api.post(batch(), {
          json: [
            creation({ name: text }),
            creation({ purchase_order_number: text }),
            creation({ funding_instrument_id: text }),
            { operation_type: 'Update', params: { campaign_id: id, name: text } },
            { operation_type: 'Update', params: { campaign_id: text } },
            { operation_type: text, params: {} },
            creation({ unheard_of: text }),
          ],
        });
        expect(status).toBe(400);
        expect(body.operation_errors.map((own: Json[]) => own.map(({ parameter }) => parameter))).toEqual([
          ['name'],
          ['purchase_order_number'],
          ['funding_instrument_id'],
          ['name'],
          ['campaign_id'],
          ['operation_type'],
          [],
        ]);
      }
    });

    it('are harmless where broken escapes stand for them', async () => {
      for (const escape of ['%ED%A0%80', '%FF', '%', '%zz', '%C3']) {
        const target = `${account()}/campaigns`;
        const answer = await sendPrepared({
          ...advertiser.api.prepare('GET', target),
          target: `${target}?q=${escape}`,
        });
        expect(answer.status).toBe(401);
      }
    });

    it('are refused in paths', async () => {
      for (const id of ['%00', 'a%00b', '%ED%A0%80', '%FF', '%']) {
        for (const path of [
          `/12/accounts/${id}`,
          `/12/accounts/${id}/campaigns`,
          `${account()}/campaigns/${id}`,
          `${account()}/funding_instruments/${id}`,
          `${account()}/promotable_users/${id}`,
        ]) {
          for (const method of ['GET', 'PUT', 'DELETE']) {
            const { status, body } = await advertiser.api.directly().call(method, path);
            expect({
              method,
              path,
              isRefused: [400, 404, 405].includes(status),
              named: !!body?.errors?.[0]?.code,
            }).toEqual({
              method,
              path,
              isRefused: true,
              named: true,
            });
          }
        }
      }
    });
  });
});

describe('hostile bodies', () => {
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
        'The objects in the body must have at most 5000 different sequences of names',
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
    ).then((all) => compared(`POST ${path}`, all));
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
        ['/2/webhooks', { type: JSON_TYPE }, /^HTTP\/1\.1 408 /],
        [UPLOAD, upload(advertiser), /^HTTP\/1\.1 408 /],
        [UPLOAD, upload(), /^HTTP\/1\.1 40[01] /],
        [batch(), { type: JSON_TYPE, headers: { 'content-encoding': 'gzip' } }, /^HTTP\/1\.1 415 /],
      ];
      const refused = () => figure('refusals_total{status="408",reason="slow-body"}');
      const before = await refused();
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
      expect((await refused()) - before).toBe(6);
    });

    it('are no requests that are answered: those are as many as ever meanwhile', async () => {
      const kinds = [JSON_TYPE, FORM, 'multipart/form-data; boundary=b', 'application/octet-stream'];
      const slow = await Promise.all(
        Array.from({ length: 40 }, (_, i) => hold(i % 8 < 4 ? batch() : UPLOAD, { type: kinds[i % 4] })),
      );
      await untilPending(40);
      expect(await figure('http_requests_in_flight')).toBe(1);
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
});
