import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import type { KeyAndSecret } from '../../../src/auth/credentials/tokens.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
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
import { send, type Answer } from '../../support/http.js';
import { fresh } from '../../support/given/fresh.js';
import { BearersService, type Bearer } from '../../../src/auth/bearers/bearers.service.js';
import { OAuthAdmission } from '../../../src/auth/guards/oauth-admission.js';
import { BearerGuard, BearerStrategy } from '../../../src/auth/guards/bearer.guard.js';
import type { ApiError } from '../../../src/common/errors/api-error.js';

useApp();

describe('flow', () => {
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

    it('has keys and secrets of the lengths that clients know', async () => {
      const { consumer } = await application();
      expect([consumer.key, consumer.secret]).toEqual([
        expect.stringMatching(/^[A-Za-z0-9]{25}$/),
        expect.stringMatching(/^[A-Za-z0-9]{50}$/),
      ]);
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
      expect(await accessToken(consumer, token, 'any')).toMatchObject({
        status: 401,
        body: { errors: [{ code: 89 }] },
      });
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
      const commanded = await world().get(AccessTokensService).issue(user.id, id, 'write');
      const own = pairOf(await flow(consumer, visitor));
      expect(own.key).not.toBe(commanded.key);
      await signedPost('/1.1/oauth/invalidate_token', { consumer, token: own });
      expect((await new Api({ consumer, token: commanded }).get('/12/accounts')).status).toBe(200);
    });

    it('revoking under connected apps ends all of them, and flows that were approved but not finished', async () => {
      const { id, consumer } = await application({ name: 'Everything Goes' });
      const { user, visitor } = await signedIn();
      const commanded = await world().get(AccessTokensService).issue(user.id, id, 'write');
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
        await flow(consumer, visitor, {
          oauth: { oauth_callback: 'oob' },
          query: { platform_auth_access_type: 'read' },
        }),
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
      for (const signIn of [true, false, undefined]) {
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
      await world().get(ApplicationsService).update(id, { callbacks: [] });
      await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
      expect(visitor.page.status).toBe(403);
    });
  });
});

describe('races', () => {
  const TIMES = Array.from({ length: 20 });
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();

  describe('at the same moment', () => {
    it('20 exchanges of one verifier give one pair and nineteen refusals', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await visitor.decide(token.key);
      const { pin } = visitor;
      const answers = await Promise.all(TIMES.map(() => accessToken(consumer, token, pin)));
      expect(statuses(answers)).toEqual([200, ...TIMES.slice(1).map(() => 401)]);
      for (const { status, body } of answers) if (status === 401) expect(body.errors[0].code).toBe(89);
    });

    it('20 wrong verifiers count as five, and void the token', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await visitor.decide(token.key);
      const answers = await Promise.all(TIMES.map(() => accessToken(consumer, token, 'wrong')));
      expect(answers.filter(({ body }) => body.errors[0].code === 32)).toHaveLength(5);
      expect((await accessToken(consumer, token, visitor.pin)).status).toBe(401);
    });

    it('20 flows of one user and application end in the same pair', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const flows = [];
      for (let i = 0; i < 20; i++) {
        const token = pairOf(await requestToken(consumer));
        await visitor.decide(token.key);
        flows.push({ token, pin: visitor.pin });
      }
      const answers = await Promise.all(flows.map(({ token, pin }) => accessToken(consumer, token, pin)));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0].status).toBe(200);
    });

    it('20 requests for a bearer give the same one', async () => {
      const { consumer } = await application();
      const headers = {
        authorization: `Basic ${Buffer.from(`${consumer.key}:${consumer.secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      };
      const ask = () =>
        send(world().url, '/oauth2/token', { method: 'POST', headers, body: 'grant_type=client_credentials' });
      const answers = await Promise.all(TIMES.map(ask));
      expect(statuses(answers)).toEqual(TIMES.map(() => 200));
      expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1);
    });

    it('20 approvals of one token are one approval', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer, CALLBACK));
      const { csrf, cookie } = await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
      const approve = async () => {
        const own = new Visitor();
        own.cookie = cookie;
        return (await own.post('/oauth/authorize', { csrf, oauth_token: token.key, decision: 'approve' })).location;
      };
      const locations = await Promise.all(TIMES.map(approve));
      expect(new Set(locations).size).toBe(1);
      const { oauth_verifier } = Object.fromEntries(new URL(locations[0]).searchParams);
      expect((await accessToken(consumer, token, oauth_verifier)).status).toBe(200);
    });

    it('one approval stays with who gave it first', async () => {
      const { consumer } = await application();
      const [one, other] = [await signedIn(), await signedIn()];
      const token = pairOf(await requestToken(consumer));
      await one.visitor.decide(token.key);
      await other.visitor.decide(token.key);
      expect(other.visitor.page.status).toBe(403);
      expect((await accessToken(consumer, token, one.visitor.pin)).text).toContain(`user_id=${one.user.id}`);
    });

    it('a revocation beside exchanges leaves no token behind that works', async () => {
      const { id, consumer } = await application();
      const { visitor } = await signedIn();
      const flows = [];
      for (let i = 0; i < 5; i++) {
        const token = pairOf(await requestToken(consumer));
        await visitor.decide(token.key);
        flows.push({ token, pin: visitor.pin });
      }
      const before = pairOf(await flow(consumer, visitor));
      const { csrf } = await visitor.get('/oauth/applications');
      const [{ page }, ...exchanged] = await Promise.all([
        visitor.post('/oauth/applications', { csrf, application_id: id }),
        ...flows.map(({ token, pin }) => accessToken(consumer, token, pin)),
      ]);
      expect(page.status).toBe(303);
      await world().caughtUp();
      const issued = exchanged.filter(({ status }) => status === 200).map(pairOf);
      for (const token of [before, ...issued]) {
        expect((await new Api({ consumer, token }).get('/12/accounts')).status).toBe(401);
      }
      const tokens = await world().sql<{ ended: boolean }>(
        `SELECT "revokedAt" IS NOT NULL AS ended FROM access_tokens WHERE "applicationId" = $1`,
        id,
      );
      expect(new Set(tokens.map(({ ended }) => ended))).toEqual(new Set([true]));
    });
  });
});

describe('taken ids', () => {
  /**
   * Takes the first id that is stored in this table from now on: each row with it is refused, as if another replica had been
   * faster. Which one it was is kept in a sequence, since that is not taken back with the transaction.
   */
  async function takeFirstId(table: string): Promise<void> {
    await world().sql(`CREATE SEQUENCE taken_${table}`);
    await world().sql(`CREATE FUNCTION refuse_taken_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      id bigint := (hashtextextended(NEW.id, 0) >> 2) & 4611686018427387903;
      taken bigint := (SELECT CASE WHEN is_called THEN last_value END FROM taken_${table});
    BEGIN
      IF taken IS NULL OR taken = id THEN
        PERFORM setval('taken_${table}', id);
        RAISE unique_violation USING CONSTRAINT = 'PK_${table}';
      END IF;
      RETURN NEW;
    END $$`);
    await world().sql(
      `CREATE TRIGGER taken BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_taken_${table}()`,
    );
  }

  /** Whether an id was refused, and the trigger is gone. */
  async function refused(table: string): Promise<boolean> {
    await world().sql(`DROP TRIGGER taken ON ${table}`);
    const [{ called }] = await world().sql<{ called: boolean }>(`SELECT is_called AS called FROM taken_${table}`);
    return called;
  }

  describe('an id that is taken is drawn again', () => {
    it.each<[string, () => Promise<() => Promise<unknown>>]>([
      ['users', async () => () => world().get(UsersService).create(fresh('taken'))],
      [
        'applications',
        async () => {
          const { id: ownerId } = await world().get(UsersService).create(fresh('owner'));
          return () => world().get(ApplicationsService).create({ name: 'Taken', ownerId });
        },
      ],
      [
        'access_tokens',
        async () => {
          const { id, ownerId } = await application();
          return () => world().get(AccessTokensService).issue(ownerId, id, 'write');
        },
      ],
      [
        'request_tokens',
        async () => {
          const { consumer } = await application();
          return async () => expect(await requestToken(consumer)).toMatchObject({ status: 200 });
        },
      ],
      [
        'bearer_tokens',
        async () => {
          const { consumer } = await application();
          const headers = {
            authorization: `Basic ${Buffer.from(`${consumer.key}:${consumer.secret}`).toString('base64')}`,
            'content-type': 'application/x-www-form-urlencoded',
          };
          const init = { method: 'POST', headers, body: 'grant_type=client_credentials' };
          return async () => expect(await send(world().url, '/oauth2/token', init)).toMatchObject({ status: 200 });
        },
      ],
    ])('in %s', async (table, prepare) => {
      const make = await prepare();
      await takeFirstId(table);
      try {
        await make();
      } finally {
        expect(await refused(table)).toBe(true);
      }
    });
  });
});

describe('bearer', () => {
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
      const token = await world().get(AccessTokensService).issue(ownerId, id, 'write');
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
      const token = await world().get(AccessTokensService).issue(ownerId, id, 'read');
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
          errors: [
            { code: 214, message: `Expected application/x-www-form-urlencoded for Content-Type, got "${type}"` },
          ],
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
      const users = world().get(UsersService);
      const tokens = world().get(AccessTokensService);
      const bearer = await bearerOf(consumer);
      const stranger = await users.create(fresh('stranger'));
      const [owners, others] = [await tokens.issue(ownerId, id, 'write'), await tokens.issue(stranger.id, id, 'write')];
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
      const tokens = world().get(AccessTokensService);
      const token = await tokens.issue(ownerId, id, 'write');
      await tokens.revoke(token.key);
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
      expect((refused!.hint as () => string)()).toMatch(
        /requires the bearer token .+; the request is signed with OAuth 1.0a/,
      );
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
});
