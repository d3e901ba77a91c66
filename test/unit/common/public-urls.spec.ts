import type { IncomingMessage } from 'node:http';
import { originOf, networkMatcher, familyOf, PublicUrls } from '../../../src/common/http/urls/public-urls.js';
import { readConfig } from '../../../src/config/config.js';

const KEY = Buffer.alloc(32, 'public urls').toString('base64');

/** As much of a request as placing it looks at. */
const request = (url: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  ({ url, headers, socket: { remoteAddress } }) as unknown as IncomingMessage;

function locate(env: Record<string, string>, raw: IncomingMessage) {
  const path = new PublicUrls(readConfig(env)).locate(raw);
  return { path, ...originOf(raw) };
}

describe('one host, told apart by prefix', () => {
  it.each([
    ['/12/accounts?count=1', 'production', '/12/accounts?count=1'],
    ['/sandbox/12/accounts?count=1', 'sandbox', '/12/accounts?count=1'],
    ['/sandboxes/12/accounts', 'production', '/sandboxes/12/accounts'],
    ['/sandbox', 'sandbox', '/'],
  ])('%s is %s', (target, environment, path) => {
    expect(locate({}, request(target, { host: 'localhost:3000' }))).toMatchObject({
      environment,
      path,
      target,
      misdirected: false,
    });
  });

  it('has no authentication in the sandbox', () => {
    expect(locate({}, request('/sandbox/oauth/request_token', { host: 'localhost:3000' }))).toMatchObject({
      misdirected: true,
    });
  });

  it('checks signatures against the public URL, and outside production against the host that was asked', () => {
    expect(locate({}, request('/12/accounts', { host: '127.0.0.1:3000' })).origins).toEqual(['http://127.0.0.1:3000']);
    expect(locate({}, request('/12/accounts', { host: 'LOCALHOST:3000' })).origins).toEqual(['http://localhost:3000']);
    expect(locate({ BASE_URL: 'http://localhost' }, request('/12/accounts', { host: 'localhost:80' })).origins).toEqual(
      ['http://localhost'],
    );
  });

  it('routes the path of an absolute target', () => {
    expect(locate({}, request('http://localhost:3000/12/accounts', { host: 'localhost:3000' }))).toMatchObject({
      path: '/12/accounts',
      target: '/12/accounts',
    });
  });
});

describe('the URL that leads here', () => {
  const here = (called: string, env = {}) => new PublicUrls(readConfig(env)).leadingHere(called);

  it.each([
    ['http://localhost:3000/12/accounts', 'http://localhost:3000/12/accounts'],
    ['http://127.0.0.1:8080/sandbox/12/accounts', 'http://127.0.0.1:8080/sandbox/12/accounts'],
    ['http://evil.example/12/accounts', 'http://localhost:3000/12/accounts'],
    ['http://evil.example/sandbox/12/accounts', 'http://localhost:3000/sandbox/12/accounts'],
    ['http://localhost:3000@evil.example/12/accounts', 'http://localhost:3000/12/accounts'],
    ['http://localhost\\@evil.example/12/accounts', 'http://localhost:3000/12/accounts'],
    ['http://localhost.evil.example/12/accounts', 'http://localhost:3000/12/accounts'],
    ['http://evil example/12/accounts', 'http://localhost:3000/12/accounts'],
    ['/12/accounts', 'http://localhost:3000/12/accounts'],
  ])('of %s is %s', (called, url) => expect(here(called)).toBe(url));

  it('is that of the endpoint where there are several', () => {
    const env = {
      BASE_URL: 'http://api.example.com/x',
      ADS_BASE_URL: 'http://ads.example.com',
      ADS_SANDBOX_BASE_URL: 'http://box.example.com',
    };
    expect(here('http://box.example.com/12/accounts', env)).toBe('http://box.example.com/12/accounts');
    expect(here('http://evil.example/sandbox/12/accounts', env)).toBe('http://box.example.com/12/accounts');
    expect(here('http://evil.example/12/accounts', env)).toBe('http://ads.example.com/12/accounts');
    expect(here('http://evil.example/x/2/webhooks', env)).toBe('http://api.example.com/x/2/webhooks');
    const production = { ...env, NODE_ENV: 'production', EMBEDDED_STORE: 'allow', MASTER_KEY: KEY };
    for (const name of ['BASE_URL', 'ADS_BASE_URL', 'ADS_SANDBOX_BASE_URL'] as const)
      production[name] = production[name].replace('http:', 'https:');
    expect(here('http://localhost:3000/12/accounts', production)).toBe('https://ads.example.com/12/accounts');
  });
});

describe('three hosts', () => {
  const env = {
    NODE_ENV: 'production',
    EMBEDDED_STORE: 'allow',
    MASTER_KEY: KEY,
    BASE_URL: 'https://api.example.com',
    ADS_BASE_URL: 'https://ads.example.com',
    ADS_SANDBOX_BASE_URL: 'https://ads-sandbox.example.com',
    TRUST_PROXY: '10.0.0.0/8',
  };
  const proxied = (url: string, host: string, proto = 'https', peer = '10.1.2.3') =>
    request(url, { host, 'x-forwarded-proto': proto }, peer);

  it.each([
    ['ads.example.com', '/12/accounts', 'production', false],
    ['ads-sandbox.example.com', '/12/accounts', 'sandbox', false],
    ['api.example.com', '/oauth/request_token', 'production', false],
    ['api.example.com', '/12/accounts', 'production', true],
    ['ads.example.com', '/oauth/request_token', 'production', true],
    ['elsewhere.example.com', '/12/accounts', 'production', true],
    ['elsewhere.example.com', '/health/live', 'production', false],
  ])('%s %s', (host, url, environment, misdirected) => {
    expect(locate(env, proxied(url, host))).toMatchObject({ environment, misdirected, insecure: false });
  });

  it('takes no plain HTTP, health excepted', () => {
    expect(locate(env, proxied('/12/accounts', 'ads.example.com', 'http')).insecure).toBe(true);
    expect(locate(env, proxied('/health/live', 'ads.example.com', 'http')).insecure).toBe(false);
  });

  it('believes what is forwarded only from proxies it was told to trust', () => {
    const headers = { host: 'inner', 'x-forwarded-host': 'ads.example.com', 'x-forwarded-proto': 'https' };
    expect(locate(env, request('/12/accounts', headers, '10.1.2.3'))).toMatchObject({
      misdirected: false,
      insecure: false,
    });
    expect(locate(env, request('/12/accounts', headers, '192.0.2.1'))).toMatchObject({
      misdirected: true,
      insecure: true,
    });
  });

  it('trusts requests that the process sends to itself', () => {
    const sent = request('/12/accounts', { host: 'ads.example.com', 'x-forwarded-proto': 'https' }, '192.0.2.1');
    expect(locate(env, sent).insecure).toBe(true);
    expect(locate(env, Object.assign(sent, { isLightMyRequest: true })).insecure).toBe(false);
  });

  it('says which setting does not fit the way that a plain request took', () => {
    const headers = { host: 'ads.example.com', 'x-forwarded-proto': 'https' };
    expect(locate(env, request('/12/accounts', headers, '192.0.2.1')).insecureBecause).toBe(
      'X-Forwarded-Proto is ignored, because the proxy it comes from is not in TRUST_PROXY. Host received: ads.example.com. Host expected: ads.example.com. Set TRUST_PROXY to the address of the proxy.',
    );
    expect(locate(env, request('/2/webhooks', { host: 'localhost:3000' })).insecureBecause).toBe(
      'The request came over plain http, and its host differs from the host of BASE_URL. Host received: localhost:3000. Host expected: api.example.com. Call https://api.example.com, or set BASE_URL to the URL that clients call.',
    );
    expect(locate(env, request('/12/accounts', { host: 'x' })).insecureBecause).toContain('set ADS_BASE_URL');
    // that it is plain is all that is wrong
    expect(locate(env, proxied('/12/accounts', 'ads.example.com', 'http')).insecureBecause).toBeUndefined();
  });

  it('checks signatures against the public URL alone', () => {
    expect(locate(env, proxied('/12/accounts', 'ads.example.com')).origins).toEqual(['https://ads.example.com']);
  });
});

it('tells the families of endpoints by their path', () => {
  expect(['/12/accounts', '/5/accounts', '/13/x'].map(familyOf)).toEqual(['ads', 'ads', 'ads']);
  expect(['/oauth/authorize', '/oauth2/token', '/1.1/oauth/invalidate_token', '/2/webhooks'].map(familyOf)).toEqual([
    'auth',
    'auth',
    'auth',
    'auth',
  ]);
  const unknown = [
    '/v12/accounts',
    '/12.0/x',
    '/12.0?x=1',
    '/accounts',
    '/accounts?x=1',
    '/batch/accounts/x/campaigns',
  ];
  expect(unknown.map(familyOf)).toEqual(unknown.map(() => 'ads'));
  expect(['/v2/webhooks', '/v1.1/media', '/v/12', '/accountsx'].map(familyOf)).toEqual(Array(4).fill(undefined));
  expect(['/docs', '/health/live', '/'].map(familyOf)).toEqual([undefined, undefined, undefined]);
});

it('knows addresses and networks, IPv4 inside IPv6 too', () => {
  const trusted = networkMatcher(['10.0.0.0/8', '::1', '192.0.2.7']);
  expect(['10.255.0.1', '::ffff:10.0.0.1', '::1', '192.0.2.7'].every(trusted)).toBe(true);
  expect(['11.0.0.1', '192.0.2.8', '', 'garbage', '::2'].some(trusted)).toBe(false);
  expect(networkMatcher([])('127.0.0.1')).toBe(false);
});

it('tells once of each peer that it ignores what it forwards, and not of clients without end', () => {
  const told: [string, string][] = [];
  const publicUrls = new PublicUrls(readConfig({ TRUST_PROXY: '10.0.0.0/8' }), (...ignored) => told.push(ignored));
  const from = (peer: string, headers: Record<string, string>) =>
    publicUrls.locate(request('/12/accounts', { host: 'localhost:3000', ...headers }, peer));
  from('192.0.2.1', {});
  from('10.1.2.3', { 'x-forwarded-proto': 'https' });
  expect(told).toEqual([]);
  for (let i = 0; i < 2; i++)
    from('192.0.2.1', { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'ads.example.com' });
  expect(told).toEqual([['192.0.2.1', 'x-forwarded-host']]);
  for (let i = 2; i < 50; i++) from(`192.0.2.${i}`, { 'x-forwarded-for': '203.0.113.9' });
  expect(told).toHaveLength(10);
});
