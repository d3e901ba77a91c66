import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { useApp, world } from '../../support/app.js';
import { type Answer, send } from '../../support/http.js';
import { anonymously, Api } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { readConfig } from '../../../src/config/config.js';
import { header, protocol, signature } from '../../support/signing.js';

describe('rate limits', () => {
  useApp({
    RATE_LIMITS: 'faithful',
    RATE_LIMIT_WRITES: '5/60',
    RATE_LIMIT_CORE_READS: '6/900',
    RATE_LIMIT_ACCOUNT_READS: '4/900',
    RATE_LIMIT_GLOBAL_READS: '3',
    RATE_LIMIT_STATISTICS: '2',
    RATE_LIMIT_TOTAL_COUNT: '2/900',
  });

  const SECOND = 1_000;

  let advertiser: Advertiser;
  beforeEach(async () => {
    // At the beginning of a second, so that the end of a window is one too.
    world().clock.set(new Date(Math.ceil(world().clock.now().getTime() / SECOND) * SECOND));
    advertiser = await given.advertiser();
  });
  const path = (below = '') => `/12/accounts/${advertiser.account.id}${below}`;
  const rename = () => advertiser.api.put(path(), { query: { name: 'x' } });
  const campaigns = (query = {}) => advertiser.api.get(path('/campaigns'), { query });

  const ofUser = ({ headers }: Answer) => windowOf(headers, 'x-rate-limit');
  const ofAccount = ({ headers }: Answer) => windowOf(headers, 'x-account-rate-limit');
  function windowOf(headers: Answer['headers'], prefix: string) {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers[`${prefix}-${name}`]);
    return limit === undefined
      ? undefined
      : { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
  }
  const inSeconds = (seconds: number) => world().clock.seconds() + seconds;

  describe('rate limits', () => {
    it('tell on every answer how the window stands, refused ones too', async () => {
      const [first, second] = [await rename(), await advertiser.api.put(path(), { query: { name: '' } })];
      expect(first.status).toBe(200);
      expect(ofUser(first)).toEqual({ limit: 5, remaining: 4, reset: inSeconds(60) });
      expect(ofAccount(first)).toBeUndefined();
      expect(second.status).toBe(400);
      expect(ofUser(second)).toEqual({ limit: 5, remaining: 3, reset: inSeconds(60) });
      expect(second.headers.ratelimit).toBe('"writes";r=3;t=60');
      expect(second.headers['ratelimit-policy']).toBe('"writes";q=5;w=60');
    });

    it('of an account are repeated in both sets', async () => {
      const answer = await campaigns();
      expect(ofAccount(answer)).toEqual({ limit: 6, remaining: 5, reset: inSeconds(900) });
      expect(ofUser(answer)).toEqual(ofAccount(answer));
    });

    it('of statistics are repeated in a set of costs', async () => {
      const read = () =>
        advertiser.api.get(`/12/stats/accounts/${advertiser.account.id}`, { query: { entity: 'ACCOUNT' } });
      for (const remaining of [1, 0, 0]) {
        const answer = await read();
        expect(windowOf(answer.headers, 'x-cost-rate-limit')).toEqual({ limit: 2, remaining, reset: inSeconds(900) });
        expect([ofUser(answer)!.remaining, answer.headers['x-request-cost']]).toEqual([remaining, '1']);
      }
      expect((await read()).status).toBe(429);
      expect((await campaigns()).headers).not.toHaveProperty('x-request-cost');
    });

    it('refuse what is beyond with 429, until the window ends', async () => {
      for (let n = 0; n < 5; n++) expect((await rename()).status).toBe(200);
      world().clock.advance(20 * SECOND);
      const refused = await rename();
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({
        errors: [{ code: 'TOO_MANY_REQUESTS', message: 'You have exceeded the number of requests allowed' }],
      });
      expect(refused.body.request).toEqual({ params: {} });
      expect(refused.headers['retry-after']).toBe('40');
      expect(ofUser(refused)).toEqual({ limit: 5, remaining: 0, reset: inSeconds(40) });
      world().clock.advance(39 * SECOND);
      expect((await rename()).headers['retry-after']).toBe('1');
      world().clock.advance(SECOND);
      const again = await rename();
      expect(again.status).toBe(200);
      expect(ofUser(again)).toEqual({ limit: 5, remaining: 4, reset: inSeconds(60) });
    });

    it('begin a window with its first request, not with a minute of the clock', async () => {
      world().clock.advance(37 * SECOND);
      expect(ofUser(await rename())!.reset).toBe(inSeconds(60));
      world().clock.advance(59 * SECOND);
      expect(ofUser(await rename())).toMatchObject({ remaining: 3, reset: inSeconds(1) });
      world().clock.advance(3 * SECOND);
      expect(ofUser(await rename())).toMatchObject({ remaining: 4, reset: inSeconds(60) });
    });

    it('count all writes of a user together, over accounts', async () => {
      const second = await given.account({ userId: advertiser.user.id });
      const calls: Promise<Answer>[] = [
        rename(),
        advertiser.api.put(`/12/accounts/${second.id}`, { query: { name: 'x' } }),
        advertiser.api.delete(path('/campaigns/0nobody')),
        advertiser.api.post(path('/campaigns')),
        advertiser.api.post(`/12/batch/accounts/${second.id}/campaigns`, { json: [] }),
      ];
      for (const { status } of await Promise.all(calls)) expect(status).not.toBe(429);
      expect((await rename()).status).toBe(429);
      const colleague = await given.member(advertiser.account, 'ACCOUNT_ADMIN');
      expect((await colleague.api.put(path(), { query: { name: 'x' } })).status).toBe(200);
      expect((await campaigns()).status).toBe(200);
    });

    it('count reads of an account together, over users', async () => {
      const colleague = await given.member(advertiser.account, 'AD_MANAGER');
      for (let n = 0; n < 3; n++) {
        expect((await campaigns()).status).toBe(200);
        expect((await colleague.api.get(path('/campaigns'))).status).toBe(200);
      }
      const refused = await campaigns();
      expect(refused.status).toBe(429);
      expect(ofAccount(refused)).toEqual({ limit: 6, remaining: 0, reset: inSeconds(900) });
      expect(ofUser(refused)).toEqual(ofAccount(refused));
      expect((await colleague.api.get(path('/campaigns'))).status).toBe(429);
      const other = await given.account({ userId: advertiser.user.id });
      expect((await advertiser.api.get(`/12/accounts/${other.id}/campaigns`)).status).toBe(200);
    });

    it('count each endpoint of core entities by itself, in each vocabulary and version', async () => {
      const id = (await given.campaign({ account: advertiser.account })).id;
      for (let n = 0; n < 6; n++) expect((await campaigns()).status).toBe(200);
      expect((await campaigns()).status).toBe(429);
      for (const below of [`/campaigns/${id}`, '/line_items', '/promoted_posts', '/funding_instruments'])
        expect(ofAccount(await advertiser.api.get(path(below)))).toMatchObject({ limit: 6, remaining: 5 });
      // another campaign is the same endpoint
      expect(ofAccount(await advertiser.api.get(path('/campaigns/0nobody')))).toMatchObject({ remaining: 4 });
      const headers = { 'x-marquee-names': 'x' };
      const atX = await advertiser.api.get(path('/promoted_tweets'), { headers });
      expect(ofAccount(atX)).toMatchObject({ limit: 6, remaining: 4 });
      const ofVersion11 = await advertiser.api.get(path('/line_items').replace('/12/', '/11/'));
      expect(ofAccount(ofVersion11)).toMatchObject({ limit: 6, remaining: 4 });
    });

    it('count each endpoint of the other reads by itself', async () => {
      for (let n = 0; n < 4; n++) expect((await advertiser.api.get(path('/features'))).status).toBe(200);
      const refused = await advertiser.api.get(path('/features'));
      expect(refused.status).toBe(429);
      expect(ofAccount(refused)).toMatchObject({ limit: 4, remaining: 0 });
      for (const below of ['', '/tax_settings', '/promotable_users', '/authenticated_user_access'])
        expect(ofAccount(await advertiser.api.get(path(below)))).toMatchObject({ limit: 4, remaining: 3 });
      expect((await campaigns()).status).toBe(200);
    });

    it('count reads without an account by user', async () => {
      for (let n = 0; n < 3; n++) {
        const answer = await advertiser.api.get('/12/accounts');
        expect(ofUser(answer)).toEqual({ limit: 3, remaining: 2 - n, reset: inSeconds(900) });
        expect(ofAccount(answer)).toBeUndefined();
      }
      expect((await advertiser.api.get('/12/accounts')).status).toBe(429);
      expect(ofUser(await advertiser.api.get('/12/iab_categories'))).toMatchObject({ limit: 3, remaining: 2 });
      const other = await given.advertiser();
      expect((await other.api.get('/12/accounts')).status).toBe(200);
    });

    it('count each endpoint of uploads of users, and of television, by itself', async () => {
      const audience = await given.customAudience({ account: advertiser.account });
      const list = (await advertiser.api.post(path('/do_not_reach_lists'), { query: { description: 'Never' } })).body
        .data;
      const uploads = [
        path(`/custom_audiences/${audience.id}/users`),
        `/12/batch/accounts/${advertiser.account.id}/do_not_reach_lists/${list.id}/users`,
      ];
      for (const below of uploads) {
        const answer = await advertiser.api.post(below, { json: [] });
        expect([below, ofUser(answer)]).toEqual([below, { limit: 1_500, remaining: 1_499, reset: inSeconds(60) }]);
        // X has windows of accounts for reads only
        expect(ofAccount(answer)).toBeUndefined();
      }
      for (const query of ['tv_markets', 'tv_shows'])
        expect(ofUser(await advertiser.api.get(`/12/targeting_criteria/${query}`))).toMatchObject({
          limit: 2_000,
          remaining: 1_999,
        });
    });

    it('have a window of their own for with_total_count, by account', async () => {
      const first = await campaigns({ with_total_count: true });
      expect(ofAccount(first)).toEqual({ limit: 2, remaining: 1, reset: inSeconds(900) });
      const colleague = await given.member(advertiser.account, 'AD_MANAGER');
      const second = await colleague.api.get(path('/funding_instruments'), { query: { with_total_count: 'T' } });
      expect(ofAccount(second)).toMatchObject({ limit: 2, remaining: 0 });
      const refused = await campaigns({ with_total_count: true });
      expect(refused).toMatchObject({ status: 429, body: { errors: [{ code: 'TOO_MANY_REQUESTS' }] } });
      expect(refused.body.errors[0]).toMatchObject({
        parameter: 'with_total_count',
        details: '2 requests with with_total_count per 900 seconds',
        hint: expect.stringContaining('without with_total_count'),
      });
      // as any other 429
      expect(refused.body.request).toEqual({ params: {} });
      expect(refused.headers['retry-after']).toBe('900');
      for (const with_total_count of [undefined, false])
        expect((await campaigns({ with_total_count })).status).toBe(200);
      world().clock.advance(900 * SECOND);
      expect((await campaigns({ with_total_count: true })).body.total_count).toBe(0);
    });

    it('count HEAD with with_total_count as GET', async () => {
      const head = () => advertiser.api.call('HEAD', path('/campaigns'), { query: { with_total_count: true } });
      for (let n = 0; n < 2; n++) expect((await head()).status).toBe(200);
      expect((await head()).status).toBe(429);
      expect((await campaigns({ with_total_count: true })).status).toBe(429);
    });

    it('have one by user where there is no account', async () => {
      const list = () => advertiser.api.get('/12/accounts', { query: { with_total_count: true } });
      expect(ofUser(await list())).toMatchObject({ limit: 2, remaining: 1 });
      expect((await list()).status).toBe(200);
      expect((await list()).status).toBe(429);
    });

    it('are not used up by whoever is refused at the door', async () => {
      const stranger = await given.advertiser();
      for (let n = 0; n < 8; n++) {
        expect((await anonymously('GET', path('/campaigns'))).status).toBe(401);
        if (n < 4) expect((await stranger.api.get(path('/campaigns'))).status).toBe(404);
      }
      expect(ofAccount(await campaigns())).toMatchObject({ remaining: 5 });
      expect((await anonymously('GET', path())).headers['x-rate-limit-limit']).toBeUndefined();
    });

    it('let exactly the limit pass when many come at once', async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => campaigns()));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(24);
    });
  });
});

describe('requests without a valid signature', () => {
  useApp({ RATE_LIMIT_UNSIGNED: '3/60', TRUST_PROXY: '127.0.0.1', WORKBENCH: 'true' });

  const unsigned = (address: string, path = '/12/accounts', authorization?: string) =>
    send(world().direct, path, {
      method: 'GET',
      headers: { 'x-forwarded-for': address, ...(authorization !== undefined && { authorization }) },
    });
  const statuses = async (sent: Promise<Answer>[]) => (await Promise.all(sent)).map(({ status }) => status).sort();

  it('are limited by address, and by the /64 network of IPv6', async () => {
    const [one, other] = ['203.0.113.1', '203.0.113.2'];
    expect(await statuses([1, 2, 3, 4, 5].map(() => unsigned(one)))).toEqual([401, 401, 401, 429, 429]);
    expect((await unsigned(other)).status).toBe(401);
    const inNetwork = [1, 2, 3, 4].map((n) => unsigned(`2001:db8:1:2::${n}`));
    expect(await statuses(inNetwork)).toEqual([401, 401, 401, 429]);
    expect((await unsigned('2001:db8:1:3::1')).status).toBe(401);
    // some balancers append the port of the client
    const withPorts = [1, 2, 3, 4].map((n) => unsigned(`203.0.113.9:${n}`));
    expect(await statuses(withPorts)).toEqual([401, 401, 401, 429]);
    expect(await statuses([1, 2, 3, 4].map((n) => unsigned(`[2001:db8:1:4::${n}]:${n}`)))).toEqual([
      401, 401, 401, 429,
    ]);
    expect(await statuses([1, 2, 3, 4].map((n) => unsigned(`garbage${n}`)))).toEqual([401, 401, 401, 429]);

    const { status, headers, body } = await unsigned(one);
    expect([status, body.errors[0].code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(headers['x-rate-limit-limit']).toBe('3');
    expect((await unsigned(one, '/workbench/requests')).body.errors[0].code).toBe(88);
    world().clock.set(new Date(world().clock.now().getTime() + 61_000));
    expect((await unsigned(one)).status).toBe(401);
  });

  it('leave signed requests from the same address alone, and the journal of the application that they name', async () => {
    const application = await given.application();
    const { api, credentials } = await given.advertiser({ application });
    const address = '203.0.113.3';
    const wrong = new Api({ ...credentials, token: { ...credentials.token, secret: 'wrong' } });
    const refused = Array.from({ length: 8 }, () =>
      wrong.directly().get('/12/accounts', { headers: { 'x-forwarded-for': address } }),
    );
    expect(await statuses(refused)).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
    const signed = [1, 2, 3, 4, 5].map(() =>
      api.directly().get('/12/accounts', { headers: { 'x-forwarded-for': address } }),
    );
    expect(await statuses(signed)).toEqual([200, 200, 200, 200, 200]);
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'read');
    const owner = new Api({ consumer: application.consumer, token }).directly();
    const { body } = await owner.get('/workbench/requests', { query: { status: '4xx' } });
    expect(body.data.map(({ status }: { status: number }) => status)).toEqual([401, 401, 401]);
  });

  it('have no limit on this machine outside production', async () => {
    const sent = Array.from({ length: 8 }, () => unsigned('127.0.0.1'));
    expect(new Set(await statuses(sent))).toEqual(new Set([401]));
  });
});

describe('rate limit modes', () => {
  useApp({ RATE_LIMITS: 'off', RATE_LIMIT_WRITES: '1/60', RATE_LIMIT_TOTAL_COUNT: '1/900' });

  const MODE = { NODE_ENV: 'test' };

  describe('rate limits that are off', () => {
    it('neither refuse nor tell anything', async () => {
      const { account, api } = await given.advertiser();
      for (let n = 0; n < 3; n++) {
        for (const answer of [
          await api.put(`/12/accounts/${account.id}`, { query: { name: 'x' } }),
          await api.get(`/12/accounts/${account.id}/campaigns`, { query: { with_total_count: true } }),
        ]) {
          expect(answer.status).toBe(200);
          expect(Object.keys(answer.headers).filter((name) => name.includes('rate'))).toEqual([]);
        }
      }
    });
  });

  describe('the other modes', () => {
    it('are the table, or a hundred times that but for totals', () => {
      expect(readConfig({ ...MODE, RATE_LIMITS: 'faithful' }).quotas).toMatchObject({
        WRITES: { limit: 450, seconds: 60 },
        CORE_READS: { limit: 10_000, seconds: 900 },
        ACCOUNT_READS: { limit: 2_000, seconds: 900 },
        GLOBAL_READS: { limit: 300, seconds: 900 },
        TOTAL_COUNT: { limit: 200, seconds: 900 },
      });
      const relaxed = readConfig({ ...MODE, RATE_LIMITS: 'relaxed' }).quotas;
      expect(relaxed).toMatchObject({
        WRITES: { limit: 45_000, seconds: 60 },
        CORE_READS: { limit: 1_000_000, seconds: 900 },
        TOTAL_COUNT: { limit: 200, seconds: 900 },
      });
      expect(readConfig(MODE).quotas).toEqual(relaxed);
      expect(
        readConfig({ ...MODE, RATE_LIMITS: 'relaxed', RATE_LIMIT_TOTAL_COUNT: '7/60' }).quotas.TOTAL_COUNT,
      ).toEqual({
        limit: 7,
        seconds: 60,
      });
    });
  });
});

describe('public urls', () => {
  useApp({
    NODE_ENV: 'production',
    RATE_LIMITS: 'relaxed',
    LOG_LEVEL: 'silent',
    BASE_URL: 'https://api.marquee.example',
    ADS_BASE_URL: 'https://ads.marquee.example/v',
    ADS_SANDBOX_BASE_URL: 'https://ads-sandbox.marquee.example',
    TRUST_PROXY: '127.0.0.1',
  });

  let advertiser: Advertiser;
  beforeAll(async () => {
    advertiser = await given.advertiser();
  });

  /** As a proxy that ended TLS passes it on: signed for the public URL, sent to the application. */
  function through(publicUrl: string, { target, ...claims }: Record<string, string> = {}): Promise<Answer> {
    const { host, pathname } = new URL(publicUrl);
    const pairs = protocol(advertiser.credentials);
    const signed = signature('GET', publicUrl, pairs, advertiser.credentials);
    return send(world().direct, target ?? pathname, {
      method: 'GET',
      headers: {
        host: 'app1:3000',
        'x-forwarded-host': host,
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '203.0.113.7',
        authorization: header([...pairs, ['oauth_signature', signed]]),
        ...claims,
      },
    });
  }
  const account = () => `/12/accounts/${advertiser.account.id}`;

  describe('in production', () => {
    it('the public URLs are what is signed, prefix and all', async () => {
      expect((await through(`https://ads.marquee.example/v${account()}`)).status).toBe(200);
      expect((await through(`https://ads.marquee.example${account()}`, { target: `/v${account()}` })).status).toBe(401);
    });

    it('a Host will do where the proxy leaves it as it is', async () => {
      const answer = await through(`https://ads.marquee.example/v${account()}`, {
        host: 'ads.marquee.example',
        'x-forwarded-host': '',
      });
      expect(answer.status).toBe(200);
    });

    it('only the last of what is forwarded counts: the one that our proxy added', async () => {
      const url = `https://ads.marquee.example/v${account()}`;
      expect((await through(url, { 'x-forwarded-host': 'evil.example, ads.marquee.example' })).status).toBe(200);
      expect((await through(url, { 'x-forwarded-host': 'ads.marquee.example, evil.example' })).status).toBe(404);
      expect((await through(url, { 'x-forwarded-proto': 'https, http' })).status).toBe(403);
    });

    it('the host tells production from the sandbox', async () => {
      const sandbox = await given.account({ userId: advertiser.user.id, environment: 'sandbox' });
      expect((await through(`https://ads-sandbox.marquee.example/12/accounts/${sandbox.id}`)).status).toBe(200);
      expect((await through(`https://ads-sandbox.marquee.example${account()}`)).status).toBe(404);
      const listed = await through('https://ads-sandbox.marquee.example/12/accounts');
      expect(listed.body.data).toMatchObject([{ id: sandbox.id }]);
      expect((await through(`https://ads.marquee.example/v/sandbox/12/accounts`)).status).toBe(404);
    });

    it('each host has its own family of endpoints', async () => {
      expect(await through('https://api.marquee.example/12/accounts')).toMatchObject({
        status: 404,
        body: { errors: [{ code: 'ROUTE_NOT_FOUND' }] },
      });
      expect(await through('https://ads.marquee.example/v/oauth/authorize')).toMatchObject({
        status: 404,
        body: { errors: [{ code: 34 }] },
      });
    });

    it('unknown hosts are not found, whatever they sign', async () => {
      for (const url of ['https://evil.example/12/accounts', 'https://ads.marquee.example/12/accounts']) {
        expect((await through(url)).status).toBe(404);
      }
      const direct = await send(world().direct, account(), {
        method: 'GET',
        headers: { 'x-forwarded-proto': 'https' },
      });
      expect(direct.status).toBe(404);
    });

    it('plain HTTP is refused with code 92', async () => {
      const answer = await through(`https://ads.marquee.example/v${account()}`, { 'x-forwarded-proto': 'http' });
      expect(answer).toMatchObject({ status: 403, body: { errors: [{ code: 92, message: 'SSL is required' }] } });
    });

    it('health, version and metrics answer under any host, also in plain', async () => {
      for (const path of ['/health/live', '/health/ready', '/version', '/metrics']) {
        expect((await send(world().direct, path, { method: 'GET', headers: { host: 'anything' } })).status).toBe(200);
      }
      const forwarded = await send(world().direct, '/metrics', {
        method: 'GET',
        headers: { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' },
      });
      expect(forwarded.status).toBe(404);
    });
  });
});
