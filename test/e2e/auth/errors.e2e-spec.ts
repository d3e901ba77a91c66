import { BearersService } from '../../../src/auth/bearers/bearers.service.js';
import { CredentialsService } from '../../../src/auth/credentials/credentials.service.js';
import { useApp, world } from '../../support/app.js';
import { Api, sendPrepared, type Answer } from '../../support/api.js';
import { given } from '../../support/given.js';
import { send } from '../../support/http.js';
import {
  accessToken,
  application,
  CALLBACK,
  pairOf,
  preparePost,
  requestToken,
  signedIn,
  signedPost,
  flow,
  Visitor,
} from './visitor.js';

useApp();

const told = ({ status, body }: Answer) => [status, body.errors[0].code, body.errors[0].message];
const oob = { oauth_callback: 'oob' };
const post = (path: string, headers: Record<string, string> = {}, body?: string) =>
  send(world().url, path, { method: 'POST', headers, body });

describe('requests that are signed wrongly', () => {
  it.each(['/oauth/request_token', '/oauth/access_token', '/1.1/oauth/invalidate_token'])(
    '%s without credentials: 400 code 215',
    async (path) => {
      expect(told(await post(path))).toEqual([400, 215, 'Bad authentication data']);
    },
  );

  it('a wrong signature: 401 code 32', async () => {
    const { consumer } = await application();
    const answer = await requestToken({ ...consumer, secret: 'wrong' });
    expect(told(answer)).toEqual([401, 32, 'Could not authenticate you']);
    expect(answer.headers['www-authenticate']).toMatch(/^OAuth/);
  });

  it('an unknown consumer key: 401 code 32', async () => {
    expect(told(await requestToken({ key: 'nobody', secret: 'x' })).slice(0, 2)).toEqual([401, 32]);
  });

  it('a request token with the secret of another: 401 code 32', async () => {
    const { consumer } = await application();
    const [one, other] = [pairOf(await requestToken(consumer)), pairOf(await requestToken(consumer))];
    const mixed = { key: one.key, secret: other.secret };
    expect(told(await accessToken(consumer, mixed, '1234567')).slice(0, 2)).toEqual([401, 32]);
  });

  it('a request token of another application: 401 code 32', async () => {
    const [one, other] = [await application(), await application()];
    const token = pairOf(await requestToken(one.consumer));
    expect(told(await accessToken(other.consumer, token, '1234567')).slice(0, 2)).toEqual([401, 32]);
  });

  it.each([-301, 301])('a timestamp %i seconds away: 401 code 135', async (seconds) => {
    const { consumer } = await application();
    // or 301 seconds may be 300 when it arrives
    world().clock.set(world().clock.now());
    const timestamp = world().clock.seconds() + seconds;
    expect(told(await requestToken(consumer, 'oob', { timestamp }))).toEqual([401, 135, 'Timestamp out of bounds.']);
  });

  it('a nonce that was used: 401 code 32, on every signed endpoint', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const first = preparePost('/oauth/request_token', { consumer, oauth: oob });
    const token = pairOf(await sendPrepared(first));
    expect(told(await sendPrepared(first)).slice(0, 2)).toEqual([401, 32]);
    await visitor.decide(token.key);
    const nonce = 'once-and-never-again';
    await accessToken(consumer, token, '0000000', { nonce });
    expect(told(await accessToken(consumer, token, '0000000', { nonce })).slice(0, 2)).toEqual([401, 32]);
  });

  it('another signature method or version, a non-ASCII nonce: 401 code 32, and the details name it', async () => {
    const { consumer } = await application();
    for (const [name, value] of [
      ['oauth_signature_method', 'PLAINTEXT'],
      ['oauth_version', '2.0'],
      ['oauth_nonce', 'n%C3%B6nce'],
    ]) {
      const { target, headers, ...wire } = preparePost('/oauth/request_token', { consumer, oauth: oob });
      const authorization = headers.authorization.replace(new RegExp(`${name}="[^"]*"`), `${name}="${value}"`);
      const answer = await send(world().url, target, { ...wire, headers: { authorization } });
      expect(told(answer).slice(0, 2)).toEqual([401, 32]);
      expect(answer.body.errors[0].details).toContain(name);
    }
  });

  it('a valid bearer where a user is needed: 403 code 220; an unknown one: 401 code 89; a malformed one: 400 code 215', async () => {
    const { id } = await application();
    const withBearer = async (bearer: string) =>
      told(await post('/1.1/oauth/invalidate_token', { authorization: `Bearer ${bearer}` }));
    const valid = await world().get(BearersService).issue(id);
    expect(await withBearer(valid)).toEqual([403, 220, 'Your credentials do not allow access to this resource']);
    expect(await withBearer('abcdefghijklmnop')).toEqual([401, 89, 'Invalid or expired token']);
    for (const malformed of ['', 'two words']) expect((await withBearer(malformed)).slice(0, 2)).toEqual([400, 215]);
  });

  it('an access token that is unknown or revoked: 401 code 89', async () => {
    const client = await given.client();
    await given.revokedToken(client);
    for (const token of [client.credentials.token, { key: '1-nobody', secret: 'x' }]) {
      const answer = await signedPost('/1.1/oauth/invalidate_token', { consumer: client.credentials.consumer, token });
      expect(told(answer)).toEqual([401, 89, 'Invalid or expired token']);
    }
  });

  it('an unknown path of the family: 404 code 34; a wrong method: 405 code 34 with Allow', async () => {
    expect(told(await post('/oauth/nothing'))).toEqual([404, 34, 'Sorry, that page does not exist']);
    const answer = await send(world().url, '/oauth/request_token', { method: 'GET' });
    expect(told(answer).slice(0, 2)).toEqual([405, 34]);
    expect(answer.headers.allow).toBe('POST');
  });

  it('a body in another form than the endpoint takes, broken or not: 415 with a number for a code', async () => {
    expect(told(await post('/oauth2/token', { 'content-type': 'application/json' }, '{')).slice(0, 2)).toEqual([
      415, 214,
    ]);
    expect(told(await post('/oauth2/token', { 'content-type': 'text/xml' }, '<a/>')).slice(0, 2)).toEqual([415, 214]);
  });
});

describe('oauth/request_token', () => {
  it('no oauth_callback: 403 code 38', async () => {
    const { consumer } = await application();
    const answer = await signedPost('/oauth/request_token', { consumer });
    expect(told(answer)).toEqual([403, 38, 'oauth_callback parameter is missing']);
  });

  it.each([
    'https://client.example/other',
    'https://client.example/back/',
    'http://client.example/back',
    'https://client.example:8443/back',
    'https://evil.example/back',
    'https://client.example/back#fragment',
    'https://user@client.example/back',
    'OOB',
  ])('the callback %s, which is not registered: 403 code 415', async (callback) => {
    const { consumer } = await application();
    const answer = await requestToken(consumer, callback);
    expect(told(answer).slice(0, 2)).toEqual([403, 415]);
    expect(answer.body.errors[0].message).toContain('Callback URL not approved for this client application.');
  });

  it('a callback for a desktop application: 401 code 417', async () => {
    const { consumer } = await application({ desktop: true });
    const answer = await requestToken(consumer, CALLBACK);
    expect(told(answer)).toEqual([401, 417, "Desktop applications only support the oauth_callback value 'oob'"]);
    expect((await requestToken(consumer)).status).toBe(200);
  });

  it('platform_auth_access_type that is neither read nor write: 400 code 214', async () => {
    const { consumer } = await application();
    const answer = await requestToken(consumer, 'oob', { query: { platform_auth_access_type: 'admin' } });
    expect(told(answer).slice(0, 2)).toEqual([400, 214]);
  });

  it('x_auth_access_type, its other name, is checked alike, and must not contradict it', async () => {
    const { consumer } = await application();
    const asking = async (query: Record<string, string>, oauth: Record<string, string> = {}) =>
      told(await requestToken(consumer, 'oob', { query, oauth: { oauth_callback: 'oob', ...oauth } }));
    expect(await asking({ x_auth_access_type: 'admin' })).toEqual([
      400,
      214,
      'x_auth_access_type must be read or write, not "admin"',
    ]);
    expect(await asking({ platform_auth_access_type: 'write', x_auth_access_type: 'read' })).toEqual([
      400,
      214,
      'platform_auth_access_type=write and x_auth_access_type=read contradict each other: send one of them, or the same value',
    ]);
  });

  it('an oauth_token where there cannot be one yet: 401 code 32; an empty one is none', async () => {
    const { consumer } = await application();
    const answer = await requestToken(consumer, 'oob', { token: { key: 'some', secret: '' } });
    expect(told(answer).slice(0, 2)).toEqual([401, 32]);
    const empty = await requestToken(consumer, 'oob', { oauth: { oauth_callback: 'oob', oauth_token: '' } });
    expect(empty.status).toBe(200);
  });
});

describe('oauth/access_token', () => {
  const wrong = [401, 32, 'Error processing your OAuth request: Invalid oauth_verifier parameter'];

  it('no oauth_token: 401, Request token missing', async () => {
    const { consumer } = await application();
    const answer = await signedPost('/oauth/access_token', { consumer, oauth: { oauth_verifier: '1234567' } });
    expect(told(answer)).toEqual([401, 32, 'Request token missing']);
  });

  it('an unknown request token: 401 code 89, Invalid / expired Token', async () => {
    const { consumer } = await application();
    const answer = await accessToken(consumer, { key: 'nothing', secret: 'x' }, '1234567');
    expect(told(answer)).toEqual([401, 89, 'Invalid / expired Token']);
  });

  it('no verifier, a wrong one, or nobody approved yet: 401, Invalid oauth_verifier parameter', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer));
    expect(told(await accessToken(consumer, token, '1234567'))).toEqual(wrong);
    await visitor.decide(token.key);
    expect(told(await signedPost('/oauth/access_token', { consumer, token }))).toEqual(wrong);
    expect(told(await accessToken(consumer, token, 'wrong'))).toEqual(wrong);
    expect((await accessToken(consumer, token, visitor.pin)).status).toBe(200);
  });

  it('a verifier that was used: 401 code 89, and the access token stays', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer));
    await visitor.decide(token.key);
    const first = await accessToken(consumer, token, visitor.pin);
    expect(told(await accessToken(consumer, token, visitor.pin))).toEqual([401, 89, 'Invalid / expired Token']);
    expect((await new Api({ consumer, token: pairOf(first) }).get('/12/accounts')).status).toBe(200);
  });

  it('five wrong verifiers void the token: then the right one is refused', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer));
    await visitor.decide(token.key);
    const { pin } = visitor;
    for (let i = 0; i < 5; i++) expect(told(await accessToken(consumer, token, 'wrong'))).toEqual(wrong);
    expect(told(await accessToken(consumer, token, pin))).toEqual([401, 89, 'Invalid / expired Token']);
  });

  it('four wrong verifiers do not', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer));
    await visitor.decide(token.key);
    for (let i = 0; i < 4; i++) await accessToken(consumer, token, 'wrong');
    expect((await accessToken(consumer, token, visitor.pin)).status).toBe(200);
  });

  it('after fifteen minutes: 401 code 89', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer));
    await visitor.decide(token.key);
    world().clock.advance(15 * 60_000 + 1000);
    expect(told(await accessToken(consumer, token, visitor.pin)).slice(0, 2)).toEqual([401, 89]);
  });

  it('a user who was suspended meanwhile: 401 code 89', async () => {
    const { consumer } = await application();
    const { user, visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer));
    await visitor.decide(token.key);
    await world().sql('UPDATE users SET "suspendedAt" = now() WHERE id = $1', user.id);
    expect(told(await accessToken(consumer, token, visitor.pin)).slice(0, 2)).toEqual([401, 89]);
  });

  it('a request token opens nothing else', async () => {
    const { consumer } = await application();
    const token = pairOf(await requestToken(consumer));
    const { status, body } = await new Api({ consumer, token }).get('/12/accounts');
    expect([status, body.errors[0].code]).toEqual([401, 89]);
  });
});

describe('signature help, outside production', () => {
  it('says what was expected and what differs, and no secret', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await flow(consumer, visitor));
    const answer = await signedPost('/1.1/oauth/invalidate_token', { consumer, token: { ...token, secret: '' } });
    const [{ signature_help: help }] = answer.body.errors;
    expect(help.base_string).toMatch(/^POST&http%3A%2F%2F.+invalidate_token&oauth_consumer_key%3D/);
    expect(help.differs).toContain('token secret');
    for (const secret of [consumer.secret, token.secret]) expect(answer.text).not.toContain(secret);
  });

  it('tells how far the clocks are apart', async () => {
    const { consumer } = await application();
    const timestamp = world().clock.seconds() - 4000;
    const { body } = await requestToken(consumer, 'oob', { timestamp });
    expect(body.errors[0].hint).toMatch(/is 400\d seconds behind the clock of this server/);
  });

  it('stands on advertising endpoints too', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await flow(consumer, visitor));
    const { body } = await new Api({ consumer: { ...consumer, secret: 'wrong' }, token }).get('/12/accounts');
    expect(body.errors[0]).toMatchObject({
      code: 'UNAUTHORIZED_ACCESS',
      signature_help: { base_string: expect.any(String) },
    });
  });
});

describe('what a person is told', () => {
  it('a deleted application leaves no flow behind', async () => {
    const { id, consumer } = await application();
    const token = pairOf(await requestToken(consumer));
    await world().sql('UPDATE applications SET "deletedAt" = now() WHERE id = $1', id);
    const visitor = await new Visitor().get(`/oauth/authorize?oauth_token=${token.key}`);
    expect(visitor.page.status).toBe(403);
    expect(told(await accessToken(consumer, token, 'x')).slice(0, 2)).toEqual([401, 32]);
  });

  it('callbacks that may not be registered are refused', async () => {
    const credentials = world().get(CredentialsService);
    const { id } = await application();
    for (const callback of ['javascript:alert(1)', 'https://client.example/back?x=1', 'https://client.example/#x'])
      await expect(credentials.updateApplication(id, { callbacks: [callback] })).rejects.toThrow(/callback/);
    const eleven = Array.from({ length: 11 }, (_, i) => `https://client.example/${i}`);
    await expect(credentials.updateApplication(id, { callbacks: eleven })).rejects.toThrow(/at most 10/);
  });
});
