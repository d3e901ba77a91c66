import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { send, type Answer } from '../../support/http.js';
import { application, requestToken, Visitor } from './visitor.js';

useApp({
  RATE_LIMITS: 'faithful',
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_OAUTH: '6/900',
  RATE_LIMIT_BEARER_TOKEN: '3/900',
  RATE_LIMIT_PAGES: '4/900',
  RATE_LIMIT_GLOBAL_READS: '2/900',
});

const from = (address: string) => ({ 'x-forwarded-for': address });
const bearer = (key: string, secret: string, headers = {}) =>
  send('x-forwarded-for' in headers ? world().direct : world().url, '/oauth2/token', {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: 'grant_type=client_credentials',
  });

describe('all of the authentication endpoints are rate limited', () => {
  it('per application, with headers; then 429 code 88 with retry-after', async () => {
    const { consumer } = await application();
    for (let left = 5; left >= 0; left--) {
      const { status, headers } = await requestToken(consumer);
      expect([status, headers['x-rate-limit-limit'], headers['x-rate-limit-remaining']]).toEqual([200, '6', `${left}`]);
    }
    const { status, body, headers } = await requestToken(consumer);
    expect([status, body.errors[0].code, headers['x-rate-limit-remaining']]).toEqual([429, 88, '0']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await requestToken((await application()).consumer)).status).toBe(200);
  });

  it('per address where nobody proved who it is, so that nobody uses up the window of another', async () => {
    const { consumer } = await application();
    const guess = () => requestToken({ ...consumer, secret: 'wrong' }, 'oob', { headers: from('10.2.0.1') });
    for (let i = 0; i < 6; i++) expect((await guess()).status).toBe(401);
    const { status, headers } = await guess();
    expect([status, headers['x-rate-limit-limit']]).toEqual([429, '6']);
    expect((await requestToken(consumer, 'oob', { headers: from('10.2.0.1') })).status).toBe(200);
  });

  it('counts an IPv6 network of a household as one', async () => {
    for (let i = 0; i < 6; i++)
      await requestToken({ key: 'x', secret: 'x' }, 'oob', { headers: from(`2001:db8:1:2::${i + 1}`) });
    const limited = await requestToken({ key: 'x', secret: 'x' }, 'oob', { headers: from('2001:db8:1:2:ffff::1') });
    expect(limited.status).toBe(429);
    const other = await requestToken({ key: 'x', secret: 'x' }, 'oob', { headers: from('2001:db8:1:3::1') });
    expect(other.status).toBe(401);
  });

  it('section 7: a bearer asked for too often is 403 code 99, with retry-after', async () => {
    const { consumer } = await application();
    const tokens = new Set<string>();
    for (let i = 0; i < 3; i++) tokens.add((await bearer(consumer.key, consumer.secret)).body.access_token);
    expect([...tokens]).toEqual([expect.stringMatching(/^[\w-]{40,}$/)]);
    const { status, body, headers } = await bearer(consumer.key, consumer.secret);
    expect([status, body.errors[0].code, body.errors[0].label]).toEqual([403, 99, 'authenticity_token_error']);
    expect(headers).toMatchObject({
      'x-rate-limit-remaining': '0',
      'retry-after': expect.any(String),
      'cache-control': 'no-store',
    });
    world().clock.advance(901_000);
    expect((await bearer(consumer.key, consumer.secret)).status).toBe(200);
  });

  it('guesses of a consumer secret too, by address', async () => {
    const { consumer } = await application();
    for (let i = 0; i < 6; i++) await bearer(consumer.key, 'wrong', from('10.2.0.9'));
    const { status, body, headers } = await bearer(consumer.key, 'wrong', from('10.2.0.9'));
    expect([status, body.errors[0].code, headers['x-rate-limit-remaining']]).toEqual([403, 99, '0']);
  });

  it('pages, per address, with a page that says so', async () => {
    const visitor = new Visitor(from('10.2.0.7'));
    for (let i = 0; i < 4; i++) expect((await visitor.get('/oauth/sign_in')).page.status).toBe(200);
    await visitor.get('/oauth/sign_in');
    expect([visitor.page.status, visitor.heading]).toEqual([429, 'Too many requests']);
    expect(visitor.page.headers['content-type']).toContain('text/html');
  });
});

describe('whoever waits as long as retry-after says waits no longer than until the reset', () => {
  const SECOND = 1_000;
  /** A refused answer: what it says about waiting, next to the time at which it was given. */
  const waitOf = ({ headers }: Answer) => ({
    retryAfter: Number(headers['retry-after']),
    untilReset: Number(headers['x-rate-limit-reset']) - world().clock.seconds(),
    t: Number(/;t=(\d+)/.exec(String(headers.ratelimit))![1]),
  });
  /** Kinds of requests, each with the status that it is refused with. */
  const kinds: [string, number, () => Promise<() => Promise<Answer>>][] = [
    [
      'an advertising endpoint',
      429,
      async () => {
        const { api } = await given.advertiser();
        return () => api.get('/12/accounts');
      },
    ],
    [
      'request_token',
      429,
      async () => {
        const { consumer } = await application();
        return () => requestToken(consumer);
      },
    ],
    [
      'oauth2/token',
      403,
      async () => {
        const { consumer } = await application();
        return () => bearer(consumer.key, consumer.secret);
      },
    ],
  ];

  it.each(kinds)('%s', async (_what, status, prepare) => {
    // Later than the service was started, also where the clock is moved back below.
    let begin = Math.ceil(world().clock.now().getTime() / SECOND) * SECOND + 10 * SECOND;
    for (const fraction of [0, 1, 500, 999]) {
      world().clock.set(new Date(begin + fraction));
      const call = await prepare();
      let refused = await call();
      while (refused.status === 200) refused = await call();
      // Back a little, as the clocks of replicas differ; to places within the window; and to the last of its milliseconds.
      for (const moved of [0, -4_500, -1_000, 1, 333, 500_250, 898_999, 899_001, 899_999]) {
        world().clock.set(new Date(begin + fraction + moved));
        const answer = await call();
        expect(answer.status).toBe(status);
        const { retryAfter, untilReset, t } = waitOf(answer);
        expect(retryAfter).toBeGreaterThanOrEqual(1);
        expect(retryAfter).toBeLessThanOrEqual(Math.max(1, untilReset));
        expect(retryAfter).toBe(Math.max(1, t));
        // It is enough: whoever waited finds a new window (not where the clock was moved back).
        if (moved >= 0) expect(moved + retryAfter * SECOND).toBeGreaterThanOrEqual(900 * SECOND);
      }
      world().clock.set(new Date(begin + fraction + 900 * SECOND));
      expect((await call()).status).toBe(200);
      begin += 2_000 * SECOND;
    }
  });
});
