import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import { useApp, world } from '../../support/app.js';
import { sendPrepared, type Json } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { send } from '../../support/http.js';
import { exchange } from '../../support/raw.js';

useApp();

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
    const changed = await advertiser.api.put(`${account()}/campaigns/${made.body.data.id}`, { form: { name: 'New' } });
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
      const answer = await sendPrepared({ ...advertiser.api.prepare('GET', target), target: `${target}?q=${escape}` });
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
