import { CredentialsService } from '../../../src/auth/credentials/credentials.service.js';
import { useApp, world } from '../../support/app.js';
import { Api } from '../../support/api.js';
import { given } from '../../support/given.js';
import {
  accessToken,
  application,
  CALLBACK,
  flow,
  formOf,
  library,
  pairOf,
  requestToken,
  signedIn,
  signedPost,
  Visitor,
  person,
  type Signature,
} from './visitor.js';

useApp();

const outcomeOf = (location: string) => Object.fromEntries(new URL(location).searchParams);

describe('the three-legged flow, PIN mode', () => {
  it('gives an access token that works (library oauth)', async () => {
    const { consumer } = await application();
    const { user, visitor } = await signedIn();
    const client = library(consumer, 'oob');

    const token = await client.requestToken();
    expect(token.confirmed).toBe('true');
    await visitor.decide(token.key);
    expect(visitor.pin).toMatch(/^\d{7}$/);
    const access = await client.accessToken(token, visitor.pin);

    expect(access).toMatchObject({ userId: user.id, screenName: user.username });
    expect(access.key).toMatch(new RegExp(`^${user.id}-[A-Za-z0-9]{40}$`));
    const account = await given.account({ userId: user.id });
    const { status } = await new Api({ consumer, token: access }).get(`/12/accounts/${account.id}`);
    expect(status).toBe(200);
  });

  it('gives an access token that works (library oauth-1.0a)', async () => {
    const { consumer } = await application();
    const { user, visitor } = await signedIn();
    const answer = await flow(consumer, visitor);

    expect(answer.status).toBe(200);
    expect(formOf(answer)).toMatchObject({ user_id: user.id, screen_name: user.username });
    expect((await new Api({ consumer, token: pairOf(answer) }).get('/12/accounts')).status).toBe(200);
  });

  it('answers text that no client takes for JSON, and never stored on the way', async () => {
    const { consumer } = await application();
    const answer = await requestToken(consumer);

    expect(answer.headers).toMatchObject({
      'content-type': expect.not.stringContaining('json') as string,
      'cache-control': 'no-store',
    });
    expect(Object.keys(formOf(answer))).toEqual(['oauth_token', 'oauth_token_secret', 'oauth_callback_confirmed']);
    expect(formOf(answer).oauth_callback_confirmed).toBe('true');
  });
});

describe('the three-legged flow, callback mode', () => {
  it('returns to the callback with token and verifier, its own query kept (library oauth)', async () => {
    const { consumer } = await application();
    const { user, visitor } = await signedIn();
    const client = library(consumer, `${CALLBACK}?state=a%20b`);

    const token = await client.requestToken();
    await visitor.decide(token.key);
    expect(visitor.page.status).toBe(302);
    expect(visitor.location.startsWith(`${CALLBACK}?state=a%20b&`)).toBe(true);
    const { oauth_token, oauth_verifier, state } = outcomeOf(visitor.location);
    expect({ oauth_token, state }).toEqual({ oauth_token: token.key, state: 'a b' });
    expect(await client.accessToken(token, oauth_verifier)).toMatchObject({ userId: user.id });
  });

  it('takes oauth_callback and oauth_verifier from form bodies too (oauth-1.0a)', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await signedPost('/oauth/request_token', { consumer, form: { oauth_callback: CALLBACK } }));
    await visitor.decide(token.key);
    const { oauth_verifier } = outcomeOf(visitor.location);
    const answer = await signedPost('/oauth/access_token', { consumer, token, form: { oauth_verifier } });
    expect(answer.status).toBe(200);
  });

  it('redirects to a scheme of the application itself, also when it is refused', async () => {
    const { consumer } = await application({ callbacks: ['myapp://back'] });
    const { visitor } = await signedIn();
    const [yes, no] = [
      pairOf(await requestToken(consumer, 'myapp://back')),
      pairOf(await requestToken(consumer, 'myapp://back')),
    ];
    await visitor.decide(yes.key);
    expect(visitor.location).toMatch(/^myapp:\/\/back\?oauth_token=.+&oauth_verifier=.+/);
    await visitor.decide(no.key, 'cancel');
    expect([visitor.page.status, visitor.location]).toEqual([302, `myapp://back?denied=${no.key}`]);
  });

  it('shows who cancels a page with the way back, and ends the token', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer, CALLBACK));
    await visitor.decide(token.key, 'cancel');

    expect(visitor.page.status).toBe(200);
    expect(visitor.page.text).toContain(`href="${CALLBACK}?denied=${token.key}"`);
    expect(await accessToken(consumer, token, 'any')).toMatchObject({ status: 401, body: { errors: [{ code: 89 }] } });
    await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
    expect(visitor.page.status).toBe(403);
  });
});

describe('states and transitions', () => {
  it('request token issued -> access token issued, given the verifier', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    expect((await flow(consumer, visitor)).status).toBe(200);
  });

  it('access token -> invalidated: later use is 401 code 89, and a new flow yields a different token', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await flow(consumer, visitor));

    const ended = await signedPost('/1.1/oauth/invalidate_token', { consumer, token });
    expect([ended.status, ended.body]).toEqual([200, { access_token: token.key }]);
    await world().caughtUp();
    const used = await new Api({ consumer, token }).get('/12/accounts');
    expect([used.status, used.body.errors[0].code]).toEqual([401, 89]);
    const again = await signedPost('/1.1/oauth/invalidate_token.json', { consumer, token });
    expect([again.status, again.body.errors[0].code]).toEqual([401, 89]);
    expect(pairOf(await flow(consumer, visitor)).key).not.toBe(token.key);
  });

  it('the .json form of invalidate_token works too, and a read token may end itself', async () => {
    const { consumer } = await application({ accessLevel: 'read' });
    const { visitor } = await signedIn();
    const token = pairOf(await flow(consumer, visitor));
    const { status, body } = await signedPost('/1.1/oauth/invalidate_token.json', { consumer, token });
    expect([status, body]).toEqual([200, { access_token: token.key }]);
  });

  it('the same user, application and level get the same pair again while it is valid', async () => {
    const { consumer } = await application();
    const { user, visitor } = await signedIn();
    const first = pairOf(await flow(consumer, visitor));
    expect(pairOf(await flow(consumer, visitor))).toEqual(first);
    const elsewhere = await new Visitor().signIn(user.username);
    expect(pairOf(await flow(consumer, elsewhere))).toEqual(first);
  });

  it('another level gets another pair, and each level its own again', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const lowered = { oauth: { oauth_callback: 'oob' }, query: { platform_auth_access_type: 'read' } };
    const write = pairOf(await flow(consumer, visitor));
    const read = pairOf(await flow(consumer, visitor, lowered));
    expect(read.key).not.toBe(write.key);
    expect(pairOf(await flow(consumer, visitor, lowered))).toEqual(read);
    expect(pairOf(await flow(consumer, visitor))).toEqual(write);
  });

  it('a pair that a command made is never that of a flow: ending one leaves the other alone', async () => {
    const { id, consumer } = await application();
    const { user, visitor } = await signedIn();
    const commanded = await world().get(CredentialsService).issueToken(user.id, id, 'write');
    const own = pairOf(await flow(consumer, visitor));
    expect(own.key).not.toBe(commanded.key);
    await signedPost('/1.1/oauth/invalidate_token', { consumer, token: own });
    expect((await new Api({ consumer, token: commanded }).get('/12/accounts')).status).toBe(200);
  });

  it('revoking under connected apps ends all of them, and flows that were approved but not finished', async () => {
    const { id, consumer } = await application({ name: 'Everything Goes' });
    const { user, visitor } = await signedIn();
    const commanded = await world().get(CredentialsService).issueToken(user.id, id, 'write');
    const own = pairOf(await flow(consumer, visitor));
    const pending = pairOf(await requestToken(consumer));
    await visitor.decide(pending.key);
    const { pin } = visitor;

    await visitor.get('/oauth/applications');
    expect(visitor.page.text).toContain('Everything Goes');
    await visitor.post('/oauth/applications', { csrf: visitor.csrf, application_id: id });
    expect([visitor.page.status, visitor.location]).toEqual([303, '/oauth/applications']);
    await visitor.get('/oauth/applications');
    expect(visitor.page.text).not.toContain('Everything Goes');
    await world().caughtUp();
    for (const token of [commanded, own]) {
      const { status, body } = await new Api({ consumer, token }).get('/12/accounts');
      expect([status, body.errors[0].code]).toEqual([401, 89]);
    }
    expect((await accessToken(consumer, pending, pin)).status).toBe(401);
  });
});

describe('access level', () => {
  it('platform_auth_access_type=read lowers it: the token reads and cannot write', async () => {
    const { consumer } = await application();
    const { user, visitor } = await signedIn();
    const account = await given.account({ userId: user.id });
    const token = pairOf(
      await flow(consumer, visitor, { oauth: { oauth_callback: 'oob' }, query: { platform_auth_access_type: 'read' } }),
    );
    const api = new Api({ consumer, token });
    expect((await api.get(`/12/accounts/${account.id}/campaigns`)).status).toBe(200);
    const { status, body } = await api.post(`/12/accounts/${account.id}/campaigns`, { query: { name: 'x' } });
    expect([status, body.errors[0].code]).toEqual([403, 'READONLY_CLIENT_APPLICATION']);
  });

  it.each<[string, Partial<Signature>]>([
    ['query', { query: { x_auth_access_type: 'read' } }],
    ['header', { oauth: { oauth_callback: 'oob', x_auth_access_type: 'read' } }],
    ['form', { form: { x_auth_access_type: 'read' } }],
    [
      'query and header under both names',
      {
        query: { platform_auth_access_type: 'read' },
        oauth: { oauth_callback: 'oob', x_auth_access_type: 'read' },
      },
    ],
  ])('x_auth_access_type=read in the %s lowers it too', async (_where, rest) => {
    const { consumer } = await application();
    const { user, visitor } = await signedIn();
    const account = await given.account({ userId: user.id });
    const token = pairOf(await flow(consumer, visitor, rest));
    const renamed = await new Api({ consumer, token }).put(`/12/accounts/${account.id}`, { query: { name: 'x' } });
    expect([renamed.status, renamed.body.errors[0].code]).toEqual([403, 'READONLY_CLIENT_APPLICATION']);
  });

  it('cannot raise what is registered, and the page says so', async () => {
    const { consumer } = await application({ accessLevel: 'read' });
    const { user, visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer, 'oob', { query: { platform_auth_access_type: 'write' } }));
    await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
    expect(visitor.page.text).toContain('not be able to change anything');
    await visitor.decide(token.key);
    const access = pairOf(await accessToken(consumer, token, visitor.pin));
    const account = await given.account({ userId: user.id });
    const { status } = await new Api({ consumer, token: access }).put(`/12/accounts/${account.id}`, {
      query: { name: 'x' },
    });
    expect(status).toBe(403);
  });
});

describe('oauth/authorize and oauth/authenticate', () => {
  it('authorize asks every time; authenticate passes who approved before, with the sign-in switch only', async () => {
    for (const signIn of [true, false]) {
      const { consumer } = await application({ signIn });
      const { visitor } = await signedIn();
      const first = pairOf(await requestToken(consumer, CALLBACK));
      await visitor.get(`/oauth/authenticate?oauth_token=${first.key}`);
      expect(visitor.heading).toContain('use your account');
      await visitor.decide(first.key, 'approve', 'authenticate');
      await accessToken(consumer, first, outcomeOf(visitor.location).oauth_verifier);

      const second = pairOf(await requestToken(consumer, CALLBACK));
      await visitor.get(`/oauth/authorize?oauth_token=${second.key}`);
      expect(visitor.page.status).toBe(200);
      await visitor.get(`/oauth/authenticate?oauth_token=${second.key}`);
      expect(visitor.page.status).toBe(signIn ? 302 : 200);
      if (!signIn) continue;
      const { oauth_verifier } = outcomeOf(visitor.location);
      expect((await accessToken(consumer, second, oauth_verifier)).status).toBe(200);
    }
  });

  it('authenticate asks again when more is asked for than was approved', async () => {
    const { consumer } = await application({ signIn: true });
    const { visitor } = await signedIn();
    await flow(consumer, visitor, { oauth: { oauth_callback: 'oob' }, query: { platform_auth_access_type: 'read' } });
    const more = pairOf(await requestToken(consumer, CALLBACK));
    await visitor.get(`/oauth/authenticate?oauth_token=${more.key}`);
    expect(visitor.page.status).toBe(200);
    const same = pairOf(await requestToken(consumer, CALLBACK, { query: { platform_auth_access_type: 'read' } }));
    await visitor.get(`/oauth/authenticate?oauth_token=${same.key}`);
    expect(visitor.page.status).toBe(302);
  });

  it('force_login asks for the password of whoever is signed in; screen_name fills the name in', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const other = await person();
    const token = pairOf(await requestToken(consumer));
    await visitor.get(`/oauth/authorize?oauth_token=${token.key}&force_login=true&screen_name=${other.username}`);
    expect(visitor.heading).toContain('Sign in');
    expect(visitor.page.text).toContain(`value="${other.username}"`);
    await visitor.post('/oauth/sign_in', {
      csrf: visitor.csrf,
      username: other.username,
      password: 'correct horse battery staple',
      oauth_token: token.key,
      endpoint: 'authorize',
    });
    expect([visitor.page.status, visitor.location]).toEqual([303, `/oauth/authorize?oauth_token=${token.key}`]);
    await visitor.decide(token.key);
    expect(formOf(await accessToken(consumer, token, visitor.pin)).user_id).toBe(other.id);
  });

  it('desktop applications use authorize, with oob', async () => {
    const { consumer } = await application({ desktop: true, callbacks: [] });
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer));
    await visitor.get(`/oauth/authenticate?oauth_token=${token.key}`);
    expect(visitor.page.status).toBe(403);
    await visitor.decide(token.key);
    expect((await accessToken(consumer, token, visitor.pin)).status).toBe(200);
  });

  it('says so on a page when there is no such token, it expired, or was used', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const used = pairOf(await requestToken(consumer));
    await visitor.decide(used.key);
    await accessToken(consumer, used, visitor.pin);
    const late = pairOf(await requestToken(consumer));
    world().clock.advance(15 * 60_000 + 1000);
    for (const token of ['', 'nonsense', used.key, late.key]) {
      await visitor.get(`/oauth/authorize?oauth_token=${token}`);
      expect(visitor.page.status).toBe(403);
      expect(visitor.heading).toBe('This request is no longer valid');
    }
  });

  it('sends nobody to a callback that was taken back meanwhile', async () => {
    const { id, consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer, CALLBACK));
    await world().get(CredentialsService).updateApplication(id, { callbacks: [] });
    await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
    expect(visitor.page.status).toBe(403);
  });
});
