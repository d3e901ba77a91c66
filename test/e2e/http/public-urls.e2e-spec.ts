import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { send, type Answer } from '../../support/http.js';
import { header, protocol, signature } from '../../support/signing.js';

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
    const direct = await send(world().direct, account(), { method: 'GET', headers: { 'x-forwarded-proto': 'https' } });
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
