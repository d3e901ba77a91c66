import { parseAuthorization, ProtocolViolation } from '../../../src/auth/headers/authorization-header.js';
import { baseString, baseStringUri, signatureOf, type Pair } from '../../../src/auth/signature/signature.js';
import { pairsOf } from '../../../src/common/http/bodies/form-encoding.js';
import { draft, headerOf, pairOf, signed, type RequestSpec, wireText } from '../../../src/cli/request/draft.js';

const BASES = {
  auth: () => 'https://api.example',
  ads: () => 'https://ads.example/',
  sandbox: () => 'https://ads.example/sandbox',
};
const CREDENTIALS = {
  account_id: 'acc1',
  sandbox_account_id: 'sand1',
  funding_instrument_id: 'fund1',
  consumer_secret: 'hush',
  password: 'hush',
};
const wish = (path: string, more: Partial<RequestSpec> = {}): RequestSpec => ({
  method: 'GET',
  path,
  params: [],
  headers: [],
  sandbox: false,
  ...more,
});
const urlOf = (path: string, more?: Partial<RequestSpec>) => draft(wish(path, more), CREDENTIALS, BASES).url;

it('refuses a value that is a placeholder without a value', () => {
  for (const name of ['nope', 'consumer_secret'])
    expect(() => urlOf('/12/accounts', { params: [['id', `{${name}}`]] })).toThrow(
      `the credentials have no ${name} to fill in; --literal sends {${name}} as it is`,
    );
});

it('fills in nothing where everything is literal', () => {
  const params: RequestSpec['params'] = [['id', '{account_id}']];
  expect(urlOf('http://ads.example/12/accounts/:account_id', { params, literal: true })).toBe(
    'http://ads.example/12/accounts/:account_id?id=%7Baccount_id%7D',
  );
});

describe('a URL without its scheme', () => {
  const bases = {
    auth: () => 'https://api.example',
    ads: () => 'http://ads.example:8080',
    sandbox: () => 'http://ads.example:8080/sandbox',
  };
  const urlOf = (path: string) =>
    draft({ method: 'GET', path, params: [], headers: [], sandbox: false }, { account_id: 'a1' }, bases).url;

  it.each([
    ['localhost:3000/12/accounts', 'http://localhost:3000/12/accounts'],
    ['127.0.0.1/12/accounts', 'http://127.0.0.1/12/accounts'],
    ['[::1]:3000/12', 'http://[::1]:3000/12'],
    ['ads.example:8080/12/accounts?q=x', 'http://ads.example:8080/12/accounts?q=x'],
    ['api.example/oauth/request_token', 'https://api.example/oauth/request_token'],
    ['other.example/12/accounts/:account_id', 'https://other.example/12/accounts/a1'],
    ['marquee:3000', 'https://marquee:3000/'],
  ])('%s is %s', (given, url) => expect(urlOf(given)).toBe(url));

  it.each([
    '12/accounts',
    '1.1/oauth/invalidate_token',
    'openapi.json',
    '12/accounts/:account_id',
    'oauth2/token?x=a:80',
  ])('%s is a path', (path) => expect(urlOf(path)).toMatch(/^(https:\/\/api\.example|http:\/\/ads\.example:8080)\//));
});

describe('where a request goes', () => {
  it.each([
    ['/12/accounts', 'https://ads.example/12/accounts'],
    ['12/accounts', 'https://ads.example/12/accounts'],
    ['/5/accounts/x/tailored_audiences', 'https://ads.example/5/accounts/x/tailored_audiences'],
    ['/oauth/request_token', 'https://api.example/oauth/request_token'],
    ['/2/webhooks', 'https://api.example/2/webhooks'],
    ['/health/live', 'https://api.example/health/live'],
    ['/sandbox/12/accounts', 'https://ads.example/sandbox/12/accounts'],
    ['http://localhost:3000/12/accounts?a=b', 'http://localhost:3000/12/accounts?a=b'],
  ])('%s', (path, url) => expect(urlOf(path)).toBe(url));

  it('is the sandbox when asked', () => {
    expect(urlOf('/12/accounts', { sandbox: true })).toBe('https://ads.example/sandbox/12/accounts');
  });

  it.each([
    ['/12/accounts/:account_id/campaigns', 'https://ads.example/12/accounts/acc1/campaigns'],
    ['/12/accounts/{account_id}?x={funding_instrument_id}', 'https://ads.example/12/accounts/acc1?x=fund1'],
    ['/sandbox/12/accounts/:account_id', 'https://ads.example/sandbox/12/accounts/sand1'],
    ['https://ads.example/sandbox/12/accounts/:account_id', 'https://ads.example/sandbox/12/accounts/sand1'],
    ['http://localhost:3000/12/accounts/:account_id', 'http://localhost:3000/12/accounts/acc1'],
    ['/sandbox/12/accounts/a/x/:funding_instrument_id', 'https://ads.example/sandbox/12/accounts/a/x/fund1'],
  ])('fills %s', (path, url) => expect(urlOf(path)).toBe(url));

  it.each([':nothing', '{nothing}', ':consumer_secret', '{password}'])('does not fill %s', (name) => {
    expect(() => urlOf(`/12/accounts/${name}`)).toThrow('the credentials have no');
  });
});

describe('where parameters travel', () => {
  const params: Pair[] = [
    ['q', "Tom & Jerry's"],
    ['ids', 'a,b'],
    ['ids', 'c'],
  ];

  it.each(['GET', 'DELETE', 'HEAD'] as const)('with %s in the query', (method) => {
    const { url, body } = draft(wish('/12/accounts?a=1', { method, params }), CREDENTIALS, BASES);
    expect(url).toBe('https://ads.example/12/accounts?a=1&q=Tom%20%26%20Jerry%27s&ids=a%2Cb&ids=c');
    expect(body).toBeUndefined();
  });

  it.each(['POST', 'PUT'] as const)('with %s in a form body', (method) => {
    const request = draft(wish('/12/accounts', { method, params }), CREDENTIALS, BASES);
    expect(request).toMatchObject({
      url: 'https://ads.example/12/accounts',
      body: 'q=Tom%20%26%20Jerry%27s&ids=a%2Cb&ids=c',
      headers: [['content-type', 'application/x-www-form-urlencoded']],
    });
  });

  it.each(['POST', 'DELETE'] as const)('beside a JSON body of %s in the query', (method) => {
    const request = draft(wish('/12/x', { method, params: [['a', 'b']], json: '[]' }), CREDENTIALS, BASES);
    expect(request).toMatchObject({ url: 'https://ads.example/12/x?a=b', body: '[]', form: [] });
    expect(request.headers).toEqual([['content-type', 'application/json']]);
  });

  it('refuses a JSON body where there is none', () => {
    expect(() => draft(wish('/12/x', { json: '[]' }), CREDENTIALS, BASES)).toThrow('--json');
  });

  it('fills a value that is a placeholder, and leaves every other', () => {
    const values: Pair[] = [
      ['a', '{funding_instrument_id}'],
      ['c', 'x {account_id}'],
    ];
    const { form } = draft(wish('/12/x', { method: 'POST', params: values }), CREDENTIALS, BASES);
    expect(form.map(([, value]) => value)).toEqual(['fund1', 'x {account_id}']);
  });
});

describe('the signature', () => {
  const signer = {
    consumer: { key: 'ck', secret: 'consumer-hush' },
    token: { key: 'tk', secret: 'token-hush' },
    timestamp: 1_795_000_000,
    nonce: 'n0nce',
  };

  it('covers what is sent', () => {
    const params: Pair[] = [['name', "Ab c'd"]];
    const request = signed(draft(wish('/12/a b?x=%C3%A4', { method: 'POST', params }), {}, BASES), signer);
    const header = parseAuthorization(request.headers[0][1]);
    if (header instanceof ProtocolViolation) throw new Error(header.message);
    const given = header.pairs.find(([name]) => name === 'oauth_signature')![1];
    const { host, search } = new URL(request.url);
    const pairs = [
      ...header.pairs.filter(([name]) => name !== 'oauth_signature'),
      ...pairsOf(search.slice(1)),
      ...pairsOf(request.body!),
    ];
    const base = baseString('POST', baseStringUri('https', host, request.url), pairs);
    expect(given).toBe(signatureOf(base, 'consumer-hush', 'token-hush'));
  });

  it('is shown without secrets', () => {
    const shown = wireText(signed(draft(wish('/12/accounts', { params: [['a', 'b']] }), {}, BASES), signer));
    expect(shown).toMatch(
      /^GET \/12\/accounts\?a=b HTTP\/1\.1\nhost: ads\.example\nauthorization: OAuth oauth_consumer_key="ck"/,
    );
    expect(shown).not.toContain('hush');
  });

  it('of others is hidden', () => {
    const headers: Pair[] = [['authorization', 'Bearer hush']];
    expect(wireText(draft(wish('/2/webhooks', { headers }), {}, BASES))).toContain('authorization: Bearer ***');
  });
});

describe('arguments', () => {
  it('splits parameters at the first equals sign', () => {
    expect([pairOf('a=b=c'), pairOf('a=')]).toEqual([
      ['a', 'b=c'],
      ['a', ''],
    ]);
    expect(() => pairOf('a')).toThrow('name=value');
    expect(() => pairOf('=a')).toThrow('name=value');
  });

  it('splits headers', () => {
    expect(headerOf('X-Request-Id:  abc ')).toEqual(['x-request-id', 'abc']);
    expect(() => headerOf('nothing')).toThrow('Name: value');
  });
});
