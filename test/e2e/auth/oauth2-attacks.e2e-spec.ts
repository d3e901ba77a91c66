import { Journal } from '../../../src/workbench/journal/journal.js';
import { KeyRotation } from '../../../src/auth/credentials/key-rotation.js';
import { useApp, world } from '../../support/app.js';
import { send } from '../../support/http.js';
import { logged } from '../../support/logged.js';
import { CALLBACK, Visitor } from './visitor.js';
import {
  ALL,
  asBearer,
  authorizeQuery,
  challengeOf,
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

useApp({ RATE_LIMITS: 'relaxed', TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' });

/** The cases of RFC 9700 that concern a server of codes and refresh tokens; others are in oauth2.e2e-spec.ts. */
describe('attacks on OAuth 2.0', () => {
  const pageOf = async (visitor: Visitor, app: Awaited<ReturnType<typeof oauth2App>>) => {
    const path = `/i/oauth2/authorize?${authorizeQuery(app, newVerifier())}`;
    return { path, visitor: await visitor.get(path) };
  };

  describe('in the browser', () => {
    it('cannot make a user approve: a form of another page has no token of the session', async () => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      const { path } = await pageOf(visitor, app);
      const stranger = await signedIn();
      await stranger.visitor.get(path);
      for (const csrf of ['', 'x', stranger.visitor.csrf]) {
        await visitor.post(path, { csrf, decision: 'approve' });
        expect(visitor.page.status).toBe(403);
        expect(visitor.location).toBe('');
      }
      const without = await new Visitor().post(path, { decision: 'approve' });
      expect([without.page.status, without.location]).toEqual([200, '']);
      expect(without.heading).toContain('Sign in');
    });

    it('cannot frame the page, keep it, or learn its address', async () => {
      const { visitor } = await pageOf((await signedIn()).visitor, await oauth2App());
      expect(visitor.page.headers).toMatchObject({
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      const policy = String(visitor.page.headers['content-security-policy']);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('script-src');
    });

    it('get the code by a redirect that repeats no form, in the query, and without a referrer', async () => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      await decide(visitor, app, newVerifier());
      expect(visitor.page.status).toBe(303);
      expect(visitor.page.text).toBe('');
      expect(visitor.location).not.toContain('#');
      expect(visitor.page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    });

    it('are not sent elsewhere after a sign-in', async () => {
      const { user } = await signedIn();
      for (const next of [
        'https://evil.example/i/oauth2/authorize?a=1',
        '//evil.example/i/oauth2/authorize?a=1',
        '/i/oauth2/authorize/../../evil?a=1',
        '/i/oauth2/authorize?a=1#//evil.example',
        '/i/oauth2/authorize?a=1\\evil',
      ]) {
        const visitor = await new Visitor({ 'x-forwarded-for': '10.3.0.1' }).get('/oauth/sign_in');
        const form = { csrf: visitor.csrf, next, username: user.username, password: 'correct horse battery staple' };
        await visitor.post('/oauth/sign_in', form);
        expect(visitor.location).toBe('/oauth/applications');
      }
    });

    it('escape what the application sent', async () => {
      const app = await oauth2App('public', { name: '"><script>alert(1)</script>' });
      const { visitor } = await signedIn();
      const query = authorizeQuery(app, newVerifier(), { state: '"><script>alert(2)</script>' });
      await visitor.get(`/i/oauth2/authorize?${query}`);
      expect(visitor.page.status).toBe(200);
      expect(visitor.page.text).not.toContain('<script');
    });

    it('refuse parameters that were sent twice', async () => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      const query = authorizeQuery(app, newVerifier());
      await visitor.get(`/i/oauth2/authorize?${query}&redirect_uri=https%3A%2F%2Fevil.example`);
      expect([visitor.page.status, visitor.location]).toEqual([400, '']);
      await visitor.get(`/i/oauth2/authorize?${query}&state=other`);
      expect(outcomeOf(visitor)).toMatchObject({ to: CALLBACK, error: 'invalid_request' });
    });
  });

  describe('with codes', () => {
    it('cannot downgrade a challenge: its method is that of the approval', async () => {
      const app = await oauth2App();
      const { visitor } = await signedIn();
      const verifier = newVerifier();
      const { code } = await decide(visitor, app, verifier);
      const downgraded = { code_challenge_method: 'plain', code_challenge: challengeOf(verifier) };
      expect((await exchange(app, code, challengeOf(verifier), downgraded)).status).toBe(400);
    });

    it('cannot leave the verifier out, or inject a code into the session of another', async () => {
      const app = await oauth2App();
      const [victim, attacker] = [await signedIn(), await signedIn()];
      const [verifier, own] = [newVerifier(), newVerifier()];
      const { code } = await decide(victim.visitor, app, verifier);
      await decide(attacker.visitor, app, own);
      expect((await exchange(app, code, verifier, { code_verifier: undefined })).status).toBe(400);
      expect((await exchange(app, code, own)).status).toBe(400);
    });

    it('cannot be mixed up: the callback names the issuer, and the code is for one client and one callback', async () => {
      const callbacks = [CALLBACK, 'https://client.example/two'];
      const app = await oauth2App('public', { callbacks });
      const { visitor } = await signedIn();
      const verifier = newVerifier();
      const { code, iss } = await decide(visitor, app, verifier);
      const { body } = await send(world().url, '/.well-known/oauth-authorization-server', { method: 'GET' });
      expect(iss).toBe(body.issuer);
      expect(body.authorization_response_iss_parameter_supported).toBe(true);
      expect((await exchange(app, code, verifier, { redirect_uri: callbacks[1] })).status).toBe(400);
    });
  });

  describe('with tokens', () => {
    it('cannot use a token that is not in the header', async () => {
      const { tokens } = await connect(await oauth2App());
      const path = `/12/accounts?access_token=${tokens.access_token}`;
      expect((await send(world().url, path, { method: 'GET' })).status).toBe(401);
    });

    it('cannot use a refresh token, a code or a client secret as an access token, or an access token to refresh', async () => {
      const app = await oauth2App('confidential');
      const { tokens, code } = await connect(app);
      for (const text of [tokens.refresh_token, code, app.clientSecret!, app.clientId])
        expect((await asBearer(text, 'GET', '/12/accounts')).status).toBe(401);
      expect((await refresh(app, tokens.access_token)).status).toBe(400);
    });

    it('cannot use the tokens of a user for the application, its webhooks or the workbench', async () => {
      const { tokens } = await connect(await oauth2App());
      expect((await asBearer(tokens.access_token, 'GET', '/2/webhooks')).status).toBe(401);
      expect((await asBearer(tokens.access_token, 'GET', '/workbench/requests')).status).toBe(403);
    });

    it('cannot use a refresh token of a confidential client without its secret', async () => {
      const app = await oauth2App('confidential');
      const { tokens } = await connect(app);
      const thief = { id: app.id, clientId: app.clientId };
      expect((await refresh(thief, tokens.refresh_token)).status).toBe(401);
      expect((await oauth2Post('/2/oauth2/revoke', thief, { token: tokens.access_token })).status).toBe(401);
      expect((await refresh(app, tokens.refresh_token)).status).toBe(200);
    });

    it('are not told apart by a revocation', async () => {
      const [app, other] = [await oauth2App(), await oauth2App()];
      const { tokens } = await connect(app);
      const answers = await Promise.all(
        [tokens.access_token, tokens.refresh_token, 'unknown'].map((token) =>
          oauth2Post('/2/oauth2/revoke', other, { token }),
        ),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    });

    it('find no secret in the journal of the application', async () => {
      const app = await oauth2App('confidential');
      const { tokens, verifier } = await connect(app);
      await refresh(app, tokens.refresh_token);
      await oauth2Post('/2/oauth2/revoke', app, { token: tokens.access_token });
      await asBearer(tokens.access_token, 'GET', '/12/accounts');
      await world().get(Journal).settle(app.id);
      const text = JSON.stringify(await world().sql('SELECT * FROM journaled_requests'));
      expect(text).toContain('/2/oauth2/token');
      for (const secret of [tokens.access_token, tokens.refresh_token, verifier, app.clientSecret!])
        expect(text).not.toContain(secret);
    });

    it('find no secret in the log', async () => {
      const app = await oauth2App('confidential');
      const secrets: string[] = [app.clientSecret!];
      const text = await logged(async () => {
        const { tokens, code, verifier } = await connect(app);
        const next = await refresh(app, tokens.refresh_token);
        await refresh(app, 'unknown');
        await asBearer(next.body.access_token, 'GET', '/12/accounts');
        secrets.push(code, verifier, ...Object.values(tokens).filter((each) => String(each).length === 100));
      });
      expect(text).toContain('/2/oauth2/token');
      for (const secret of secrets) expect(text).not.toContain(secret);
    });

    it('stay valid when the master key is rotated', async () => {
      const app = await oauth2App();
      const { tokens } = await connect(app, ALL);
      const first = await refresh(app, tokens.refresh_token);
      await world().get(KeyRotation).rotate();
      expect((await refresh(app, tokens.refresh_token)).body).toEqual(first.body);
    });
  });
});
