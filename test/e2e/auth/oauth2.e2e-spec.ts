import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import { BearersService } from '../../../src/auth/bearers/bearers.service.js';
import { RemovalService } from '../../../src/auth/removal.service.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import type { Scope } from '../../../src/auth/credentials/scopes.js';
import { hashOfSecret } from '../../../src/auth/credentials/tokens.js';
import { ExpiredRowsJob } from '../../../src/auth/expired-rows.job.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { send } from '../../support/http.js';
import { application, CALLBACK, Visitor } from './visitor.js';
import {
  ALL,
  asBearer,
  AUTHORIZE_PATHS,
  authorizeQuery,
  connect,
  decide,
  exchange,
  newVerifier,
  oauth2App,
  oauth2Post,
  outcomeOf,
  refresh,
  signedIn,
} from './oauth2-client.js';

useApp({ RATE_LIMITS: 'relaxed', TRUST_PROXY: '127.0.0.1' });

const accounts = (token: string) => asBearer(token, 'GET', '/12/accounts');
const statusOf = async (token: string) => {
  await world().caughtUp();
  return (await accounts(token)).status;
};
const INVALID_CODE = {
  error: 'invalid_request',
  error_description: 'Value passed for the authorization code was invalid.',
};
const INVALID_TOKEN = { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' };

describe('OAuth 2.0 of users', () => {
  describe('the page', () => {
    it('names the application, its owner, the callback, the user and the scopes, and always asks', async () => {
      const app = await oauth2App();
      const { visitor, user } = await signedIn();
      for (const path of AUTHORIZE_PATHS) {
        await visitor.get(`${path}?${authorizeQuery(app, newVerifier(), { scope: 'ads.read offline.access' })}`);
        expect(visitor.page.status).toBe(200);
        expect(visitor.heading).toBe('Let A Client use your account?');
        expect(visitor.page.text).toContain('client.example');
        expect(visitor.page.text).toContain(`@${user.username}`);
        expect(visitor.page.text).toContain('see your ad accounts');
        expect(visitor.page.text).not.toContain('create, change and delete');
      }
      await decide(visitor, app, newVerifier());
      await visitor.get(`/i/oauth2/authorize?${authorizeQuery(app, newVerifier())}`);
      expect(visitor.page.status).toBe(200);
    });

    it('asks for a sign-in first, and comes back to the same request', async () => {
      const app = await oauth2App();
      const { user } = await signedIn();
      const visitor = new Visitor();
      const path = `/i/oauth2/authorize?${authorizeQuery(app, newVerifier(), { state: "it's (~a) *state* +&=" })}`;
      await visitor.get(path);
      expect(visitor.heading).toBe('Sign in to continue to A Client');
      const next = /name="next" value="([^"]*)"/.exec(visitor.page.text)![1].replaceAll('&amp;', '&');
      await visitor.post('/oauth/sign_in', {
        csrf: visitor.csrf,
        next,
        username: user.username,
        password: 'correct horse battery staple',
      });
      expect(visitor.page.status).toBe(303);
      expect(visitor.location).toMatch(/^\/i\/oauth2\/authorize\?/);
      await visitor.get(visitor.location);
      expect(visitor.heading).toBe('Let A Client use your account?');
      await visitor.post(path, { csrf: visitor.csrf, decision: 'approve' });
      expect(outcomeOf(visitor)).toMatchObject({ to: CALLBACK, state: "it's (~a) *state* +&=" });
    });

    it('sends the browser back with code, state and issuer, or with access_denied', async () => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      expect(await decide(visitor, app, newVerifier())).toEqual({
        to: CALLBACK,
        state: 'a state',
        code: expect.stringMatching(/^\w{50}$/),
        iss: world().config.baseUrl.href.replace(/\/$/, ''),
      });
      expect(visitor.page.status).toBe(303);
      expect(await decide(visitor, app, newVerifier(), {}, 'cancel')).toMatchObject({
        to: CALLBACK,
        state: 'a state',
        error: 'access_denied',
      });
    });

    it.each([
      ['an unknown client', { client_id: 'nobody' }],
      ['no client', { client_id: undefined }],
      ['no callback', { redirect_uri: undefined }],
      ['another host', { redirect_uri: 'https://evil.example/back' }],
      ['a longer path', { redirect_uri: `${CALLBACK}/more` }],
      ['a query', { redirect_uri: `${CALLBACK}?a=1` }],
      ['other letters', { redirect_uri: CALLBACK.replace('back', 'Back') }],
      ['a user before the host', { redirect_uri: 'https://client.example@evil.example/back' }],
      ['a path back', { redirect_uri: `${CALLBACK}/../back` }],
    ])('never redirects for %s', async (_, rest) => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      const query = authorizeQuery(app, newVerifier(), rest);
      for (const path of AUTHORIZE_PATHS) {
        await visitor.get(`${path}?${query}`);
        expect([visitor.page.status, visitor.location]).toEqual([400, '']);
        await visitor.post(`${path}?${query}`, { csrf: visitor.csrf, decision: 'approve' });
        expect([visitor.page.status, visitor.location]).toEqual([400, '']);
      }
    });

    it.each([
      ['response_type', { response_type: undefined }, 'invalid_request'],
      ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
      ['state', { state: undefined }, 'invalid_request'],
      ['a long state', { state: 'x'.repeat(501) }, 'invalid_request'],
      ['scope', { scope: undefined }, 'invalid_request'],
      ['an unknown scope', { scope: 'ads.read dm.read' }, 'invalid_scope'],
      ['code_challenge', { code_challenge: undefined }, 'invalid_request'],
      ['code_challenge_method', { code_challenge_method: undefined }, 'invalid_request'],
      ['an unknown method', { code_challenge_method: 'S512' }, 'invalid_request'],
      ['a short challenge', { code_challenge: 'abc', code_challenge_method: 'plain' }, 'invalid_request'],
      ['a challenge that is no hash', { code_challenge: 'a'.repeat(44) }, 'invalid_request'],
    ])('sends the browser back for %s', async (_, rest, error) => {
      const app = await oauth2App();
      const visitor = new Visitor();
      for (const path of AUTHORIZE_PATHS) {
        await visitor.get(`${path}?${authorizeQuery(app, newVerifier(), rest)}`);
        expect(outcomeOf(visitor)).toMatchObject({ to: CALLBACK, error });
        expect(outcomeOf(visitor).state).toBe('state' in rest ? undefined : 'a state');
      }
    });

    it('gives only the scopes that the application is registered for, and none to write to one that reads', async () => {
      const narrow = await oauth2App('public', {}, ['ads.read']);
      const reader = await oauth2App('public', { accessLevel: 'read' });
      const { visitor } = await signedIn();
      await visitor.get(
        `/i/oauth2/authorize?${authorizeQuery(narrow, newVerifier(), { scope: 'ads.read ads.write' })}`,
      );
      expect(outcomeOf(visitor)).toMatchObject({ error: 'invalid_scope' });
      const { tokens } = await connect(reader, 'ads.read ads.write');
      expect(tokens.scope).toBe('ads.read');
      await visitor.get(`/i/oauth2/authorize?${authorizeQuery(reader, newVerifier(), { scope: 'ads.write' })}`);
      expect(outcomeOf(visitor)).toMatchObject({ error: 'invalid_scope' });
    });

    it('lets public clients choose the port of a loopback address, and no others', async () => {
      const callbacks = ['http://127.0.0.1/callback'];
      const { visitor } = await signedIn();
      const open = async (type: 'public' | 'confidential', redirect_uri: string) => {
        const app = await oauth2App(type, { callbacks });
        await visitor.get(`/i/oauth2/authorize?${authorizeQuery(app, newVerifier(), { redirect_uri })}`);
        return visitor.page.status;
      };
      expect(await open('public', 'http://127.0.0.1:53682/callback')).toBe(200);
      expect(await open('public', 'http://127.0.0.1:53682/other')).toBe(400);
      expect(await open('public', 'http://127.0.0.1:99999/callback')).toBe(400);
      expect(await open('public', 'http://localhost:53682/callback')).toBe(400);
      expect(await open('public', 'https://127.0.0.1:53682/callback')).toBe(400);
      expect(await open('confidential', 'http://127.0.0.1:53682/callback')).toBe(400);
    });
  });

  describe('the exchange of codes', () => {
    it('gives the tokens of the user to a public client', async () => {
      const app = await oauth2App();
      const { answer } = await connect(app);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        token_type: 'bearer',
        expires_in: 7200,
        access_token: expect.stringMatching(/^\w{100}$/),
        refresh_token: expect.stringMatching(/^\w{100}$/),
        scope: ALL,
      });
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      expect(await statusOf(answer.body.access_token)).toBe(200);
    });

    it('gives them to a confidential client with its secret in the header, and with no client_id or the same', async () => {
      const app = await oauth2App('confidential');
      const { visitor } = await signedIn();
      for (const rest of [{}, { client_id: app.clientId }]) {
        const verifier = newVerifier();
        const { code } = await decide(visitor, app, verifier);
        expect((await exchange(app, code, verifier, rest)).status).toBe(200);
      }
    });

    it('has no refresh token without offline.access', async () => {
      const { tokens } = await connect(await oauth2App(), 'ads.read');
      expect(tokens.refresh_token).toBeUndefined();
    });

    it('accepts a plain challenge', async () => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      const verifier = newVerifier();
      const { code } = await decide(visitor, app, verifier, {
        code_challenge: verifier,
        code_challenge_method: 'plain',
      });
      expect((await exchange(app, code, verifier)).status).toBe(200);
    });

    it.each([
      ['no grant type', { grant_type: undefined }, 'Missing required parameter [grant_type].'],
      ['another grant type', { grant_type: 'password' }, /Grant type should be one of/],
      ['no code', { code: undefined }, 'Missing required parameter [code].'],
      [
        'neither callback nor verifier',
        { redirect_uri: undefined, code_verifier: undefined },
        /\[redirect_uri, code_verifier\]/,
      ],
      ['an unknown code', { code: 'x'.repeat(50) }, INVALID_CODE.error_description],
      ['a code with a control character', { code: 'x\u0001' }, INVALID_CODE.error_description],
      ['another callback', { redirect_uri: 'https://client.example/other' }, /redirect uri/],
      ['another verifier', { code_verifier: newVerifier() }, /code verifier/],
      ['a short verifier', { code_verifier: 'short' }, /code verifier/],
    ])('is refused for %s', async (_, rest, description) => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      const verifier = newVerifier();
      const { code } = await decide(visitor, app, verifier);
      const { status, body } = await exchange(app, code, verifier, rest);
      expect({ status, body }).toEqual({
        status: 400,
        body: {
          error: 'invalid_request',
          error_description: typeof description === 'string' ? description : expect.stringMatching(description),
        },
      });
    });

    it('ends a code that comes with a wrong verifier, so that nobody can try several', async () => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      const verifier = newVerifier();
      const { code } = await decide(visitor, app, verifier);
      expect((await exchange(app, code, newVerifier())).status).toBe(400);
      expect((await exchange(app, code, verifier)).body).toEqual(INVALID_CODE);
    });

    it('refuses a code after 30 seconds', async () => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      const verifier = newVerifier();
      const { code } = await decide(visitor, app, verifier);
      world().clock.advance(30_001);
      expect((await exchange(app, code, verifier)).body).toEqual(INVALID_CODE);
    });

    it('revokes what a code gave when it is used again, also later', async () => {
      const app = await oauth2App();
      for (const ms of [0, 60_000]) {
        const { tokens, code, verifier } = await connect(app);
        world().clock.advance(ms);
        expect((await exchange(app, code, verifier)).body).toEqual(INVALID_CODE);
        expect(await statusOf(tokens.access_token)).toBe(401);
        expect((await refresh(app, tokens.refresh_token)).body).toEqual(INVALID_TOKEN);
      }
    });

    it('gives tokens once to many at the same time, and revokes them', async () => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      const verifier = newVerifier();
      const { code } = await decide(visitor, app, verifier);
      const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(app, code, verifier)));
      const given = answers.filter(({ status }) => status === 200);
      expect(given).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(7);
      expect(await statusOf(given[0].body.access_token)).toBe(401);
    });

    it('does not end the code of another client, nor what it gave', async () => {
      const [app, other] = [await oauth2App(), await oauth2App()];
      const { visitor } = await signedIn();
      const verifier = newVerifier();
      const { code } = await decide(visitor, app, verifier);
      expect((await exchange(other, code, verifier)).body).toEqual(INVALID_CODE);
      const { body } = await exchange(app, code, verifier);
      expect((await exchange(other, code, verifier)).body).toEqual(INVALID_CODE);
      expect((await refresh(other, body.refresh_token)).body).toEqual(INVALID_TOKEN);
      expect(await statusOf(body.access_token)).toBe(200);
    });
  });

  describe('clients', () => {
    const verifier = newVerifier();
    const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK, code_verifier: verifier };

    it('have to be known', async () => {
      const unknown = { id: '', clientId: 'nobody' };
      expect(await oauth2Post('/2/oauth2/token', unknown, form)).toMatchObject({
        status: 400,
        body: { error: 'invalid_client' },
      });
      expect(await oauth2Post('/2/oauth2/token', { ...unknown, clientSecret: 'x' }, form)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
        headers: { 'www-authenticate': expect.stringMatching(/^Basic /) },
      });
      expect(await oauth2Post('/2/oauth2/token', unknown, { ...form, client_id: undefined })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', error_description: 'Missing required parameter [client_id].' },
      });
    });

    it('and codes and tokens are unknown where they are texts that none can be', async () => {
      const app = await oauth2App();
      const post = (path: string, body: string, headers: Record<string, string> = {}) =>
        send(world().url, `/2/oauth2/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body,
        });
      const unknown = { status: 400, body: { error: 'invalid_client' } };
      const invalid = { status: 400, body: { error: 'invalid_request' } };
      for (const text of ['%00', 'a%00b', '%ED%A0%80', '%FF', '%C3%A9', '%F0%9F%98%80', '%', 'x'.repeat(5_000)]) {
        const refreshing = 'grant_type=refresh_token&refresh_token=';
        expect(await post('token', `${refreshing}x&client_id=${text}`)).toMatchObject(unknown);
        expect(await post('revoke', `token=x&client_id=${text}`)).toMatchObject(unknown);
        const page = await send(world().url, `/i/oauth2/authorize?client_id=${text}`, { method: 'GET' });
        expect(page.status).toBe(400);

        const own = `client_id=${app.clientId}`;
        expect(await post('token', `${own}&${refreshing}${text}`)).toMatchObject(invalid);
        expect(await post('token', `${own}&${refreshing}x&scope=${text}`)).toMatchObject({ status: 400 });
        const code = `grant_type=authorization_code&code=${text}&redirect_uri=${text}&code_verifier=${text}`;
        expect(await post('token', `${own}&${code}`)).toMatchObject(invalid);
        expect(await post('revoke', `${own}&token=${text}`)).toMatchObject({ status: 200, body: { revoked: true } });
      }
      for (const pair of [
        '\0:x',
        'a\0b:x',
        '%00:x',
        'a%00b:x',
        `${app.clientId}:\0`,
        'é:x',
        `${'x'.repeat(1_000)}:x`,
      ]) {
        const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
        expect(await post('token', 'grant_type=refresh_token&refresh_token=x', { authorization })).toMatchObject({
          status: 401,
        });
      }
    });

    it('that are confidential authenticate by Basic alone', async () => {
      const app = await oauth2App('confidential');
      const refusal = {
        status: 401,
        body: { error: 'unauthorized_client', error_description: 'Missing valid authorization header' },
      };
      const bare = { id: app.id, clientId: app.clientId };
      expect(await oauth2Post('/2/oauth2/token', bare, form)).toMatchObject(refusal);
      expect(await oauth2Post('/2/oauth2/token', bare, { ...form, client_secret: app.clientSecret })).toMatchObject(
        refusal,
      );
      expect(await oauth2Post('/2/oauth2/token', { ...app, clientSecret: 'wrong' }, form)).toMatchObject(refusal);
      expect(await oauth2Post('/2/oauth2/token', app, form)).toMatchObject({ status: 400, body: INVALID_CODE });
    });

    it('lose a secret that is replaced', async () => {
      const app = await oauth2App('confidential');
      const { clientSecret } = (await world().get(ApplicationsService).rotateClientSecret(app.id))!;
      expect((await oauth2Post('/2/oauth2/token', app, form)).status).toBe(401);
      expect((await oauth2Post('/2/oauth2/token', { ...app, clientSecret }, form)).status).toBe(400);
    });

    it('send parameters in the body only, each once', async () => {
      const app = await oauth2App();
      const query = new URLSearchParams({ ...form, client_id: app.clientId }).toString();
      expect((await oauth2Post(`/2/oauth2/token?${query}`, app, {})).body).toMatchObject({
        error_description: 'Missing required parameter [grant_type].',
      });
    });
  });

  describe('refreshes', () => {
    it('rotate: each gives the next token', async () => {
      const app = await oauth2App();
      const { tokens } = await connect(app);
      const next = await refresh(app, tokens.refresh_token);
      expect(next.body).toMatchObject({ token_type: 'bearer', expires_in: 7200, scope: ALL });
      expect(next.body.refresh_token).not.toBe(tokens.refresh_token);
      expect(await statusOf(next.body.access_token)).toBe(200);
      expect((await refresh(app, next.body.refresh_token)).status).toBe(200);
    });

    it('repeat the same answer for ten seconds, because it may have been lost', async () => {
      const app = await oauth2App('confidential');
      const { tokens } = await connect(app);
      const first = await refresh(app, tokens.refresh_token);
      world().clock.advance(9_000);
      const again = await refresh(app, tokens.refresh_token);
      expect(again.status).toBe(200);
      expect(again.body).toEqual(first.body);
      const { scope } = first.body;
      expect((await refresh(app, tokens.refresh_token, { scope })).body).toEqual(first.body);
      const fewer = await refresh(app, tokens.refresh_token, { scope: 'ads.read' });
      expect(fewer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
      expect(await statusOf(first.body.access_token)).toBe(200);
      const stored = await world().sql<{ sealedAnswer: string }>(
        'SELECT "sealedAnswer" FROM oauth2_tokens WHERE "sealedAnswer" IS NOT NULL',
      );
      expect(JSON.stringify(stored)).not.toContain(first.body.access_token);
      world().clock.advance(2_000);
      await world().get(ExpiredRowsJob).deleteExpired();
      const left = 'SELECT id FROM oauth2_tokens WHERE "sealedAnswer" IS NOT NULL';
      expect(await world().sql(left)).toEqual([]);
    });

    it('are kept for seven days after their use, in which they revoke the grant', async () => {
      const app = await oauth2App();
      const { tokens } = await connect(app);
      const { body: next } = await refresh(app, tokens.refresh_token);
      const used = async () =>
        (await world().sql('SELECT FROM oauth2_tokens WHERE id = $1', hashOfSecret(tokens.refresh_token))).length;
      world().clock.advance(7 * 86_400_000 - 60_000);
      await world().get(ExpiredRowsJob).deleteExpired();
      expect(await used()).toBe(1);
      world().clock.advance(120_000);
      await world().get(ExpiredRowsJob).deleteExpired();
      expect(await used()).toBe(0);
      expect((await refresh(app, tokens.refresh_token)).body).toEqual(INVALID_TOKEN);
      expect((await refresh(app, next.refresh_token)).status).toBe(200);
    });

    it('give one answer to many at the same time', async () => {
      const app = await oauth2App();
      const { tokens } = await connect(app);
      const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(app, tokens.refresh_token)));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0].status).toBe(200);
    });

    it('revoke the grant when an old token is used: after ten seconds, or once the next one was used', async () => {
      const app = await oauth2App();
      for (const isLate of [true, false]) {
        const { tokens } = await connect(app);
        const { body: next } = await refresh(app, tokens.refresh_token);
        if (isLate) world().clock.advance(10_001);
        else await refresh(app, next.refresh_token);
        expect((await refresh(app, tokens.refresh_token)).body).toEqual(INVALID_TOKEN);
        expect(await statusOf(next.access_token)).toBe(401);
        expect((await refresh(app, next.refresh_token)).body).toEqual(INVALID_TOKEN);
      }
    });

    it('can ask for fewer scopes, for this access token only, and never for more', async () => {
      const app = await oauth2App();
      const { tokens } = await connect(app, 'ads.read ads.write offline.access');
      const fewer = await refresh(app, tokens.refresh_token, { scope: 'ads.read ads.read ads.read' });
      expect(fewer.body.scope).toBe('ads.read');
      const more = await refresh(app, fewer.body.refresh_token, { scope: 'ads.read media.write' });
      expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
      // a mistake does not use up the token
      const again = await refresh(app, fewer.body.refresh_token, { scope: '' });
      expect(again).toMatchObject({ status: 200, body: { scope: 'ads.read ads.write offline.access' } });
      expect(await statusOf(again.body.access_token)).toBe(200);
    });

    it('give no scopes that were taken from the application, and nothing if none is left', async () => {
      const app = await oauth2App();
      const { tokens } = await connect(app, 'ads.read ads.write offline.access');
      const register = (...scopes: Scope[]) => world().get(ApplicationsService).setClient(app.id, 'public', scopes);
      await register('ads.read', 'media.write', 'offline.access');
      await world().caughtUp();
      const left = await refresh(app, tokens.refresh_token);
      expect(left).toMatchObject({ status: 200, body: { scope: 'ads.read offline.access' } });
      await register('users.read');
      await world().caughtUp();
      expect((await refresh(app, left.body.refresh_token)).body).toEqual(INVALID_TOKEN);
    });

    it('end after 180 days', async () => {
      const app = await oauth2App();
      const { tokens } = await connect(app);
      world().clock.advance(180 * 86_400_000 + 1);
      expect((await refresh(app, tokens.refresh_token)).body).toEqual(INVALID_TOKEN);
    });
  });

  describe('tokens', () => {
    it('end after two hours', async () => {
      const { tokens } = await connect(await oauth2App());
      expect(await statusOf(tokens.access_token)).toBe(200);
      world().clock.advance(7_200_001);
      expect(await statusOf(tokens.access_token)).toBe(401);
    });

    it('end with the next sign-in of the same user and application, and with no other', async () => {
      const [app, other] = [await oauth2App(), await oauth2App()];
      const person = await signedIn();
      const [first, elsewhere, someone] = [
        await connect(app, ALL, person),
        await connect(other, ALL, person),
        await connect(app),
      ];
      // processes remember it from then on
      for (let replica = 0; replica < 2; replica++) expect(await statusOf(first.tokens.access_token)).toBe(200);
      const second = await connect(app, ALL, person);
      expect(await statusOf(first.tokens.access_token)).toBe(401);
      expect((await refresh(app, first.tokens.refresh_token)).body).toEqual(INVALID_TOKEN);
      for (const { tokens } of [second, elsewhere, someone]) expect(await statusOf(tokens.access_token)).toBe(200);
    });

    it('are revoked by their client alone; any text is answered alike', async () => {
      const [app, other] = [await oauth2App(), await oauth2App('confidential')];
      const revoke = (by: typeof app, token?: string) =>
        oauth2Post('/2/oauth2/revoke', by, { token, token_type_hint: 'access_token' });
      const { tokens } = await connect(app);
      const done = { status: 200, body: { revoked: true } };
      expect(await revoke(other, tokens.access_token)).toMatchObject(done);
      expect(await revoke(app, 'unknown')).toMatchObject(done);
      expect(await statusOf(tokens.access_token)).toBe(200);
      expect(await revoke(app, tokens.refresh_token)).toMatchObject(done);
      expect(await statusOf(tokens.access_token)).toBe(401);
      expect(await revoke(app, undefined)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    });

    it('end with the user, their suspension, their decision and the application', async () => {
      const app = await oauth2App();
      const suspended = await connect(app);
      const access = suspended.tokens.access_token;
      expect(await statusOf(access)).toBe(200);
      await world().get(RemovalService).suspendUser(suspended.user.id);
      expect(await statusOf(access)).toBe(401);
      expect((await refresh(app, suspended.tokens.refresh_token)).status).toBe(400);
      await world().get(RemovalService).restoreUser(suspended.user.id);
      expect(await statusOf(access)).toBe(200);

      const disconnected = await connect(app);
      const { visitor } = disconnected;
      await visitor.get('/oauth/applications');
      await visitor.post('/oauth/applications', { csrf: visitor.csrf, application_id: app.id });
      expect(await statusOf(disconnected.tokens.access_token)).toBe(401);

      const deleted = await connect(app);
      expect(await world().get(UserRemoval).delete(deleted.user.id)).toMatchObject({ grants: 1 });
      expect(await statusOf(deleted.tokens.access_token)).toBe(401);
      await world().get(UserRemoval).finish(deleted.user.id);
      const left = 'SELECT id FROM oauth2_grants WHERE "userId" = $1';
      expect(await world().sql(left, deleted.user.id)).toEqual([]);

      const last = await connect(app);
      expect(await world().get(RemovalService).deleteApplication(app)).toMatchObject({ grants: 2 });
      expect(await statusOf(last.tokens.access_token)).toBe(401);
    });

    it('show since when the application has them, which begins anew after a revocation', async () => {
      const visit = await signedIn();
      const app = await oauth2App();
      const since = async () => {
        const { text } = (await visit.visitor.get('/oauth/applications')).page;
        return Date.parse(/since <time datetime="([^"]+)"/.exec(text)![1]);
      };
      await connect(app, ALL, visit);
      const first = await since();
      world().clock.advance(60_000);
      const { tokens } = await connect(app, ALL, visit);
      expect(await since()).toBe(first);
      await oauth2Post('/2/oauth2/revoke', app, { token: tokens.access_token });
      await connect(app, ALL, visit);
      expect(await since()).toBeGreaterThanOrEqual(first + 60_000);
    });

    it('end with an application that very many users approved', async () => {
      const app = await oauth2App();
      const { tokens } = await connect(app);
      const many = 20_000;
      await world().sql(
        `INSERT INTO oauth2_grants (id, "userId", "applicationId", scopes, generation, "createdAt", "approvedAt")
         SELECT $1::varchar || '-' || n, 'user' || n, $1::varchar, '{ads.read}', 1, '2026-01-01', '2026-01-01'
         FROM generate_series(1, $2::int) n`,
        app.id,
        many,
      );
      await world().sql(
        `INSERT INTO access_tokens
           (id, lookup, "sealedToken", "sealedSecret", "userId", "applicationId", "accessLevel", source, "createdAt")
         SELECT $1::varchar || '-' || n, $1::varchar || '-' || n, '', '', 'user' || n, $1::varchar, 'write', 'flow', '2026-01-01'
         FROM generate_series(1, $2::int) n`,
        app.id,
        many,
      );
      const ended = await world().get(RemovalService).deleteApplication(app);
      expect(ended).toMatchObject({ accessTokens: many, grants: many + 1 });
      expect(await statusOf(tokens.access_token)).toBe(401);
      const events = 'SELECT count(*)::int AS n FROM outgoing_events WHERE "applicationId" = $1';
      expect(await world().sql(events, app.id)).toEqual([{ n: 2 * many + 1 }]);
    });

    it('and codes are stored as hashes', async () => {
      const { tokens, code } = await connect(await oauth2App());
      const stored = await world().sql('SELECT * FROM oauth2_tokens');
      const text = JSON.stringify([stored, await world().sql('SELECT * FROM oauth2_codes')]);
      for (const secret of [tokens.access_token, tokens.refresh_token, code]) expect(text).not.toContain(secret);
    });
  });

  describe('requests with a token', () => {
    it('reach the accounts of the user, with the scopes that the endpoint needs', async () => {
      const { user, account } = await given.advertiser();
      const grantFor = async (scope: string) => {
        const app = await oauth2App();
        const person = await signedIn();
        return (await connect(app, scope, person)).tokens.access_token;
      };
      const [reader, writer] = [await grantFor('ads.read'), await grantFor('ads.write')];
      expect((await accounts(reader)).status).toBe(200);
      expect(await accounts(writer)).toMatchObject({
        status: 403,
        body: { errors: [{ code: 'INSUFFICIENT_USER_AUTHORIZED_PERMISSION' }] },
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="ads.read"' },
      });
      // somebody else's account does not exist
      expect((await asBearer(reader, 'GET', `/12/accounts/${account.id}`)).status).toBe(404);
      expect(user.id).toBeDefined();
    });

    it('are refused with the token of an application, an unknown one, or none', async () => {
      const { id } = await application();
      const bearer = await world().get(BearersService).issue(id);
      expect(await accounts(bearer)).toMatchObject({ status: 403, body: { errors: [{ code: 220 }] } });
      const refused = await accounts('unknown');
      expect(refused).toMatchObject({ status: 401, body: { errors: [{ code: 89 }] } });
      expect(refused.headers['www-authenticate']).toMatch(
        /^Bearer error="invalid_token", resource_metadata="http.*\/\.well-known\/oauth-protected-resource"$/,
      );
    });

    it('are refused while the application may not use the API, or may only read', async () => {
      const app = await oauth2App();
      const { tokens } = await connect(app);
      const applications = world().get(ApplicationsService);
      await applications.update(app.id, { adsAccess: false });
      await world().caughtUp();
      expect((await accounts(tokens.access_token)).body.errors[0].code).toBe('UNAUTHORIZED_CLIENT_APPLICATION');
      await applications.update(app.id, { adsAccess: true, accessLevel: 'read' });
      await world().caughtUp();
      expect((await accounts(tokens.access_token)).status).toBe(200);
      const write = await asBearer(tokens.access_token, 'POST', '/sandbox/12/accounts');
      expect(write).toMatchObject({ status: 403, body: { errors: [{ code: 'READONLY_CLIENT_APPLICATION' }] } });
    });
  });
});
