import { randomBytes } from 'node:crypto';
import { sign } from '../../../src/auth/signature/signature.js';
import { useApp, world } from '../../support/app.js';
import { send } from '../../support/http.js';
import { application } from './visitor.js';

const BASE = 'https://ads.example';
useApp({ NODE_ENV: 'production', BASE_URL: BASE, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'silent' });

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
