import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { useApp, world } from '../../support/app.js';
import { logged } from '../../support/logged.js';
import { given } from '../../support/given.js';
import { send, type Answer } from '../../support/http.js';
import { fresh } from '../../support/given/fresh.js';
import {
  application,
  requestToken,
  Visitor,
  accessToken,
  flow,
  pairOf,
  signedIn,
  CALLBACK,
  signedPost,
} from './visitor.js';
import { AUTHORIZE_PATHS } from './oauth2-client.js';
import { sign } from '../../../src/auth/signature/signature.js';
import { KeyRotation } from '../../../src/auth/credentials/key-rotation.js';
import { Api, anonymously } from '../../support/api.js';
import { REPLICAS } from '../../support/environment.js';
import { createApp } from '../../../src/create-app.js';
import { Clock } from '../../../src/common/time/clock.js';
import { DATABASE, type Database } from '../../../src/common/db/database.js';
import { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import { Vault } from '../../../src/auth/credentials/vault.js';
import { Config } from '../../../src/config/config.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { CallersService } from '../../../src/auth/credentials/callers.service.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';

describe('limits', () => {
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
        expect([status, headers['x-rate-limit-limit'], headers['x-rate-limit-remaining']]).toEqual([
          200,
          '6',
          `${left}`,
        ]);
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
      for (const path of ['/oauth/sign_in', '/oauth/authorize', '/oauth/authenticate', ...AUTHORIZE_PATHS]) {
        await visitor.get(path);
        expect([path, visitor.page.status, visitor.heading]).toEqual([path, 429, 'Too many requests']);
        expect(visitor.page.headers['content-type']).toContain('text/html');
      }
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
});

describe('production', () => {
  const BASE = 'https://ads.example';
  useApp({
    NODE_ENV: 'production',
    BASE_URL: BASE,
    TRUST_PROXY: '127.0.0.1',
    METRICS_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
  });

  const there = { host: 'ads.example', 'x-forwarded-proto': 'https' };

  async function requestToken(secret?: string, headers: Record<string, string> = there) {
    const { consumer } = await application();
    const authorization = sign({
      method: 'POST',
      url: `${BASE}/oauth/request_token`,
      consumer: { ...consumer, ...(secret !== undefined && { secret }) },
      timestamp: world().clock.seconds(),
      nonce: randomBytes(8).toString('hex'),
      extra: { oauth_callback: 'oob' },
    });
    return send(world().direct, '/oauth/request_token', { method: 'POST', headers: { authorization, ...headers } });
  }

  describe('in production mode', () => {
    it('flows work behind a proxy that ends TLS', async () => {
      expect((await requestToken()).status).toBe(200);
    });

    it('a proxy passes no metrics on, also if METRICS_ALLOW names its network', async () => {
      const metrics = (headers = {}) => send(world().direct, '/metrics', { method: 'GET', headers });
      expect((await metrics()).status).toBe(200);
      expect((await metrics({ ...there, 'x-forwarded-for': '203.0.113.9' })).status).toBe(404);
    });

    it('plain HTTP is 403 code 92 at every step', async () => {
      const plain = { host: 'ads.example' };
      expect((await requestToken(undefined, plain)).body.errors[0].code).toBe(92);
      for (const path of ['/oauth/authorize', '/oauth/authenticate', '/oauth/sign_in', '/oauth/applications']) {
        const { status, body } = await send(world().direct, path, { method: 'GET', headers: plain });
        expect([status, body.errors[0].code]).toEqual([403, 92]);
      }
    });

    it('a wrong signature gets no help', async () => {
      const { status, body } = await requestToken('wrong');
      expect([status, body.errors]).toEqual([401, [{ code: 32, message: 'Could not authenticate you' }]]);
    });

    it('the clock neither', async () => {
      const { consumer } = await application();
      const authorization = sign({
        method: 'POST',
        url: `${BASE}/oauth/request_token`,
        consumer,
        timestamp: world().clock.seconds() - 5000,
        nonce: 'n',
      });
      const headers = { authorization, ...there };
      const { body } = await send(world().direct, '/oauth/request_token', { method: 'POST', headers });
      expect(body.errors).toEqual([{ code: 135, message: 'Timestamp out of bounds.' }]);
    });

    it('the cookie is bound to the host, and the demo has no page', async () => {
      const page = await send(world().direct, '/oauth/sign_in', { method: 'GET', headers: there });
      expect(page.headers['set-cookie']?.[0]).toMatch(/^__Host-.+; Secure;/);
      expect((await send(world().direct, '/demo/callback', { method: 'GET', headers: there })).status).toBe(404);
    });
  });
});

describe('rotation', () => {
  const key = (text: string) => Buffer.alloc(32, text);
  const [OLD, NEW] = [key('old key'), key('new key')];
  const KEYS = { MASTER_KEY: OLD.toString('base64'), PREVIOUS_MASTER_KEYS: NEW.toString('base64') };
  useApp(KEYS);

  /** A process on the same store with other keys, as far as the vault goes. */
  async function vaultWith(masterKey: Buffer, previousMasterKeys: Buffer[] = []): Promise<Vault> {
    const config = Object.assign(new Config(), world().config, { masterKey, previousMasterKeys });
    const vault = new Vault(config, world().app.get(DataSource), new Clock(), world().app.get(DatabaseNotifications));
    await vault.onModuleInit();
    return vault;
  }

  const rotateWith = async (vault: Vault) => new KeyRotation(world().app.get(DataSource), vault).rotate();

  /** Rotates once this process, and no other replica, was given the new key, as a restart would. */
  async function rotateAfterRestart() {
    const vault = await vaultWith(NEW, [OLD]);
    world().get(Vault)['keys'].reverse();
    return rotateWith(vault);
  }

  describe('rotating the master key', () => {
    it('keeps every credential working, before, while and after', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const access = pairOf(await flow(consumer, visitor));
      const pending = pairOf(await requestToken(consumer));
      await visitor.decide(pending.key);
      const bearer = () =>
        send(world().url, '/oauth2/token', {
          method: 'POST',
          headers: {
            authorization: `Basic ${Buffer.from(`${consumer.key}:${consumer.secret}`).toString('base64')}`,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: 'grant_type=client_credentials',
        });
      const before = (await bearer()).body.access_token;

      const api = new Api({ consumer, token: access });
      let stopped = false;
      const statuses = new Set<number>();
      const calling = (async () => {
        while (!stopped) {
          await world().get(CallersService).invalidate();
          statuses.add((await api.get('/12/accounts')).status);
        }
      })();
      // This process knows both keys and still seals under the old one: the first rotation says so.
      const first = await rotateWith(await vaultWith(NEW, [OLD]));
      expect(first.rows).toMatchObject({ bearer_tokens: 1 });
      expect(first.inUse).toHaveLength(1);
      stopped = true;
      await calling;
      expect([...statuses]).toEqual([200]);

      expect((await bearer()).body.access_token).toBe(before);
      expect((await accessToken(consumer, pending, visitor.pin)).status).toBe(200);
      await visitor.get('/oauth/applications');
      expect(visitor.heading).toBe('Connected apps');
      const sealed = await world().sql<{ sealed: string; lookup: string }>(
        'SELECT "sealedSecret" AS sealed, lookup FROM access_tokens',
      );
      const vault = await vaultWith(NEW, [OLD]);
      expect(sealed.length).toBeGreaterThan(0);
      for (const row of sealed) expect(row.sealed.startsWith(`${vault.keyId}.`)).toBe(true);
    });

    it('a start with neither key is refused by name, as is one without the old key while it is in use', async () => {
      await expect(vaultWith(key('another'))).rejects.toThrow(/MASTER_KEY: secrets in this store are sealed under key/);
      await expect(vaultWith(NEW)).rejects.toThrow(/MASTER_KEY/);
    });

    it('a whole process that starts with a wrong key refuses, too', async () => {
      const config = Object.freeze(
        Object.assign(new Config(), world().config, {
          masterKey: key('wrong'),
          previousMasterKeys: [],
          redisUrl: undefined,
        }),
      );
      // whatever it does to it, it does not close it
      const store: Database = { ...world().app.get<Database>(DATABASE), embedded: true, close: async () => undefined };
      await expect(createApp({ config, store, clock: new Clock() })).rejects.toThrow(/MASTER_KEY/);
    });

    (REPLICAS > 1 ? it : it.skip)('keeps the old key while another process seals under it', async () => {
      expect(await rotateAfterRestart()).toMatchObject({ retired: [], inUse: [expect.any(String)] });
    });
  });

  describe('rotating the master key of a single process', () => {
    useApp(KEYS, 1);

    it('retires the old key when nobody seals under it any more', async () => {
      const { retired, inUse } = await rotateAfterRestart();
      expect(inUse).toEqual([]);
      expect(retired).toHaveLength(1);
      await vaultWith(NEW);
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await flow(consumer, visitor));
      expect((await new Api({ consumer, token }).get('/12/accounts')).status).toBe(200);
    });
  });
});

describe('secrets', () => {
  useApp({ LOG_LEVEL: 'trace' });

  it('no secret that was issued stands in a log, an error body, the figures or the database', async () => {
    const secrets: Record<string, string> = {};
    const bodies: string[] = [];
    const failing = async (answer: Promise<Answer>) => void bodies.push((await answer).text);

    const log = await logged(async () => {
      const password = 'a password to be found nowhere';
      const users = world().get(UsersService);
      const tokens = world().get(AccessTokensService);
      const user = await users.create(fresh('owner'), { password });
      const { id, consumer } = await application({ ownerId: user.id });
      Object.assign(secrets, { password, consumerSecret: consumer.secret });
      const visitor = await new Visitor().signIn(user.username, password);
      secrets.session = visitor.cookie!.split('=')[1];

      const pin = pairOf(await requestToken(consumer));
      await visitor.decide(pin.key);
      Object.assign(secrets, { requestSecret: pin.secret, pin: visitor.pin });
      await failing(accessToken(consumer, pin, 'wrong'));
      const access = pairOf(await accessToken(consumer, pin, visitor.pin));
      Object.assign(secrets, { accessToken: access.key, accessSecret: access.secret });
      const web = pairOf(await requestToken(consumer, CALLBACK));
      await visitor.decide(web.key);
      secrets.verifier = new URL(visitor.location).searchParams.get('oauth_verifier')!;
      secrets.webToken = web.key;
      const command = await tokens.issue(user.id, id, 'write');
      Object.assign(secrets, { commandToken: command.key, commandSecret: command.secret });

      const basic = { authorization: `Basic ${Buffer.from(`${consumer.key}:${consumer.secret}`).toString('base64')}` };
      const form = { ...basic, 'content-type': 'application/x-www-form-urlencoded' };
      const token = (body: string) => send(world().url, '/oauth2/token', { method: 'POST', headers: form, body });
      secrets.bearer = (await token('grant_type=client_credentials')).body.access_token;
      secrets.basic = basic.authorization.slice(6);
      await failing(token('grant_type=wrong'));

      await failing(
        signedPost('/oauth2/invalidate_token', {
          consumer,
          token: { ...command, secret: 'wrong' },
          query: { access_token: secrets.bearer },
        }),
      );
      await failing(accessToken(consumer, { ...web, secret: 'wrong' }, secrets.verifier));
      await failing(
        new Api({ consumer, token: { key: access.key, secret: 'wrong' } }).get('/12/accounts', {
          query: { access_token: secrets.bearer },
        }),
      );
      await failing(
        new Api({ consumer: { ...consumer, secret: 'wrong' }, token: access }).post('/12/accounts/x/campaigns', {
          form: { password },
        }),
      );
      await failing(anonymously('GET', `/12/accounts?access_token=${secrets.bearer}`));
      await failing(anonymously('GET', '/12/accounts', { authorization: `Bearer ${secrets.bearer}` }));
      await failing(anonymously('GET', `/oauth/nothing?oauth_verifier=${secrets.verifier}`));
      await failing(
        send(world().url, '/oauth/sign_in', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{"password":"${password}"`,
        }),
      );
      await failing(
        new Visitor().post('/oauth/sign_in', { username: user.username, password }).then(({ page }) => page),
      );
      await visitor.post('/oauth/applications', { csrf: visitor.csrf, application_id: id });
    });

    const figures = (await send(world().direct, '/metrics', { method: 'GET' })).text;
    const tables = await world().sql<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
    );
    const dump: string[] = [];
    for (const { name } of tables)
      dump.push(JSON.stringify(await world().sql(`SELECT t::text AS row FROM "${name}" t`)));

    expect(log).toContain('/oauth/access_token');
    expect(figures).toContain('/oauth/access_token');
    expect(dump.join('')).toContain('owner_');
    expect(bodies).toHaveLength(11);
    const places = { log, figures, dump: dump.join('\n'), bodies: bodies.join('\n') };
    const found = Object.entries(places).flatMap(([place, text]) =>
      Object.entries(secrets)
        // What a client signed is shown to that client: the token, never its secret.
        .filter(([name]) => !(place === 'bodies' && ['accessToken', 'commandToken', 'webToken'].includes(name)))
        .filter(([, secret]) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
        .map(([name]) => `${name} in ${place}`),
    );
    expect(found).toEqual([]);
  });
});
