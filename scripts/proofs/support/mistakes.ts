import { createHmac, randomBytes } from 'node:crypto';
import { percentEncode } from '../../../src/auth/headers/percent.js';

interface KeyAndSecret {
  key: string;
  secret: string;
}

interface Credentials {
  consumer: KeyAndSecret;
  token: KeyAndSecret;
}

/** An answer as far as mistakes are looked at. */
export interface Told {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Where and as whom mistakes are made. */
export interface Place {
  send(method: string, target: string, headers: Record<string, string>, body?: string): Promise<Told>;
  /** The URL that requests are signed for, and those that hints name. */
  signedFor: string;
  urls: Record<'BASE' | 'ADS' | 'SANDBOX', string>;
  now(): number;
  credentials: Credentials;
  /** Another application. */
  stranger: KeyAndSecret;
  bearer: string;
  accountId: string;
  /** An account of the same user in the sandbox. */
  sandboxAccountId: string;
  fundingId: string;
}

/** A request as a newcomer gets it wrong. */
export interface Mistake {
  name: string;
  status: number;
  /** What its hint has to contain; `ADS`, `SANDBOX` and `BASE` stand for the public URLs. */
  says: (string | RegExp)[];
  make: (at: Place) => Promise<Told>;
  /** Nothing is refused: the hint stands in a header. */
  inHeader?: boolean;
}

/** The hints of an answer. */
export function hintsIn({ headers, text }: Told, { inHeader = false }: Pick<Mistake, 'inHeader'> = {}): string[] {
  if (inHeader) return [headers['x-marquee-hint'] ?? []].flat();
  const { errors = [] } = JSON.parse(text) as { errors?: { hint?: string }[] };
  return errors.flatMap(({ hint }) => hint ?? []);
}

/** Of what a hint has to say, that which it does not. */
export function unsaid(hint: string, { says }: Mistake, { urls }: Place): string[] {
  const fill = (text: string) =>
    text.replace(/\b(SANDBOX|ADS|BASE)(?=\\?\/)/g, (name) => urls[name as keyof typeof urls]);
  return says.flatMap((each) => {
    const is = typeof each === 'string' ? hint.includes(fill(each)) : new RegExp(fill(each.source)).test(hint);
    return is ? [] : [String(each)];
  });
}

interface Changed {
  form?: Record<string, string>;
  credentials?: Partial<Credentials>;
  timestamp?: number;
  nonce?: string;
  /** Done to the parts of the base string before they are joined. */
  method?: string;
  url?: (url: string) => string;
  list?: (parameters: string[]) => string[];
  base?: (base: string) => string;
  hash?: string;
  encoding?: 'base64' | 'hex';
  unsignedQuery?: boolean;
  key?: (consumerSecret: string, tokenSecret: string) => string;
  /** Done to the header after it was made. */
  header?: (authorization: string) => string;
}

const joined = (...secrets: string[]) => secrets.map(percentEncode).join('&');

/** Signs by hand, since libraries do not make these mistakes, and sends. */
function request(at: Place, method: string, target: string, changed: Changed = {}): Promise<Told> {
  const { form = {}, header = (text) => text, url = (given) => given, list = (parameters) => parameters } = changed;
  const { consumer, token } = { ...at.credentials, ...changed.credentials };
  const own = {
    oauth_consumer_key: consumer.key,
    oauth_nonce: changed.nonce ?? randomBytes(12).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: `${changed.timestamp ?? at.now()}`,
    oauth_token: token.key,
    oauth_version: '1.0',
  };
  const [path, query = ''] = target.split('?');
  const pairs = [
    ...Object.entries(own),
    ...Object.entries(form),
    ...(changed.unsignedQuery ? [] : new URLSearchParams(query)),
  ];
  const parameters = list(pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).sort()).join(
    '&',
  );
  const { base = (text: string) => text, key = joined } = changed;
  const text = base(
    [changed.method ?? method, percentEncode(url(`${at.signedFor}${path}`)), percentEncode(parameters)].join('&'),
  );
  const signature = createHmac(changed.hash ?? 'sha1', key(consumer.secret, token.secret))
    .update(text)
    .digest(changed.encoding ?? 'base64');
  const authorization = `OAuth ${Object.entries({ ...own, oauth_signature: signature })
    .map(([name, value]) => `${name}="${percentEncode(value)}"`)
    .join(', ')}`;
  const hasForm = Object.keys(form).length > 0;
  return at.send(
    method,
    target,
    {
      authorization: header(authorization),
      ...(hasForm && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    hasForm ? new URLSearchParams(form).toString() : undefined,
  );
}

const campaigns = ({ accountId }: Place) => `/12/accounts/${accountId}/campaigns`;

const create = (at: Place, changed: Record<string, string>) =>
  request(at, 'POST', campaigns(at), {
    form: {
      funding_instrument_id: at.fundingId,
      name: 'Autumn',
      daily_budget_amount_local_micro: '5500000',
      ...changed,
    },
  });

const get =
  (target: string, method = 'GET') =>
  (at: Place) =>
    request(at, method, target);

const wrong = { key: 'k', secret: 's' };

/** A mistake in signing that is found out by trying it. */
const signing = (name: string, says: string, changed: Changed, target = '/12/accounts'): Mistake => ({
  name: `signing: ${name}`,
  status: 401,
  says: ['The signature does not match', says],
  make: (at) => request(at, 'GET', target, changed),
});

const SIGNING = [
  signing('no token secret', 'the token secret was left empty', { key: (consumer) => `${consumer}&` }),
  signing('no consumer secret', 'the consumer secret was left empty', { key: (_, token) => `&${token}` }),
  signing('secrets exchanged', 'were swapped', { key: (consumer, token) => `${token}&${consumer}` }),
  signing('another method', 'the method POST was signed', { method: 'POST' }),
  signing('https', /* of a request that came over http */ 'signed with http', {
    url: (url) => (url.startsWith('https') ? url.replace('https', 'http') : url.replace('http', 'https')),
  }),
  signing('a slash at the end', 'a slash at the end of the path was signed', { url: (url) => `${url}/` }),
  signing(
    'the query left out',
    'the query parameters were not signed',
    { unsignedQuery: true },
    '/12/accounts?count=10',
  ),
  signing('parameters not sorted', 'the parameters were not sorted', { list: moved }, '/12/accounts?count=10'),
  signing('escapes in lower case', 'in lower case', {
    base: (text) => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  }),
  signing('hexadecimal', 'in hexadecimal', { encoding: 'hex' }),
  signing('for a host of X', 'for https://ads-api.x.com, but the request came here', {
    url: (url) => url.replace(/^\w+:\/\/[^/]+/, 'https://ads-api.x.com'),
  }),
  signing('SHA-256', 'HMAC-SHA256', { hash: 'sha256' }),
];

/** Keys and secrets that are set wrongly. */
const keys = (name: string, says: string[], changed: (right: Credentials) => Partial<Credentials>): Mistake => ({
  name: `keys: ${name}`,
  status: 401,
  says,
  make: (at) => request(at, 'GET', '/12/accounts', { credentials: changed(at.credentials) }),
});

const exchanged = ({ key, secret }: KeyAndSecret): KeyAndSecret => ({ key: secret, secret: key });

const KEYS = [
  keys(
    'a line break after each secret',
    ['the consumer secret has whitespace at its end; the token secret has whitespace at its end'],
    ({ consumer, token }) => ({
      consumer: { ...consumer, secret: `${consumer.secret}\n` },
      token: { ...token, secret: `${token.secret}\n` },
    }),
  ),
  keys('a space before a secret', ['the token secret has whitespace at its beginning'], ({ token }) => ({
    token: { ...token, secret: ` ${token.secret}` },
  })),
  keys('quotes around a secret', ['the consumer secret has quotes around it'], ({ consumer }) => ({
    consumer: { ...consumer, secret: `"${consumer.secret}"` },
  })),
  keys('None as a secret', ['the word None was used as the token secret'], ({ token }) => ({
    token: { ...token, secret: 'None' },
  })),
  keys('undefined as a secret', ['the word undefined was used as the consumer secret'], ({ consumer }) => ({
    consumer: { ...consumer, secret: 'undefined' },
  })),
  keys('a key as its own secret', ['the consumer key was used as the consumer secret'], ({ consumer }) => ({
    consumer: { ...consumer, secret: consumer.key },
  })),
  keys(
    'key and token exchanged',
    ['oauth_consumer_key has the access token, and oauth_token has the consumer key.', 'The secrets are right'],
    ({ consumer, token }) => ({
      consumer: { key: token.key, secret: consumer.secret },
      token: { key: consumer.key, secret: token.secret },
    }),
  ),
  keys(
    'both pairs exchanged',
    ['oauth_consumer_key has the access token, and oauth_token has the consumer key.', 'were swapped'],
    ({ consumer, token }) => ({ consumer: token, token: consumer }),
  ),
  keys(
    'token and secret exchanged',
    ['oauth_token has the token secret.', 'the access token was used as the token secret'],
    ({ token }) => ({ token: exchanged(token) }),
  ),
  keys(
    'consumer key and secret exchanged',
    ['oauth_consumer_key has the consumer secret.', 'the consumer key was used as the consumer secret'],
    ({ consumer }) => ({ consumer: exchanged(consumer) }),
  ),
  keys(
    'quotes around the consumer key',
    ['oauth_consumer_key has quotes around it. Send', 'The secrets are right'],
    ({ consumer }) => ({ consumer: { ...consumer, key: `'${consumer.key}'` } }),
  ),
  keys(
    'a comma after the token, and a wrong secret',
    ['oauth_token has commas or semicolons around it', 'does not match their secrets either'],
    ({ token }) => ({ token: { key: `${token.key},`, secret: 'wrong' } }),
  ),
  keys('whitespace around the token', ['oauth_token has whitespace around it'], ({ token }) => ({
    token: { ...token, key: ` ${token.key}\n` },
  })),
  keys('None as the token', ['oauth_token is None', 'no value for the access token'], () => ({
    token: { key: 'None', secret: 'None' },
  })),
  keys('undefined as the consumer key', ['oauth_consumer_key is undefined', 'no value for the consumer key'], () => ({
    consumer: { key: 'undefined', secret: 'undefined' },
  })),
];

/** The parameters of the query after those of the header, as some clients append them. */
function moved(parameters: string[]): string[] {
  return parameters.toSorted((one, other) => Number(!one.startsWith('oauth')) - Number(!other.startsWith('oauth')));
}

/** Every mistake that there is a hint for. */
export const MISTAKES: Mistake[] = [
  { name: 'an old version', status: 404, says: ['GET ADS/12/accounts?', '12, not 10'], make: get('/10/accounts') },
  { name: 'a version to come', status: 404, says: ['GET ADS/12/accounts?', '12, not 13'], make: get('/13/accounts') },
  { name: 'no version', status: 404, says: ['GET ADS/12/accounts?', 'the version, 12'], make: get('/accounts') },
  {
    name: 'two slashes at the end',
    status: 404,
    says: ['GET ADS/12/accounts?', 'does not end with a slash'],
    make: get('/12/accounts//'),
  },
  { name: 'capitals', status: 404, says: ['GET ADS/12/accounts?', 'not Accounts'], make: get('/12/Accounts') },
  {
    name: 'a singular',
    status: 404,
    says: ['GET ADS/12/accounts/abc/campaigns?', 'campaigns, not campaign'],
    make: get('/12/accounts/abc/campaign'),
  },
  {
    name: 'an endpoint of the sandbox outside of it',
    status: 404,
    says: ['in the sandbox only', 'POST SANDBOX/12/accounts'],
    make: get('/12/accounts', 'POST'),
  },
  {
    name: 'an endpoint below the sandbox that is not there',
    status: 404,
    says: ['POST BASE/oauth/request_token?', 'no sandbox URL'],
    make: get('/sandbox/oauth/request_token', 'POST'),
  },
  {
    name: 'an unknown consumer key',
    status: 401,
    says: ['consumer key "k" is unknown', 'demo-credentials.json', 'npx marquee app create'],
    make: (at) => request(at, 'GET', '/12/accounts', { credentials: { consumer: wrong } }),
  },
  {
    name: 'an unknown token',
    status: 401,
    says: ['The consumer key is valid', 'oauth_token', 'npx marquee token issue'],
    make: (at) => request(at, 'GET', '/12/accounts', { credentials: { token: wrong } }),
  },
  {
    name: 'the token of another application',
    status: 401,
    says: ['belongs to another application'],
    make: (at) => request(at, 'GET', '/12/accounts', { credentials: { consumer: at.stranger } }),
  },
  {
    name: 'a bearer where a signed request is wanted',
    status: 403,
    says: ['signed with OAuth 1.0a', 'a bearer token', 'a user'],
    make: (at) => request(at, 'GET', '/12/accounts', { header: () => `Bearer ${at.bearer}` }),
  },
  {
    name: 'a signed request where a key and secret are wanted',
    status: 403,
    says: ['Authorization: Basic', 'signed with OAuth 1.0a'],
    make: get('/oauth2/token', 'POST'),
  },
  {
    name: 'nothing where a signed request is wanted',
    status: 401,
    says: ['signed with OAuth 1.0a', 'no Authorization header'],
    make: (at) => request(at, 'GET', '/12/accounts', { header: () => '' }),
  },
  {
    name: 'a wrong secret',
    status: 401,
    says: ['no common mistake explains it', 'signature_help.base_string', 'npx marquee sign'],
    make: (at) =>
      request(at, 'GET', '/12/accounts', {
        credentials: { consumer: { ...at.credentials.consumer, secret: 'wrong' } },
      }),
  },
  ...SIGNING,
  ...KEYS,
  {
    name: 'a timestamp in milliseconds',
    status: 401,
    says: ['13 digits', /seconds: \d{10}\./],
    make: (at) => request(at, 'GET', '/12/accounts', { timestamp: at.now() * 1_000 }),
  },
  {
    name: 'a clock that is behind',
    status: 401,
    says: [/40\d seconds behind/, '300'],
    make: (at) => request(at, 'GET', '/12/accounts', { timestamp: at.now() - 400 }),
  },
  {
    name: 'a clock that is ahead',
    status: 401,
    says: [/(400|399) seconds ahead/, '300'],
    make: (at) => request(at, 'GET', '/12/accounts', { timestamp: at.now() + 400 }),
  },
  {
    name: 'an empty nonce',
    status: 401,
    says: ['oauth_nonce is empty', 'new random text'],
    make: (at) =>
      request(at, 'GET', '/12/accounts', { header: (text) => text.replace(/oauth_nonce="[^"]*"/, 'oauth_nonce=""') }),
  },
  {
    name: 'a nonce that was used',
    status: 401,
    says: ['used before', 'including a retry'],
    make: async (at) => {
      const same = { nonce: randomBytes(8).toString('hex'), timestamp: at.now() };
      await request(at, 'GET', '/12/accounts', same);
      return request(at, 'GET', '/12/accounts', same);
    },
  },
  {
    name: 'an account of the sandbox outside of it',
    status: 404,
    says: ['in the sandbox only', /SANDBOX\/12\/accounts\/[a-z0-9]+$/],
    make: (at) => request(at, 'GET', `/12/accounts/${at.sandboxAccountId}`),
  },
  {
    name: 'an account of production in the sandbox',
    status: 404,
    says: ['outside the sandbox only', /ADS\/12\/accounts\/[a-z0-9]+$/],
    make: (at) => request(at, 'GET', `/sandbox/12/accounts/${at.accountId}`),
  },
  ...['5.50', '5,50', '$5.50', '5.50 USD'].map((amount) => ({
    name: `an amount of ${amount}`,
    status: 400,
    says: ['micro-units', '5500000'],
    make: (at: Place) => create(at, { daily_budget_amount_local_micro: amount }),
  })),
  {
    name: 'an amount in whole units',
    status: 400,
    says: ['micro-units', '5 USD are 5000000'],
    make: (at) => create(at, { daily_budget_amount_local_micro: '5' }),
  },
  {
    name: 'a parameter under nearly its name',
    status: 400,
    says: ['funding_instrument is not a parameter of this endpoint', 'Did you mean funding_instrument_id?'],
    make: (at) => request(at, 'POST', campaigns(at), { form: { funding_instrument: at.fundingId, name: 'Autumn' } }),
  },
  {
    name: 'a date in the time zone of the account',
    status: 200,
    inHeader: true,
    says: ['midnight in UTC: start_time and end_time'],
    make: (at) =>
      request(
        at,
        'GET',
        `/12/stats/accounts/${at.accountId}/active_entities?entity=LINE_ITEM&start_time=2026-10-01&end_time=2026-10-02`,
      ),
  },
  {
    name: 'a filter under nearly its name',
    status: 200,
    inHeader: true,
    says: ['campaign_id is not a parameter of this endpoint', 'Did you mean campaign_ids?'],
    make: (at) => request(at, 'GET', `${campaigns(at)}?campaign_id=abc`),
  },
  {
    name: 'a word in small letters',
    status: 400,
    says: ['Did you mean ACTIVE?'],
    make: (at) => create(at, { entity_status: 'active' }),
  },
  {
    name: 'a misspelt order',
    status: 400,
    says: ['Did you mean created_at-desc?'],
    make: (at) => request(at, 'GET', `${campaigns(at)}?sort_by=created_at:desc`),
  },
];
