import { BearersService, type Bearer } from '../../../src/auth/bearers/bearers.service.js';
import { CredentialsService, type KeyAndSecret } from '../../../src/auth/credentials/credentials.service.js';
import { OAuthAdmission } from '../../../src/auth/guards/oauth-admission.js';
import { BearerGuard } from '../../../src/auth/guards/bearer.guard.js';
import { BearerStrategy } from '../../../src/auth/bearers/bearer.strategy.js';
import type { ApiError } from '../../../src/common/errors/api-error.js';
import { useApp, world } from '../../support/app.js';
import { Api, type Answer } from '../../support/api.js';
import { send } from '../../support/http.js';
import { application, fresh, signedPost } from './visitor.js';

useApp();

const told = ({ status, body }: Answer) => [status, body.errors[0].code];
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const of = ({ key, secret }: KeyAndSecret) => basic(`${key}:${secret}`);
const form = (path: string, authorization: string | undefined, body = 'grant_type=client_credentials') =>
  send(world().url, path, {
    method: 'POST',
    headers: {
      ...(authorization !== undefined && { authorization }),
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    },
    body,
  });
const bearerOf = async (consumer: KeyAndSecret): Promise<string> => {
  const { status, body } = await form('/oauth2/token', of(consumer));
  expect({ status, body }).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });
  return body.access_token;
};

const REFUSED = {
  status: 403,
  body: { errors: [{ code: 99, label: 'authenticity_token_error', message: 'Unable to verify your credentials' }] },
};

describe('the bearer token of an application', () => {
  it('no bearer -> outstanding: type and token, never stored on the way', async () => {
    const { consumer } = await application();
    const { status, body, headers } = await form('/oauth2/token', of(consumer));
    expect(status).toBe(200);
    expect(body).toEqual({ token_type: 'bearer', access_token: expect.stringMatching(/^[A-Za-z0-9_-]{40,}$/) });
    expect(headers['cache-control']).toBe('no-store');
  });

  it('outstanding -> asked again: the same token', async () => {
    const { consumer } = await application();
    expect(await bearerOf(consumer)).toBe(await bearerOf(consumer));
  });

  it('outstanding -> invalidated by the owner: the next one is another', async () => {
    const { id, ownerId, consumer } = await application();
    const bearer = await bearerOf(consumer);
    const token = await world().get(CredentialsService).issueToken(ownerId, id, 'write');
    const ended = await signedPost('/oauth2/invalidate_token', { consumer, token, query: { access_token: bearer } });
    expect([ended.status, ended.body]).toEqual([200, { access_token: bearer }]);
    expect(ended.headers['cache-control']).toBe('no-store');
    expect(await world().get(BearersService).find(bearer)).toBeUndefined();
    expect(await bearerOf(consumer)).not.toBe(bearer);
  });

  it('invalidated in the older way: Basic, and the token in the form body', async () => {
    const { consumer } = await application();
    const bearer = await bearerOf(consumer);
    const { status, body } = await form('/oauth2/invalidate_token', of(consumer), `access_token=${bearer}`);
    expect([status, body]).toEqual([200, { access_token: bearer }]);
    expect(await form('/oauth2/invalidate_token', of(consumer), `access_token=${bearer}`)).toMatchObject(REFUSED);
  });

  it('a read token of the owner may invalidate: it is no write', async () => {
    const { id, ownerId, consumer } = await application();
    const bearer = await bearerOf(consumer);
    const token = await world().get(CredentialsService).issueToken(ownerId, id, 'read');
    const { status } = await signedPost('/oauth2/invalidate_token', {
      consumer,
      token,
      query: { access_token: bearer },
    });
    expect(status).toBe(200);
  });
});

describe('whatever fails at oauth2 endpoints is 403 code 99', () => {
  it.each([
    ['no grant_type', ''],
    ['another grant_type', 'grant_type=password'],
    ['grant_type twice', 'grant_type=client_credentials&grant_type=client_credentials'],
  ])('%s', async (_what, body) => {
    const { consumer } = await application();
    expect(await form('/oauth2/token', of(consumer), body)).toMatchObject(REFUSED);
  });

  it.each([
    ['/oauth2/token', 'application/json', '{"grant_type":"client_credentials"}'],
    ['/oauth2/token', 'application/json', 'no JSON'],
    ['/oauth2/token', 'text/plain', 'grant_type=client_credentials'],
    ['/oauth2/invalidate_token', 'application/json', '{"access_token":"x"}'],
    ['/oauth2/invalidate_token', 'text/plain', 'access_token=x'],
  ])('%s with %s is 415, which names the only type that is taken', async (path, type, body) => {
    const { consumer } = await application();
    const headers = { authorization: of(consumer), 'content-type': type };
    const answer = await send(world().url, path, { method: 'POST', headers, body });
    expect(answer).toMatchObject({
      status: 415,
      body: {
        errors: [{ code: 214, message: `Expected application/x-www-form-urlencoded for Content-Type, got "${type}"` }],
      },
    });
  });

  it('a wrong secret, an unknown key, no credentials', async () => {
    const { consumer } = await application();
    for (const header of [
      of({ ...consumer, secret: 'wrong' }),
      of({ key: 'nobody', secret: 'x' }),
      undefined,
      'Bearer abc',
    ])
      expect(await form('/oauth2/token', header)).toMatchObject(REFUSED);
  });

  it('takes keys that were percent-encoded before base64', async () => {
    const { consumer } = await application();
    const encoded = [...consumer.key].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('');
    expect((await form('/oauth2/token', basic(`${encoded}:${consumer.secret}`))).status).toBe(200);
  });

  it.each([
    ['not base64', 'Basic ***'],
    ['no colon', basic('justakey')],
    ['nothing before the colon', basic(':secret')],
    ['nothing behind it', basic('key:')],
    ['NULs', basic('\0\0:\0')],
    ['control characters', basic('key:sec\r\nret')],
    ['not UTF-8', `Basic ${Buffer.from([0xff, 0xfe, 0x3a, 0xff]).toString('base64')}`],
    ['a broken escape', basic('%zz:secret')],
    ['encoded NULs', basic('%00%00:%00')],
    ['several colons', basic('a:b:c')],
    ['huge', basic(`${'k'.repeat(9000)}:s`)],
    ['only a scheme', 'Basic'],
    ['a space', 'Basic  '],
  ])('a Basic header with %s is refused and nothing crashes', async (_what, header) => {
    expect(await form('/oauth2/token', header)).toMatchObject(REFUSED);
    expect(await form('/oauth2/invalidate_token', header)).toMatchObject(REFUSED);
  });

  it('invalidating: an unknown bearer, none, or by somebody who is not the owner', async () => {
    const { id, ownerId, consumer } = await application();
    const credentials = world().get(CredentialsService);
    const bearer = await bearerOf(consumer);
    const stranger = await credentials.createUser(fresh('stranger'));
    const [owners, others] = [
      await credentials.issueToken(ownerId, id, 'write'),
      await credentials.issueToken(stranger.id, id, 'write'),
    ];
    const ending = (token: KeyAndSecret, query: Record<string, string>) =>
      signedPost('/oauth2/invalidate_token', { consumer, token, query });
    expect(await ending(owners, { access_token: 'nothing' })).toMatchObject(REFUSED);
    expect(await ending(owners, {})).toMatchObject(REFUSED);
    expect(await ending(others, { access_token: bearer })).toMatchObject(REFUSED);
    expect(await ending({ ...owners, secret: 'wrong' }, { access_token: bearer })).toMatchObject(REFUSED);
    expect(await bearerOf(consumer)).toBe(bearer);
  });

  it('invalidating with a revoked user token: 401 code 89', async () => {
    const { id, ownerId, consumer } = await application();
    const credentials = world().get(CredentialsService);
    const token = await credentials.issueToken(ownerId, id, 'write');
    await credentials.revokeToken(token.key);
    await world().caughtUp();
    const query = { access_token: 'x' };
    expect(told(await signedPost('/oauth2/invalidate_token', { consumer, token, query }))).toEqual([401, 89]);
  });

  it("another application's bearer is 403 code 348, and stays", async () => {
    const [one, other] = [await application(), await application()];
    const bearer = await bearerOf(other.consumer);
    const answer = await form('/oauth2/invalidate_token', of(one.consumer), `access_token=${bearer}`);
    expect(answer).toMatchObject({
      status: 403,
      body: { errors: [{ code: 348, message: 'Client application is not permitted to access bearer token' }] },
    });
    expect(await bearerOf(other.consumer)).toBe(bearer);
  });

  it('on an advertising endpoint a valid bearer is 403 code 220, one that was invalidated or never was 401 code 89', async () => {
    const { consumer } = await application();
    const bearer = await bearerOf(consumer);
    const accounts = async (authorization: string) =>
      told(await send(world().url, '/12/accounts', { method: 'GET', headers: { authorization } }));
    expect(await accounts(`Bearer ${bearer}`)).toEqual([403, 220]);
    await form('/oauth2/invalidate_token', of(consumer), `access_token=${bearer}`);
    await world().caughtUp();
    expect(await accounts(`Bearer ${bearer}`)).toEqual([401, 89]);
    for (const unknown of ['Bearer garbage', 'bearer AAAAAAAAAAAAAAAAAAAAAA%2FAA%3DAA'])
      expect(await accounts(unknown)).toEqual([401, 89]);
    for (const malformed of ['Bearer', 'Bearer two words', `Bearer ${'x'.repeat(9000)}`])
      expect(await accounts(malformed)).toEqual([401, 'UNAUTHORIZED_ACCESS']);
  });

  it('signed with an unknown bearer, oauth2/invalidate_token is 401 code 89 too', async () => {
    const { consumer } = await application();
    const bearer = await bearerOf(consumer);
    const ending = async (authorization: string) =>
      told(await form('/oauth2/invalidate_token', authorization, `access_token=${bearer}`));
    expect(await ending('Bearer unknown-but-well-formed')).toEqual([401, 89]);
    expect(await ending(`Bearer ${bearer}`)).toEqual([403, 99]);
  });

  it('a bearer signs nothing', async () => {
    const { consumer } = await application();
    const token = { key: await bearerOf(consumer), secret: '' };
    expect(told(await new Api({ consumer, token }).get('/12/accounts'))).toEqual([401, 89]);
  });
});

describe('the guard of application-only endpoints', () => {
  let refused: ApiError | undefined;

  /** What the guard makes of a request with these headers: the application, or status and code. */
  async function admitted(headers: Record<string, string>, rest: object = {}) {
    const request = { headers, ip: '10.3.0.1', url: '/2/webhooks', ...rest } as Record<string, unknown>;
    const reply = { header: () => reply };
    const http = { getRequest: () => request, getResponse: () => reply };
    const guard = new BearerGuard(world().get(OAuthAdmission), world().get(BearerStrategy));
    try {
      await guard.canActivate({ switchToHttp: () => http } as never);
      return (request.bearer as Bearer).applicationId;
    } catch (error) {
      refused = error as ApiError;
      return [refused.status, refused.code];
    }
  }

  it('has a hint for who signs in place of showing a bearer', async () => {
    expect(await admitted({ authorization: 'OAuth oauth_consumer_key="k"' })).toEqual([401, 215]);
    expect((refused!.hint as () => string)()).toMatch(/takes the bearer token .+; what came is signed with OAuth 1.0a/);
  });

  it('lets the application in, until the bearer is invalidated: then 401 code 89', async () => {
    const { id, consumer } = await application();
    const bearer = await bearerOf(consumer);
    expect(await admitted({ authorization: `Bearer ${bearer}` })).toBe(id);
    expect(await admitted({ authorization: `bearer ${bearer}` })).toBe(id);
    await form('/oauth2/invalidate_token', of(consumer), `access_token=${bearer}`);
    await world().caughtUp();
    expect(await admitted({ authorization: `Bearer ${bearer}` })).toEqual([401, 89]);
  });

  it.each([
    {},
    ...[
      'Bearer',
      'Bearer ',
      'Bearer a b',
      'Bearer \0\0\0\0\0\0\0\0\0\0\0',
      'Basic abcdefghijkl',
      `Bearer ${'x'.repeat(9000)}`,
    ].map((authorization) => ({ authorization })),
  ])('answers 401 code 215 to what is none: %#', async (headers) => {
    expect(await admitted(headers as Record<string, string>)).toEqual([401, 215]);
  });

  it('looks at the header only', async () => {
    const bearer = await bearerOf((await application()).consumer);
    const rest = { query: { access_token: bearer }, body: { access_token: bearer } };
    expect(await admitted({}, rest)).toEqual([401, 215]);
    expect(await admitted({ authorization: 'Bearer unknown-but-well-formed' }, rest)).toEqual([401, 89]);
  });
});
