import {
  createMarqueeClient,
  type MarqueeBatchError,
  MarqueeConnectionError,
  MarqueeError,
  optionsFrom,
} from '../../../packages/client/src/index.js';
import type { Calls } from '../../../packages/client/src/calls.js';
import { upload } from '../../../packages/client/src/uploads.js';

const credentials = { consumerKey: 'key', consumerSecret: 'secret', accessToken: 'token', accessTokenSecret: 'other' };
const LIST = '/12/accounts';
const JSON_TYPE = { 'content-type': 'application/json' };
const ok = () => Response.json({ data: [], next_cursor: null, request: {} });

interface Sent {
  url: string;
  headers: Headers;
  redirect?: string;
}

/** A client of a service that gives these answers, one after the other. */
function clientOf(answers: (() => Response | Promise<Response>)[], options: object = {}) {
  const sent: Sent[] = [];
  const fetch = async (url: URL, { headers, redirect }: RequestInit & { headers: Headers }) => {
    sent.push({ url: String(url), headers, redirect });
    return answers[Math.min(sent.length, answers.length) - 1]();
  };
  const base = { baseUrl: 'http://service', ...credentials, fetch: fetch as unknown as typeof globalThis.fetch };
  return { client: createMarqueeClient({ ...base, ...options }), sent };
}

const busy = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ errors: [{ code: 'BUSY', message: 'busy' }] }, { status, headers });

it('repeats a request that the service still carries out, with the same key and another signature', async () => {
  const { client, sent } = clientOf([() => busy(409, { 'retry-after': '0' }), ok]);
  await client.DELETE('/12/accounts/{account_id}', { params: { path: { account_id: 'a/b' } } });
  const [first, second] = sent.map(({ headers }) => headers);
  expect(sent[0].url).toBe('http://service/12/accounts/a%2Fb');
  expect(first.get('idempotency-key')).toMatch(/^[\w-]{36}$/);
  expect(second.get('idempotency-key')).toBe(first.get('idempotency-key'));
  expect(second.get('authorization')).not.toBe(first.get('authorization'));
  expect(sent[0].redirect).toBe('manual');
});

it('keeps the key of the caller, and gives none to requests that may be repeated', async () => {
  const { client, sent } = clientOf([ok]);
  await client.POST('/12/accounts', { headers: { 'Idempotency-Key': 'mine' } });
  await client.GET(LIST);
  expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['mine', null]);
});

describe('a batch of several requests', () => {
  const remove = { operation_type: 'Delete' as const, params: { custom_audience_id: 'a' } };
  const keysOf = async (count: number, headers?: Record<string, string>) => {
    const { client, sent } = clientOf([ok]);
    const params = { path: { account_id: 'a' } };
    const operations = Array<typeof remove>(count).fill(remove);
    await client.batch('/12/batch/accounts/{account_id}/custom_audiences', operations, { params, headers });
    return sent.map(({ headers: each }) => each.get('idempotency-key')!);
  };

  it.each(['Idempotency-Key', 'idempotency-key'])('has the key of the caller with an index: %s', async (name) => {
    expect(await keysOf(21, { [name]: 'mine' })).toEqual(['mine-0', 'mine-1', 'mine-2']);
    expect(await keysOf(10, { [name]: 'mine' })).toEqual(['mine']);
  });

  it('has keys that the service accepts, also for a key of the longest length', async () => {
    const keysFor = (last: string) => keysOf(11, { 'Idempotency-Key': 'k'.repeat(254) + last });
    const keys = [...(await keysFor('a')), ...(await keysFor('b'))];
    expect(new Set(keys).size).toBe(4);
    expect(keys.every((key) => key.length <= 255)).toBe(true);
    expect(await keysFor('a')).toEqual(keys.slice(0, 2));
  });

  it('has random keys without that of the caller', async () => {
    for (const headers of [undefined, { 'X-Other': 'x' }]) expect(new Set(await keysOf(11, headers)).size).toBe(2);
  });
});

const broken = () => Promise.reject(new TypeError('broken'));

describe('operations of a batch whose request fails', () => {
  const BATCH = '/12/batch/accounts/{account_id}/campaigns';
  const params = { path: { account_id: 'a' } };
  const outcomesOf = async (...answers: (() => Response | Promise<Response>)[]) => {
    const { client } = clientOf(answers, { retries: 1 });
    const { outcomes, cause } = (await client
      .batch(BATCH, [{ operation_type: 'Delete', params: { campaign_id: 'c' } }], { params })
      .catch((thrown: unknown) => thrown)) as MarqueeBatchError;
    return [outcomes[0].state, (cause as MarqueeError).isUncertain];
  };

  it.each([
    ['a broken connection', broken],
    ['a 502', () => busy(502)],
    ['a 409 because their key is in use', () => busy(409, { 'retry-after': '0' })],
  ])('are UNKNOWN if %s came first', async (_name, first) => {
    for (const status of [401, 403, 404, 409, 422])
      expect(await outcomesOf(first, () => busy(status))).toEqual(['UNKNOWN', true]);
    expect(await outcomesOf(first, () => busy(429, { 'retry-after': '61' }))).toEqual(['UNKNOWN', true]);
    // nothing is stored under the key
    expect(await outcomesOf(first, () => busy(400))).toEqual(['FAILED', false]);
  });

  it('are FAILED if the service carried out no attempt', async () => {
    for (const status of [400, 401, 403, 409]) expect(await outcomesOf(() => busy(status))).toEqual(['FAILED', false]);
    expect(await outcomesOf(() => busy(429, { 'retry-after': '0' }))).toEqual(['FAILED', false]);
    expect(await outcomesOf(() => busy(500))).toEqual(['UNKNOWN', true]);
    expect(await outcomesOf(broken)).toEqual(['UNKNOWN', undefined]);
  });
});

it('repeats a POST or DELETE of the workbench only if the service did not carry it out', async () => {
  const path = { fault_id: 'f' };
  for (const lost of [broken, () => busy(502), () => busy(503), () => busy(504)]) {
    const { client, sent } = clientOf([lost, ok]);
    await expect(client.POST('/workbench/reset')).rejects.toThrow();
    expect(sent).toHaveLength(1);
    const other = clientOf([lost, ok]);
    await expect(other.client.DELETE('/workbench/faults/{fault_id}', { params: { path } })).rejects.toThrow();
    expect(other.sent).toHaveLength(1);
  }
  const { client, sent } = clientOf([() => busy(429, { 'retry-after': '0' }), broken, ok]);
  await expect(client.POST('/workbench/reset')).rejects.toBeInstanceOf(MarqueeConnectionError);
  expect(sent).toHaveLength(2);
  const reading = clientOf([broken, ok]);
  await reading.client.GET('/workbench/faults');
  expect(reading.sent).toHaveLength(2);
});

const soon = () => new Date(Date.now() + 20_000).toUTCString();

it.each([
  ['an error of the request', 400, {}],
  ['an error of the service', 500, {}],
  ['another conflict', 409, {}],
  ['a wait in seconds that is too long', 503, { 'retry-after': '11' }],
  ['a date that is too far away', 503, { 'retry-after': soon() }],
  ['a window that ends too late', 429, { 'x-rate-limit-reset': `${Math.floor(Date.now() / 1_000) + 900}` }],
])('throws at once after %s', async (_name, status, headers) => {
  const { client, sent } = clientOf([() => busy(status, headers)], { maxWaitMs: 10_000 });
  await expect(client.GET(LIST)).rejects.toMatchObject({ name: 'MarqueeError', status, code: 'BUSY', attempts: 1 });
  expect(sent).toHaveLength(1);
});

it('reads the end of a window by the clock of the service, and that of the account first', async () => {
  const headers = {
    date: 'Mon, 01 Mar 2027 09:00:00 GMT',
    'x-account-rate-limit-limit': '10',
    'x-account-rate-limit-remaining': '0',
    'x-account-rate-limit-reset': `${Date.parse('2027-03-01T09:00:00Z') / 1_000}`,
    'x-rate-limit-reset': `${Date.parse('2028-03-01T09:00:00Z') / 1_000}`,
  };
  const { client, sent } = clientOf([() => busy(429, headers), ok]);
  await client.GET(LIST);
  expect(sent).toHaveLength(2);
  const { client: impatient } = clientOf([() => busy(429, headers)], { retries: 0 });
  await expect(impatient.GET(LIST)).rejects.toMatchObject({
    rateLimit: { limit: 10, remaining: 0, reset: new Date('2027-03-01T09:00:00Z') },
  });
});

it('gives up an attempt that takes too long', async () => {
  const never = () => new Promise<Response>(() => undefined);
  const fetch = (_url: unknown, { signal }: RequestInit) =>
    Promise.race([
      never(),
      new Promise<never>((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error))),
    ]);
  const { client } = clientOf([], { fetch, timeoutMs: 20, retries: 1 });
  const failed = client.GET(LIST);
  await expect(failed).rejects.toBeInstanceOf(MarqueeConnectionError);
  await expect(failed).rejects.toMatchObject({ attempts: 2, cause: { name: 'TimeoutError' } });
});

it('ends a pause and the call when the caller aborts', async () => {
  const controller = new AbortController();
  const { client, sent } = clientOf([
    () => {
      setTimeout(() => controller.abort(new Error('enough')), 10);
      return busy(503, { 'retry-after': '50' });
    },
  ]);
  await expect(client.GET(LIST, { signal: controller.signal })).rejects.toThrow('enough');
  expect(sent).toHaveLength(1);
});

it.each([
  [
    { title: 'Bad', detail: 'too bad' },
    { code: 'Bad', message: 'too bad' },
  ],
  [
    { errors: [{ code: 214, message: 'wrong', parameters: { url: ['x'] } }] },
    { code: 214, parameter: 'url', message: 'wrong' },
  ],
  ['<html>', { code: 400, message: 'status 400' }],
])('describes an error with the body %j', async (body, expected) => {
  const response = () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status: 400, headers: JSON_TYPE });
  const error = await clientOf([response])
    .client.GET(LIST)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(MarqueeError);
  expect(error).toMatchObject({ ...expected, status: 400, body });
});

it('sends advertising endpoints to the sandbox, and everything else to the service', async () => {
  const { client, sent } = clientOf([ok], { sandbox: true });
  await client.GET(LIST);
  await client.GET('/workbench/faults');
  await client.POST('/1.1/oauth/invalidate_token');
  expect(sent.map(({ url }) => url)).toEqual([
    'http://service/sandbox/12/accounts',
    'http://service/workbench/faults',
    'http://service/1.1/oauth/invalidate_token',
  ]);
});

describe('a service with several hosts', () => {
  const file = {
    base_url: 'https://api.service',
    ads_base_url: 'https://ads.service',
    ads_sandbox_base_url: 'https://sandbox.service',
    consumer_key: 'key',
    consumer_secret: 'secret',
    access_token: 'token',
    access_token_secret: 'other',
  };

  it.each([
    ['the file', optionsFrom(file), file.ads_base_url],
    ['the sandbox of the file', optionsFrom(file, { sandbox: true }), file.ads_sandbox_base_url],
    ['the sandbox, chosen later', { ...optionsFrom(file), sandbox: true }, file.ads_sandbox_base_url],
    ['a host alone', { adsBaseUrl: file.ads_base_url }, file.ads_base_url],
    ['the sandbox of a host', { adsBaseUrl: file.ads_base_url, sandbox: true }, `${file.ads_base_url}/sandbox`],
    ['a host with a slash', { adsBaseUrl: 'http://ads/', sandbox: true }, 'http://ads/sandbox'],
    ['a service with a slash', { baseUrl: 'http://service/', sandbox: true }, 'http://service/sandbox'],
    ['another sandbox', { adsSandboxBaseUrl: 'http://other/', sandbox: true }, 'http://other'],
    ['another sandbox, not chosen', { adsSandboxBaseUrl: 'http://other' }, 'http://service'],
  ])('is called at the URL of its advertising endpoints: %s', async (_name, options, expected) => {
    const { client, sent } = clientOf([ok], options);
    await client.GET(LIST);
    expect(sent[0].url).toBe(`${expected}/12/accounts`);
  });

  it('refreshes tokens at its URL, also with a slash at its end', async () => {
    const issued = () => Response.json({ access_token: 'new', refresh_token: 'next', expires_in: 7_200 });
    const tokens = { accessToken: 'old', refreshToken: 'once', expiresAt: Date.now() };
    const { client, sent } = clientOf([issued, ok], { baseUrl: 'http://service/', clientId: 'app', tokens });
    await client.GET(LIST);
    expect(sent.map(({ url }) => url)).toEqual(['http://service/2/oauth2/token', 'http://service/12/accounts']);
  });
});

it('asks for the status of an upload until the file is processed', async () => {
  const about = { media_id: 1, media_id_string: '1' };
  const waiting = { ...about, processing_info: { state: 'in_progress', check_after_secs: 0, progress_percent: 50 } };
  const over = (state: string) => ({ ...about, processing_info: { state, progress_percent: 100, error: undefined } });
  const states = [waiting, over('succeeded')];
  const calls = (last: object) =>
    ({
      POST: async () => ({ data: last }),
      GET: async () => ({ data: states.shift() }),
    }) as unknown as Calls;
  const reported: number[] = [];
  const onProgress = ({ processedPercent }: { processedPercent: number }) => reported.push(processedPercent);
  expect(await upload(calls(waiting), Buffer.from('abc'), { onProgress })).toEqual(over('succeeded'));
  expect(reported).toEqual([0, 0, 50, 50, 100]);
  await expect(upload(calls(over('failed')), Buffer.from('abc'))).rejects.toMatchObject({ parameter: 'media' });
  await expect(upload(calls(waiting), Buffer.from('abc'), { processingTimeoutMs: -1 })).rejects.toThrow('still');
  await expect(upload(calls(waiting), '/nowhere')).rejects.toThrow('ENOENT');
});
