import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { FaultRetentionJob } from '../../../src/workbench/faults/fault-retention.job.js';
import { commandEnvironment } from '../../support/command-environment.js';
import { Api, anonymously, type Answer, type Json, type Params, type Prepared } from '../../support/api.js';
import { addFaultsCommands } from '../../../src/cli/workbench/faults.commands.js';
import { commandsInside } from '../../support/commands-inside.js';
import { useApp, world } from '../../support/app.js';
import { BearerApi } from '../../support/bearer-api.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import { send } from '../../support/http.js';

let application: Application;
let advertiser: Advertiser;
let owner: Api;
let campaigns: string;

async function prepare(): Promise<void> {
  application = await given.application();
  advertiser = await given.advertiser({ application });
  campaigns = `/12/accounts/${advertiser.account.id}/campaigns`;
  owner = await ownerOf(application);
}

const ownerIdOf = async ({ id }: Application) => (await world().get(ApplicationQueries).findById(id))!.ownerId;

async function ownerOf(of: Application): Promise<Api> {
  const token = await world()
    .get(AccessTokensService)
    .issue(await ownerIdOf(of), of.id, 'write');
  return new Api({ consumer: of.consumer, token });
}

/** Creates a fault that every replica knows. */
async function fault(form: Params, by = owner): Promise<Json> {
  const { status, body } = await by.post('/workbench/faults', { form });
  expect({ status, body }).toMatchObject({ status: 201 });
  await world().caughtUp();
  return body.data;
}

const shown = async (id: string): Promise<Json> => (await owner.get(`/workbench/faults/${id}`)).body.data;
const codeOf = ({ status, body }: Answer): Json => [status, body.errors?.[0].code];

async function campaignForm(): Promise<Params> {
  const { id } = await given.fundingInstrument({ account: advertiser.account });
  return {
    name: 'Faulty',
    funding_instrument_id: id,
    daily_budget_amount_local_micro: 1_000_000,
    entity_status: 'PAUSED',
  };
}

const countCampaigns = async (): Promise<number> => (await advertiser.api.get(campaigns)).body.data.length;

/** What a client receives on a connection of its own, and how it ends. */
interface Received {
  bytes: Buffer;
  ended: 'FIN' | 'ECONNRESET';
}

/** Sends a request straight to a replica; no balancer hides how the connection ends. */
function sendRaw({ method, target, headers, body = '' }: Prepared): Promise<Received> {
  const { hostname, port } = new URL(world().direct);
  const lines = Object.entries({
    host: new URL(world().url).host,
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const received = (ended: Received['ended']) => {
      clearTimeout(timer);
      resolve({ bytes: Buffer.concat(chunks), ended });
    };
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection stays open after ${Buffer.concat(chunks).toString()}`));
    }, 20_000);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => received('FIN'));
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      code === 'ECONNRESET' ? received('ECONNRESET') : reject(new Error(code)),
    );
    socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  });
}

/** How each fault looks on the wire. */
const ON_THE_WIRE: Record<string, (received: Received) => void> = {
  EMPTY_RESPONSE: ({ bytes, ended }) => expect([bytes.length, ended]).toEqual([0, 'FIN']),
  MALFORMED_RESPONSE_CHUNK: ({ bytes, ended }) => {
    const [head, body] = bytes.toString().split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/^transfer-encoding: chunked/im);
    expect(head).toMatch(/^x-marquee-fault: \w+/im);
    expect(head).not.toMatch(/^(content-length|retry-after)/im);
    expect(body).not.toMatch(/^[0-9a-f]+\r\n/i);
    expect([body.length > 0, ended]).toEqual([true, 'FIN']);
  },
  RANDOM_DATA_THEN_CLOSE: ({ bytes, ended }) => {
    expect(bytes.toString('latin1')).not.toMatch(/^HTTP/);
    expect([bytes.length > 100, ended]).toEqual([true, 'FIN']);
  },
  CONNECTION_RESET_BY_PEER: ({ bytes, ended }) => expect([bytes.length, ended]).toEqual([0, 'ECONNRESET']),
};

describe('faults', () => {
  useApp();
  beforeEach(prepare);

  for (const kind of Object.keys(ON_THE_WIRE)) {
    it(`breaks the connection: ${kind}, before and after the request is carried out`, async () => {
      const form = await campaignForm();
      for (const [applied, stored] of [
        ['BEFORE_COMMIT', 0],
        ['AFTER_COMMIT', 1],
      ] as const) {
        const { id } = await fault({ fault: kind, applied, times: 1, operation: 'createCampaign' });
        ON_THE_WIRE[kind](await sendRaw(advertiser.api.prepare('POST', campaigns, { form })));
        expect(await shown(id as string)).toMatchObject({ applied_count: 1, active: false });
        expect(await countCampaigns()).toBe(stored);
      }
      // it is logged and counted as any other, and the journal shows it
      const { data } = (await owner.get('/workbench/requests', { query: { method: 'POST' } })).body;
      expect(data.map(({ status }: Json) => status)).toEqual([201, 503]);
      const metrics = await send(world().direct, '/metrics', { method: 'GET' });
      expect(metrics.text).toMatch(/^marquee_http_requests_in_flight 1$/m);
    });
  }

  it('breaks a connection behind which further requests wait', async () => {
    await fault({ fault: 'EMPTY_RESPONSE', operation: 'getCampaign' });
    const [first, second] = [campaigns, `${campaigns}/abc`].map((path) => advertiser.api.prepare('GET', path));
    const { hostname, port } = new URL(world().direct);
    const socket = connect(Number(port), hostname)
      .on('error', () => undefined)
      .resume();
    const text = ({ target, headers }: Prepared) =>
      `GET ${target} HTTP/1.1\r\nhost: ${new URL(world().url).host}\r\nauthorization: ${headers.authorization}\r\n\r\n`;
    socket.write(text(first) + text(second));
    await new Promise((resolve) => socket.once('close', resolve));
    expect((await advertiser.api.get(campaigns)).status).toBe(200);
  });

  it('answers errors in the envelope of each family of endpoints', async () => {
    const { id } = await fault({ error_status: 503 });
    const ads = await advertiser.api.get(campaigns);
    expect(ads).toMatchObject({
      status: 503,
      headers: { 'x-marquee-fault': id, 'retry-after': '1' },
      body: { errors: [{ code: 'SERVICE_UNAVAILABLE' }], request: { params: { account_id: advertiser.account.id } } },
    });
    const basic = Buffer.from(`${application.consumer.key}:${application.consumer.secret}`).toString('base64');
    const token = await send(world().url, '/oauth2/token', {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    expect(codeOf(token)).toEqual([503, 130]);
    await owner.delete(`/workbench/faults/${id}`);
    const webhooks = await BearerApi.of(application);
    await fault({ error_status: 404, error_code: 144 });
    expect(codeOf(await webhooks.get('/2/webhooks'))).toEqual([404, 144]);
    expect(codeOf(await advertiser.api.get(campaigns))).toEqual([404, 'NOT_FOUND']);
  });

  it('answers with the code of the fault', async () => {
    await fault({ error_status: 403, error_code: 'READONLY_CLIENT_APPLICATION' });
    expect(codeOf(await advertiser.api.get(campaigns))).toEqual([403, 'READONLY_CLIENT_APPLICATION']);
  });

  it('carries the request out before an error with AFTER_COMMIT, and not before one with BEFORE_COMMIT', async () => {
    const form = await campaignForm();
    await fault({ error_status: 500, times: 1, operation: 'createCampaign' });
    await fault({ error_status: 503, times: 1, operation: 'createCampaign', applied: 'AFTER_COMMIT' });
    expect(codeOf(await advertiser.api.post(campaigns, { form }))).toEqual([500, 'INTERNAL_ERROR']);
    expect(await countCampaigns()).toBe(0);
    const lost = await advertiser.api.post(campaigns, { form });
    expect(codeOf(lost)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(lost.body.data).toBeUndefined();
    expect(await countCampaigns()).toBe(1);
    expect((await advertiser.api.post(campaigns, { form: { ...form, name: 'Third' } })).status).toBe(201);
  });

  it('delays without a slot, before and after the request is carried out', async () => {
    const form = await campaignForm();
    for (const applied of ['BEFORE_COMMIT', 'AFTER_COMMIT']) {
      const { id } = await fault({ latency_ms: '400..500', times: 1, operation: 'createCampaign', applied });
      const before = await countCampaigns();
      const began = performance.now();
      const answering = advertiser.api.directly().post(campaigns, { form: { ...form, name: applied } });
      await delayedRequests(1);
      expect(await countCampaigns()).toBe(applied === 'AFTER_COMMIT' ? before + 1 : before);
      const answer = await answering;
      expect(answer).toMatchObject({ status: 201, headers: { 'x-marquee-fault': id } });
      expect(performance.now() - began).toBeGreaterThanOrEqual(395);
      await delayedRequests(0);
    }
  });

  it('ends a delay when the client disconnects, and does not carry the request out', async () => {
    const form = await campaignForm();
    await fault({ latency_ms: 60_000, operation: 'createCampaign' });
    const { target, headers, body } = advertiser.api.prepare('POST', campaigns, { form });
    const { hostname, port } = new URL(world().direct);
    const socket = connect(Number(port), hostname);
    const lines = Object.entries({ host: new URL(world().url).host, ...headers }).map((each) => each.join(': '));
    socket.write(`POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${body!.length}\r\n\r\n${body!}`);
    const { underway } = await delayedRequests(1);
    // the request that reads the metrics
    expect(underway).toBe(1);
    socket.destroy();
    expect((await delayedRequests(0)).underway).toBe(1);
    expect(await countCampaigns()).toBe(0);
  });

  it('applies exactly as often as it says, over all replicas', async () => {
    const { id } = await fault({ error_status: 503, times: 7 });
    await fault({ error_status: 500, times: 3 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => advertiser.api.get(campaigns)));
    const statuses = answers.map(({ status }) => status);
    const countOf = (wanted: number) => statuses.filter((status) => status === wanted).length;
    expect([countOf(503), countOf(500), countOf(200)]).toEqual([7, 3, 40]);
    expect(await shown(id as string)).toMatchObject({ applied_count: 7, times: 7, active: false });
  });

  it('concerns the application alone, and never the workbench', async () => {
    const other = await given.application();
    const stranger = await given.advertiser({ application: other });
    const theirs = `/12/accounts/${stranger.account.id}/campaigns`;
    const { id } = await fault({ error_status: 503 });
    for (let i = 0; i < 4; i++) {
      const answer = await stranger.api.get(theirs);
      expect([answer.status, answer.headers['x-marquee-fault']]).toEqual([200, undefined]);
    }
    expect((await advertiser.api.get(campaigns)).status).toBe(503);
    const otherOwner = await ownerOf(other);
    expect((await otherOwner.get('/workbench/faults')).body.data).toEqual([]);
    for (const refused of [
      await otherOwner.get(`/workbench/faults/${id}`),
      await otherOwner.put(`/workbench/faults/${id}`, { form: { error_status: 500 } }),
      await otherOwner.delete(`/workbench/faults/${id}`),
    ])
      expect(refused).toMatchObject({ status: 404, body: { errors: [{ code: 34, parameters: { fault_id: [id] } }] } });
    expect(await advertiser.api.post('/workbench/faults', { form: { error_status: 503 } })).toMatchObject({
      status: 403,
    });
    expect(await shown(id as string)).toMatchObject({ applied_count: 1, error_status: 503 });
  });

  it('selects requests by operation, account and probability', async () => {
    const second = await given.advertiser({ application });
    const elsewhere = `/12/accounts/${second.account.id}/campaigns`;
    const statuses = async () => {
      const answers = [
        await advertiser.api.get(campaigns),
        await advertiser.api.get(`${campaigns}/abc`),
        await second.api.get(elsewhere),
        await second.api.get('/12/accounts'),
      ];
      return answers.map(({ status }) => status);
    };
    const cases: [Params, number[]][] = [
      [{ operation: 'listCampaigns' }, [503, 404, 503, 200]],
      [{ operation: 'GET /12/accounts/*/campaigns' }, [503, 404, 503, 200]],
      [{ operation: 'get /12/accounts/:account_id/campaigns/{campaign_id}' }, [200, 503, 200, 200]],
      [{ operation: `GET ${elsewhere}` }, [200, 404, 503, 200]],
      [{ operation: 'POST /12/accounts/*/campaigns' }, [200, 404, 200, 200]],
      [{ account_id: second.account.id }, [200, 404, 503, 200]],
      [{ account_id: second.account.id.toUpperCase(), operation: 'listCampaigns' }, [200, 404, 503, 200]],
      [{ probability: 0 }, [200, 404, 200, 200]],
      [{}, [503, 503, 503, 503]],
    ];
    for (const [selection, expected] of cases) {
      const { id } = await fault({ ...selection, error_status: 503 });
      expect([selection, await statuses()]).toEqual([selection, expected]);
      await owner.delete(`/workbench/faults/${id}`);
    }
    expect(await statuses()).toEqual([200, 404, 200, 200]);

    const { id } = await fault({ probability: 0.5, error_status: 503 });
    const answers = await Promise.all(Array.from({ length: 60 }, () => advertiser.api.get(campaigns)));
    const met = answers.filter(({ status }) => status === 503).length;
    // fails once in 10^9 runs
    expect(met > 6 && met < 54).toBe(true);
    expect((await shown(id as string)).applied_count).toBe(met);
  });

  it('shows a rate limit in the headers, answers 429 at 0, and ends with its window', async () => {
    const seconds = () => world().clock.seconds();
    await fault({ rate_limit_remaining: 3, rate_limit_reset_in: 60, times: 1 });
    const low = await advertiser.api.get(campaigns);
    expect(low).toMatchObject({
      status: 200,
      headers: { 'x-rate-limit-remaining': '3', 'x-account-rate-limit-remaining': '3' },
    });
    expect(Math.abs(Number(low.headers['x-rate-limit-reset']) - seconds() - 60)).toBeLessThanOrEqual(5);

    const { id } = await fault({ rate_limit_remaining: 0, rate_limit_reset_in: 40 });
    const full = await advertiser.api.get(campaigns);
    expect(codeOf(full)).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(full.headers['x-rate-limit-remaining']).toBe('0');
    const reset = Number(full.headers['x-rate-limit-reset']);
    expect(Math.abs(Number(full.headers['retry-after']) - 40)).toBeLessThanOrEqual(5);
    expect(full.headers.ratelimit).toContain('r=0');
    world().clock.advance(2_000);
    const again = await advertiser.api.post(campaigns, { form: {} });
    expect([again.status, again.headers['x-rate-limit-reset']]).toEqual([429, String(reset)]);
    expect(again.headers['x-account-rate-limit-remaining']).toBeUndefined();
    world().clock.advance(42_000);
    expect((await advertiser.api.get(campaigns)).status).toBe(200);
    expect(await shown(id as string)).toMatchObject({ applied_count: 2, active: false });
  });

  it('injects what a request asks for with Prefer', async () => {
    const prefer = (value: string) => advertiser.api.get(campaigns, { headers: { prefer: value } });
    expect(await prefer('fault=503')).toMatchObject({
      status: 503,
      headers: { 'x-marquee-fault': 'prefer' },
      body: { errors: [{ code: 'SERVICE_UNAVAILABLE' }] },
    });
    expect(codeOf(await prefer('respond-async, Fault="429"'))).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect((await prefer('return=minimal')).status).toBe(200);
    const headers = { prefer: 'fault=CONNECTION_RESET_BY_PEER' };
    ON_THE_WIRE.CONNECTION_RESET_BY_PEER(await sendRaw(advertiser.api.prepare('GET', campaigns, { headers })));

    const form = await campaignForm();
    const lost = { prefer: 'fault=500; applied=AFTER_COMMIT' };
    expect((await advertiser.api.post(campaigns, { form, headers: lost })).status).toBe(500);
    expect(await countCampaigns()).toBe(1);

    for (const value of [
      'fault=200',
      'fault=NONE',
      'fault',
      'fault=503; applied=LATER',
      `a=${'b'.repeat(900)}, fault=x`,
    ])
      expect(await prefer(value)).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'Prefer', value }] },
      });
    expect(await owner.get('/workbench/faults', { headers: { prefer: 'fault=x' } })).toMatchObject({
      status: 400,
      body: { errors: [{ code: 214, parameters: { Prefer: ['fault=x'] } }] },
    });
    expect((await anonymously('GET', campaigns, { prefer: 'fault=503' })).status).toBe(401);
    const journaled = (await owner.get('/workbench/requests')).body.data as Json[];
    const faults = await Promise.all(
      journaled.map(async ({ id }) => (await owner.get(`/workbench/requests/${id}`)).body.data.fault as string | null),
    );
    expect(faults.filter((each) => each === 'prefer')).toHaveLength(4);
  });

  it('is created, listed, read, replaced and deleted', async () => {
    const first = await fault({
      operation: 'listCampaigns',
      account_id: advertiser.account.id,
      probability: 0.25,
      times: 2,
      latency_ms: '10..20',
      error_status: 418,
      error_code: 'TEAPOT',
      ttl: 60,
    });
    expect(first).toMatchObject({
      account_id: advertiser.account.id,
      active: true,
      applied: 'BEFORE_COMMIT',
      applied_count: 0,
      error_code: 'TEAPOT',
      error_status: 418,
      fault: null,
      last_applied_at: null,
      latency_ms: '10..20',
      operation: 'listCampaigns',
      probability: 0.25,
      rate_limit_remaining: null,
      times: 2,
    });
    expect(Date.parse(first.expires_at as string) - Date.parse(first.created_at as string)).toBe(60_000);
    const second = await fault({ latency_ms: 5 });
    expect(await shown(first.id as string)).toEqual(first);
    const page = await owner.get('/workbench/faults', { query: { max_results: 1 } });
    expect(page.body.data).toEqual([second]);
    const rest = await owner.get('/workbench/faults', {
      query: { max_results: 1, pagination_token: page.body.meta.next_token },
    });
    expect(rest.body).toEqual({ data: [first], meta: { result_count: 1 } });

    await advertiser.api.get('/12/accounts');
    expect(await shown(second.id as string)).toMatchObject({ applied_count: 1, last_applied_at: expect.any(String) });
    const path = `/workbench/faults/${second.id}`;
    const replaced = await owner.put(path, { form: { error_status: 503 } });
    expect(replaced).toMatchObject({
      status: 200,
      body: { data: { id: second.id, applied_count: 0, latency_ms: null, error_status: 503 } },
    });
    await world().caughtUp();
    expect((await advertiser.api.get('/12/accounts')).status).toBe(503);
    expect((await owner.delete(path)).body).toEqual({ data: { deleted: true } });
    expect((await advertiser.api.get('/12/accounts')).status).toBe(200);
    expect((await owner.delete(path)).status).toBe(404);
  });

  it('rejects bad input and names the field', async () => {
    const cases: [Params, string][] = [
      [{}, 'error_status'],
      [{ error_status: 200 }, 'error_status'],
      [{ error_status: 'x' }, 'error_status'],
      [{ error_code: 'INTERNAL_ERROR' }, 'error_status'],
      [{ error_status: 500, error_code: 'no code' }, 'error_code'],
      [{ error_status: 500, fault: 'EMPTY_RESPONSE' }, 'fault'],
      [{ fault: 'BROKEN' }, 'fault'],
      [{ error_status: 500, operation: 'createSomething' }, 'operation'],
      [{ error_status: 500, operation: 'GET /12/campaigns' }, 'operation'],
      [{ error_status: 500, operation: 'listFaults' }, 'operation'],
      [{ error_status: 500, operation: 'GET /workbench/faults' }, 'operation'],
      [{ error_status: 500, account_id: '!' }, 'account_id'],
      [{ error_status: 500, probability: 1.5 }, 'probability'],
      [{ error_status: 500, probability: -0.1 }, 'probability'],
      [{ error_status: 500, probability: 'often' }, 'probability'],
      [{ error_status: 500, times: 0 }, 'times'],
      [{ latency_ms: 60_001 }, 'latency_ms'],
      [{ latency_ms: '500..100' }, 'latency_ms'],
      [{ latency_ms: 'long' }, 'latency_ms'],
      [{ error_status: 500, applied: 'LATER' }, 'applied'],
      [{ rate_limit_remaining: -1 }, 'rate_limit_remaining'],
      [{ rate_limit_remaining: 0, error_status: 500 }, 'rate_limit_remaining'],
      [{ rate_limit_remaining: 0, applied: 'AFTER_COMMIT' }, 'applied'],
      [{ error_status: 500, rate_limit_reset_in: 9 }, 'rate_limit_remaining'],
      [{ error_status: 500, ttl: 0 }, 'ttl'],
    ];
    for (const [form, parameter] of cases) {
      const { status, body } = await owner.post('/workbench/faults', { form });
      const named = (body.errors as Json[]).map(({ parameters }) => Object.keys((parameters ?? {}) as object)[0]);
      expect([form, status, named]).toEqual([form, 400, [parameter]]);
    }
    expect((await owner.get('/workbench/faults')).body.data).toEqual([]);
    const { id } = await fault({ error_status: 500 });
    expect((await owner.put(`/workbench/faults/${id}`, { form: { probability: 2 } })).status).toBe(400);
  });

  it('allows 100 faults, however many requests create them at once', async () => {
    const form = { latency_ms: 1, probability: 0 };
    const answers = await Promise.all(Array.from({ length: 104 }, () => owner.post('/workbench/faults', { form })));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(codeOf)).toEqual(Array(4).fill([400, 214]));
    const [{ body }] = answers.filter(({ status }) => status === 201);
    const deleted = await Promise.all([1, 2].map(() => owner.delete(`/workbench/faults/${body.data.id}`)));
    expect(deleted.map(({ status }) => status).sort()).toEqual([200, 404]);
    await fault(form);
    expect((await owner.post('/workbench/faults', { form })).status).toBe(400);
  });

  it('expires, is reported, and ends with the owner of the application', async () => {
    const other = await given.application();
    const theirs = await ownerOf(other);
    await fault({ error_status: 503 }, theirs);
    const { id } = await fault({ error_status: 503, ttl: 60 });
    const health = async () => (await send(world().url, '/health/ready?verbose', { method: 'GET' })).body.faults;
    const before = await health();
    expect(before.active).toBeGreaterThanOrEqual(2);
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const job = world().get(FaultRetentionJob);
    await job.check();
    expect(warn).toHaveBeenCalledWith({ faults: before.active, applications: before.applications }, expect.any(String));
    warn.mockRestore();
    expect((await send(world().url, '/health/ready', { method: 'GET' })).body.faults).toBeUndefined();

    world().clock.advance(61_000);
    expect((await advertiser.api.get(campaigns)).status).toBe(200);
    expect(await shown(id as string)).toMatchObject({ active: false });
    expect((await health()).active).toBeLessThan(before.active as number);
    await job.check();
    expect((await owner.get(`/workbench/faults/${id}`)).status).toBe(200);
    world().clock.advance(86_400_000);
    await job.check();
    expect((await owner.get(`/workbench/faults/${id}`)).status).toBe(404);
    world().clock.set(null);

    const kept = await fault({ error_status: 503 });
    const ownerId = await ownerIdOf(application);
    const count = async () =>
      Number((await world().sql<{ n: number }>('SELECT count(*)::int AS n FROM faults WHERE id = $1', kept.id))[0].n);
    expect(await count()).toBe(1);
    await world().get(UserRemoval).delete(ownerId);
    await world().get(UserRemoval).finish(ownerId);
    expect(await count()).toBe(0);
  });

  it('is managed on the command line', async () => {
    const env = commandEnvironment(owner.credentials);
    const inside = commandsInside(addFaultsCommands, owner.credentials);
    const faults = (...args: string[]) => inside('faults', ...args);
    const adding = [
      'bin/marquee.mjs',
      'faults',
      'add',
      '--operation',
      'listCampaigns',
      '--error',
      '503',
      '--times',
      '2',
    ];
    const first = (await promisify(execFile)(process.execPath, adding, { env })).stdout.trim();
    await world().caughtUp();
    expect((await advertiser.api.get(campaigns)).headers['x-marquee-fault']).toBe(first);
    const added = await faults('add', '--latency', '1..2', '--probability', '0', '--applied', 'AFTER_COMMIT', '--json');
    const second = JSON.parse(added.stdout);
    expect(second).toMatchObject({ latency_ms: '1..2', probability: 0, applied: 'AFTER_COMMIT' });
    const { stdout: listed } = await faults('list');
    expect(listed).toMatch(new RegExp(`${first} +listCampaigns +- +503 +1 +1 of 2 +yes`));
    expect(JSON.parse((await faults('list', '--json')).stdout)).toHaveLength(2);
    await expect(faults('add', '--error', '200')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('between 400 and 599'),
    });
    expect((await faults('delete', first)).stdout).toBe('Deleted 1 fault.\n');
    expect((await advertiser.api.get(campaigns)).status).toBe(200);
    expect((await faults('clear')).stdout).toBe('Deleted 1 fault.\n');
    expect((await owner.get('/workbench/faults')).body.data).toEqual([]);
    await expect(faults('delete', first)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(first) });
  }, 60_000);

  /** Waits until the first replica delays this many requests; returns its requests in progress then. */
  async function delayedRequests(wanted: number): Promise<{ underway: number }> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const { text } = await send(world().direct, '/metrics', { method: 'GET' });
      const read = (name: string) => Number(new RegExp(`^marquee_http_requests_${name} (\\d+)$`, 'm').exec(text)?.[1]);
      if (read('delayed') === wanted) return { underway: read('in_flight') };
      await pause(20);
    }
    throw new Error(`there were never ${wanted} delayed requests`);
  }
});

describe('without the workbench', () => {
  useApp({ WORKBENCH: 'false' }, 1);
  beforeEach(prepare);

  it('has no faults', async () => {
    expect((await advertiser.api.get(campaigns, { headers: { prefer: 'fault=503' } })).status).toBe(200);
    expect((await owner.get('/workbench/faults')).status).toBe(404);
    expect((await send(world().url, '/health/ready?verbose', { method: 'GET' })).body.faults).toBeUndefined();
  });
});
