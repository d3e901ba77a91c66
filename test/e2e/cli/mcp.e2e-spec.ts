import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { TOOL_SETS } from '../../../src/workbench/mcp/tool-sets.js';
import type { KeyAndSecret } from '../../../src/auth/credentials/tokens.js';
import { useApp, world } from '../../support/app.js';
import { Api, type Json } from '../../support/api.js';
import { given, type Application } from '../../support/given.js';
import { Place } from './marquee.js';

jest.setTimeout(60_000);

const MARQUEE = resolve('bin/marquee.mjs');

describe('marquee mcp', () => {
  useApp();
  let place: Place;
  let credentials: string;
  let application: Application;
  let token: KeyAndSecret;
  let accountId: string;
  let fundingId: string;

  beforeAll(async () => {
    place = await Place.make({ LOG_LEVEL: 'warn' });
    application = await given.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    const account = await given.account({ userId: ownerId });
    accountId = account.id;
    fundingId = (await given.fundingInstrument({ account })).id;
    credentials = place.path('credentials.json');
    const { url } = world();
    writeFileSync(
      credentials,
      JSON.stringify({
        base_url: url,
        ads_base_url: url,
        ads_sandbox_base_url: `${url}/sandbox`,
        consumer_key: application.consumer.key,
        consumer_secret: application.consumer.secret,
        access_token: token.key,
        access_token_secret: token.secret,
      }),
    );
  });
  afterAll(() => place.leave());

  const clients: Client[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });

  async function connected(...options: string[]): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    const args = [MARQUEE, 'mcp', '--credentials', credentials, ...options];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
    clients.push(client);
    return client;
  }

  /** The response to a tool, as an assistant reads it. */
  async function call(client: Client, name: string, args: object): Promise<{ isError: boolean; text: string }> {
    const { content, isError = false } = await client.callTool({ name, arguments: args as Record<string, unknown> });
    return { isError, text: (content as { text: string }[])[0].text };
  }
  const dataOf = async (client: Client, name: string, args: object): Promise<Json> => {
    const { isError, text } = await call(client, name, args);
    expect({ name, isError, text: isError ? text : '' }).toEqual({ name, isError: false, text: '' });
    return JSON.parse(text).data;
  };
  const campaign = (name: string) => ({
    funding_instrument_id: fundingId,
    name,
    daily_budget_amount_local_micro: 5_500_000,
  });

  it('has the tools of X with --names x', async () => {
    const client = await connected('--names', 'x');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toHaveLength(74);
    expect(names).toContain('list_ads_accounts');
    expect(await dataOf(client, 'list_ads_accounts', {})).toMatchObject([{ id: accountId }]);
    expect(await place.marquee(['mcp', '--names', 'x', '--tools', 'campaigns'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--tools and --names x cannot be combined'),
    });
  });

  it('offers operations as tools, and pauses what they create', async () => {
    const client = await connected();
    const { tools } = await client.listTools();
    expect(tools.length).toBeLessThanOrEqual(30);
    const create = tools.find(({ name }) => name === 'createCampaign')!;
    expect(create.inputSchema.required).toEqual(['account_id', 'funding_instrument_id', 'name']);
    expect(create.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    const sets = await connected('--tools', 'campaigns,creatives');
    const others = (await sets.listTools()).tools;
    expect(others.find(({ name }) => name === 'deleteCampaign')!.annotations).toMatchObject({ destructiveHint: true });
    expect(others.some(({ name }) => /token|uploadMedia|Json$/i.test(name))).toBe(false);

    const created = await dataOf(client, 'createCampaign', { account_id: accountId, ...campaign('Autumn') });
    expect(created).toMatchObject({ name: 'Autumn', entity_status: 'PAUSED' });
    const active = { account_id: accountId, ...campaign('Winter'), entity_status: 'ACTIVE' };
    expect(await dataOf(client, 'createCampaign', active)).toMatchObject({ entity_status: 'ACTIVE' });
    const changed = { account_id: accountId, campaign_id: created.id, name: 'Spring', entity_status: 'ACTIVE' };
    expect(await dataOf(client, 'updateCampaign', changed)).toMatchObject({ name: 'Spring', entity_status: 'ACTIVE' });

    const body = [
      { operation_type: 'Create', params: campaign('One') },
      { operation_type: 'Create', params: { ...campaign('Two'), entity_status: 'ACTIVE' } },
      { operation_type: 'Update', params: { campaign_id: created.id, name: 'Summer' } },
    ];
    const results = await dataOf(client, 'batchCampaigns', { account_id: accountId, body });
    expect(results.map(({ entity_status }: Json) => entity_status as string)).toEqual(['PAUSED', 'ACTIVE', 'ACTIVE']);

    const ids = { account_id: accountId, campaign_ids: [created.id, results[0].id], count: 10, sort_by: ['name-asc'] };
    const found = await dataOf(client, 'listCampaigns', ids);
    expect(found.map(({ name }: Json) => name as string)).toEqual(['One', 'Summer']);
    expect(await dataOf(client, 'deleteCampaign', { account_id: accountId, campaign_id: created.id })).toMatchObject({
      deleted: true,
    });
  });

  it('sends the JSON body of a DELETE', async () => {
    const client = await connected();
    const { id } = await dataOf(client, 'createProductCatalog', { name: 'Shop' });
    const stored = { product_catalog_id: id, body: { products: [given.product()] } };
    const [{ product_key }] = (await dataOf(client, 'putProduct', stored)).products_response;
    await dataOf(client, 'deleteProduct', { product_catalog_id: id, body: { product_keys: [product_key] } });
    expect(await dataOf(client, 'listProducts', { product_catalog_id: id })).toEqual([]);
  });

  it('ends at once where it has nothing to sign with', async () => {
    const file = place.path('no-keys.json');
    writeFileSync(file, JSON.stringify({ base_url: world().url, consumer_key: application.consumer.key }));
    expect(await place.marquee(['mcp', '--credentials', file])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: consumer_secret is missing in /),
    });
  });

  it('returns the errors of the service, and rejects unknown tools', async () => {
    const client = await connected();
    const args = { account_id: accountId, funding_instrument_id: fundingId, name: '' };
    const { isError, text } = await call(client, 'createCampaign', args);
    expect(isError).toBe(true);
    expect(text).toMatch(/^The service answered 400, x-request-id [\w-]+:\n.*name/);
    const missing = call(client, 'createCampaign', { account_id: accountId, name: 'Autumn' });
    await expect(missing).rejects.toThrow('funding_instrument_id is required.');
    await expect(call(client, 'paintCampaign', {})).rejects.toThrow('There is no tool paintCampaign');
  });

  it('sends requests to the sandbox', async () => {
    const client = await connected();
    const [{ id }] = await dataOf(client, 'createAccount', {});
    const sandbox = await dataOf(client, 'listAccounts', { sandbox: true });
    expect(sandbox.map((account: Json) => account.id as string)).toContain(id);
    const production = await dataOf(client, 'listAccounts', {});
    expect(production.map((account: Json) => account.id as string)).not.toContain(id);
  });

  it('has the journal and the documentation as resources', async () => {
    const client = await connected();
    await call(client, 'listAccounts', {});
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(expect.arrayContaining(['marquee://openapi.json', 'marquee://docs/workbench.md']));
    const textOf = async (uri: string) => ((await client.readResource({ uri })).contents[0] as { text: string }).text;
    expect(JSON.parse(await textOf('marquee://openapi.json'))).toMatchObject({ openapi: '3.1.0' });
    expect(await textOf('marquee://docs/workbench.md')).toMatch(/^# Workbench/);
    const [{ id, path }] = JSON.parse(await textOf('marquee://workbench/requests')).data;
    expect(path).toBe('/12/accounts');
    expect(JSON.parse(await textOf(`marquee://workbench/requests/${id}`)).data).toMatchObject({
      signature: { verdict: 'VALID' },
    });
    await expect(textOf('marquee://workbench/requests/unknown-request')).rejects.toThrow();
    await expect(textOf('marquee://nowhere')).rejects.toThrow();
  });

  it('offers reads only, if told so', async () => {
    const client = await connected('--read-only', '--tools', 'campaigns');
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(20);
    const changing = tools.filter(({ annotations }) => !annotations?.readOnlyHint);
    expect(changing.map(({ name }) => name)).toEqual(['call_operation']);
    const created = call(client, 'createCampaign', { account_id: accountId, ...campaign('Autumn') });
    await expect(created).rejects.toThrow('There is no tool createCampaign');
  });

  it('serves Streamable HTTP to clients of this machine', async () => {
    const argv = ['mcp', '--credentials', credentials, '--http', '0'];
    const { child, ended } = place.run(argv, { open: true });
    const [said] = (await once(child.stderr!, 'data')) as [Buffer];
    const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(String(said))![0];
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect(await dataOf(client, 'listAccounts', {})).toHaveLength(1);
    await client.close();
    const headers = { 'content-type': 'application/json', origin: 'https://attacker.example' };
    const foreign = await fetch(url, { method: 'POST', headers, body: '{}' });
    expect(foreign.status).toBe(403);
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(0);
  });

  describe('the service itself, at /mcp', () => {
    const basic = ({ key, secret }: KeyAndSecret) => Buffer.from(`${key}:${secret}`).toString('base64');
    const bare = (headers: Record<string, string>, method = 'POST') =>
      fetch(`${world().url}/mcp`, {
        method,
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
        ...(method === 'POST' && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }),
      });

    async function connectedTo(authorization: string, query = ''): Promise<Client> {
      const client = new Client({ name: 'test', version: '1' });
      const requestInit = { headers: { authorization } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${world().url}/mcp${query}`), { requestInit }));
      clients.push(client);
      return client;
    }

    it('carries tools out with the rights of the token, and records their requests', async () => {
      for (const scheme of ['Basic', 'Bearer']) {
        const client = await connectedTo(`${scheme} ${basic(token)}`);
        const name = `By ${scheme}`;
        const created = await dataOf(client, 'createCampaign', { account_id: accountId, ...campaign(name) });
        expect(created).toMatchObject({ name, entity_status: 'PAUSED' });
        const body = [{ operation_type: 'Update', params: { campaign_id: created.id, name: `${name} later` } }];
        await dataOf(client, 'batchCampaigns', { account_id: accountId, body });
        const ids = { account_id: accountId, campaign_ids: [created.id], count: 10 };
        expect(await dataOf(client, 'listCampaigns', ids)).toMatchObject([{ name: `${name} later` }]);
      }
      const client = await connectedTo(`Basic ${basic(token)}`);
      const textOf = async (uri: string) => ((await client.readResource({ uri })).contents[0] as { text: string }).text;
      const [{ id, path }] = JSON.parse(await textOf('marquee://workbench/requests')).data;
      expect(path).toBe(`/12/accounts/${accountId}/campaigns`);
      const recorded = JSON.parse(await textOf(`marquee://workbench/requests/${id}`)).data;
      expect(recorded).toMatchObject({ signature: { verdict: 'VALID' } });
      expect(JSON.stringify(recorded)).not.toContain(token.secret);
      expect(JSON.parse(await textOf('marquee://openapi.json'))).toMatchObject({ openapi: '3.1.0' });
      expect(await textOf('marquee://docs/workbench.md')).toMatch(/^# Workbench/);
      const [sandboxed] = await dataOf(client, 'createAccount', {});
      const inSandbox = await dataOf(client, 'listAccounts', { sandbox: true });
      expect(inSandbox.map((account: Json) => account.id as string)).toContain(sandboxed.id);
      const args = { account_id: accountId, funding_instrument_id: fundingId, name: '' };
      const { isError, text } = await call(client, 'createCampaign', args);
      expect([isError, text]).toEqual([true, expect.stringMatching(/^The service answered 400, x-request-id [\w-]+:/)]);
    });

    it('counts the requests of tools in the limits of the token', async () => {
      const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
      const own = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
      const api = new Api({ consumer: application.consumer, token: own });
      const remaining = async () => Number((await api.get('/12/accounts')).headers['x-rate-limit-remaining']);
      const before = await remaining();
      const client = await connectedTo(`Basic ${basic(own)}`);
      for (let i = 0; i < 3; i++) await dataOf(client, 'listAccounts', {});
      expect(before - (await remaining())).toBe(4);
    });

    it('offers reads only to read-only tokens, and on request', async () => {
      const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
      const reader = await world().get(AccessTokensService).issue(ownerId, application.id, 'read');
      for (const client of [
        await connectedTo(`Basic ${basic(reader)}`),
        await connectedTo(`Basic ${basic(token)}`, '?read_only=true&tools=workbench,campaigns'),
      ]) {
        const { tools } = await client.listTools();
        const changing = tools.filter(({ annotations }) => !annotations?.readOnlyHint);
        expect(changing.map(({ name }) => name)).toEqual(['call_operation']);
        const call = client.callTool({ name: 'call_operation', arguments: { name: 'createCampaign' } });
        await expect(call).rejects.toThrow('There is no tool createCampaign');
      }
    });

    it('ends a tool whose connection a fault breaks', async () => {
      const owner = new Api({ consumer: application.consumer, token });
      const form = { fault: 'CONNECTION_RESET_BY_PEER', operation: 'listAccounts' };
      const { body } = await owner.post('/workbench/faults', { form });
      await world().caughtUp();
      const client = await connectedTo(`Basic ${basic(token)}`);
      const { isError, text } = await call(client, 'listAccounts', {});
      expect([isError, text]).toEqual([true, expect.stringContaining('There was no response')]);
      await owner.delete(`/workbench/faults/${body.data.id}`);
    });

    it('rejects wrong credentials, foreign origins and sessions', async () => {
      const authorization = `Basic ${basic(token)}`;
      const other = (await given.application()).consumer;
      for (const wrong of [
        {},
        { authorization: `Basic ${basic({ key: token.key, secret: 'wrong' })}` },
        { authorization: `Basic ${basic({ key: 'wrong', secret: token.secret })}` },
        { authorization: `Basic ${basic(other)}` },
        { authorization: 'Basic !' },
        { authorization: `Bearer ${token.key}` },
        { authorization: `Digest ${basic(token)}` },
      ]) {
        const response = await bare(wrong as Record<string, string>);
        expect([wrong, response.status]).toEqual([wrong, 401]);
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer .*resource_metadata=/);
        expect(await response.json()).toMatchObject({ errors: [{ code: 32 }] });
      }
      expect((await bare({ authorization })).status).toBe(200);
      for (const origin of ['https://attacker.example', 'null'])
        expect((await bare({ authorization, origin })).status).toBe(403);
      expect((await bare({ authorization, origin: new URL(world().config.baseUrl).origin })).status).toBe(200);
      const mistaken = await fetch(`${world().url}/mcp?read_only=maybe`, { headers: { authorization } });
      expect([mistaken.status, await mistaken.text()]).toEqual([400, expect.stringContaining('read_only')]);
      expect((await bare({ authorization }, 'GET')).status).toBe(405);
      expect((await bare({ authorization }, 'DELETE')).status).toBe(405);
    });
  });
});

describe('the service itself, at /mcp', () => {
  describe('bounds answers', () => {
    useApp({}, 1);
    const OPENAPI = 'marquee://openapi.json';
    const read = (id: number, uri = OPENAPI) => ({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } });
    const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
    const messages = (count: number, message: (id: number) => object) =>
      Array.from({ length: count }, (_, i) => message(i + 1));
    let headers: Record<string, string>;
    let owner: Api;

    beforeEach(async () => {
      const { id, consumer } = await given.application();
      const { ownerId } = (await world().get(ApplicationQueries).findById(id))!;
      const token = await world().get(AccessTokensService).issue(ownerId, id, 'write');
      owner = new Api({ consumer, token });
      const { key, secret } = token;
      headers = {
        authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      };
    });

    const all = `/mcp?tools=${TOOL_SETS.join(',')}`;
    const post = (body: object) =>
      fetch(`${world().url}${all}`, { method: 'POST', headers, body: JSON.stringify(body) });
    /** The messages of an answer, and its bytes. */
    async function answered(body: object): Promise<{ bytes: number; results: Json[] }> {
      const response = await post(body);
      expect(response.status).toBe(200);
      const text = await response.text();
      const events = text.split('\n').filter((line) => line.startsWith('data: '));
      return { bytes: Buffer.byteLength(text), results: events.map((line) => JSON.parse(line.slice(6))) };
    }

    it('with documents and tools that are written once, in both forms of answers', async () => {
      const openapi = await (await fetch(`${world().url}/docs/openapi.json`)).json();
      const { results } = await answered([read(1), list(2), read(3, 'marquee://docs/clients.md')]);
      const byId = new Map(results.map(({ id, result }) => [id, result]));
      expect(JSON.parse(byId.get(1).contents[0].text)).toEqual(openapi);
      const names = byId.get(2).tools.map(({ name }: Json) => name);
      expect(names).toContain('createCampaign');
      expect(byId.get(3).contents[0]).toMatchObject({ mimeType: 'text/markdown', text: expect.stringMatching(/^# /) });

      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      headers['mcp-protocol-version'] = '2026-07-28';
      headers['mcp-method'] = 'tools/list';
      const response = await post({ ...list(1), params: { _meta: meta } });
      const { result } = (await response.json()) as Json;
      expect(result.tools.map(({ name }: Json) => name)).toEqual(names);
    });

    it.each([
      ['documents', (id: number) => read(id)],
      ['lists of tools', list],
      ['a mixture', (id: number) => (id % 2 ? read(id) : list(id))],
    ])('to 4 MB, also if a batch wants 20 %s', async (_, message) => {
      const { bytes, results } = await answered(messages(20, message));
      expect(bytes).toBeLessThan(4_100_000);
      expect(results.map(({ id }) => id as number).sort((a, b) => a - b)).toEqual(
        messages(20, (id) => ({ id })).map((each) => (each as Json).id),
      );
      const [whole, refused] = [results.filter(({ result }) => result), results.filter(({ error }) => error)];
      expect(whole.length).toBeGreaterThan(1);
      expect(refused.length).toBeGreaterThan(1);
      for (const { error } of refused)
        expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('4000000 bytes') });
    });

    it('to 8 MB for a user: others get 429 until they are sent', async () => {
      const form = { operation: 'listAccounts', latency_ms: '59000' };
      expect((await owner.post('/workbench/faults', { form })).status).toBe(201);
      await world().caughtUp();
      const slow = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'listAccounts', arguments: {} } };
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      // the documents are there at once, and the answers end with the tool
      const underWay = [await post([...messages(3, read), slow]), await post([...messages(3, read), slow])];
      let refused = await post(ping);
      for (; refused.status !== 429; refused = await post(ping)) await refused.text();
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(await refused.json()).toMatchObject({ errors: [{ code: 88 }] });
      for (const answer of underWay) await answer.body!.cancel();
      for (let answer = refused; answer.status !== 200; answer = await post(ping)) await pause(20);
    });
  });

  const attempt = () => fetch(`${world().url}/mcp`, { method: 'POST', headers: { authorization: 'Basic YTpi' } });

  describe('with a low limit of failures', () => {
    useApp({ RATE_LIMIT_OAUTH: '3/900' }, 1);
    it('answers 429 to an address that guesses', async () => {
      for (let i = 0; i < 3; i++) expect((await attempt()).status).toBe(401);
      expect((await attempt()).status).toBe(429);
    });
  });

  describe('without the workbench', () => {
    useApp({ WORKBENCH: 'false' }, 1);
    it('has all other tools, and no journal', async () => {
      expect((await attempt()).status).toBe(401);
      const app = await given.application();
      const { ownerId } = (await world().get(ApplicationQueries).findById(app.id))!;
      const pair = await world().get(AccessTokensService).issue(ownerId, app.id, 'write');
      const headers = { authorization: `Basic ${btoa(`${pair.key}:${pair.secret}`)}` };
      const client = new Client({ name: 'test', version: '1' });
      const url = new URL(`${world().url}/mcp?tools=campaigns,workbench`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain('createCampaign');
      expect(names.filter((name) => /Fault|Namespace|Snapshot|listRequests/.test(name))).toEqual([]);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).not.toContain('marquee://workbench/requests');
      expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
      await expect(client.readResource({ uri: 'marquee://workbench/requests' })).rejects.toThrow();
      await client.close();
    });
  });
});
