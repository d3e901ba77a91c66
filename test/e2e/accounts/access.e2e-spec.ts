import { BearersService } from '../../../src/auth/bearers/bearers.service.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import type { Account } from '../../../src/accounts/entities/account.entity.js';
import { useApp, world } from '../../support/app.js';
import { anonymously, type Answer } from '../../support/api.js';
import { given, type Client } from '../../support/given.js';
import { routesOfTheApp, type Route } from '../../support/routes.js';

useApp();

/** Every route with an account in its path, whatever it is about: a new endpoint is in this table by existing. */
const routes = () => routesOfTheApp().filter(({ path }) => path.includes(':account_id'));

const NOTHING = '0zzzzzzzzzzzz';
const filled = ({ path }: Route, account: Pick<Row<Account>, 'id'>) =>
  path.replace(':account_id', account.id).replace(/:\w+/g, NOTHING);

/** What each route answers, by `METHOD path`; the sandbox has them all. */
async function each(account: Pick<Row<Account>, 'id'>, call: (method: string, path: string) => Promise<Answer>) {
  const answers: Record<string, unknown> = {};
  for (const route of routes()) {
    const { status, body } = await call(route.method, filled(route, account));
    answers[`${route.method} ${route.path}`] = { status, code: body?.errors?.[0]?.code, params: body?.request?.params };
  }
  return answers;
}

const all = (answer: object) =>
  Object.fromEntries(routes().map(({ method, path }) => [`${method} ${path}`, { params: {}, ...answer }]));
const sandboxOf = (client: Client) => (method: string, path: string) => client.api.in('sandbox').call(method, path);

describe('every route below an account', () => {
  it('is known', () => {
    expect(routes().length).toBeGreaterThan(15);
    expect(routes()).toContainEqual({ method: 'POST', path: '/12/batch/accounts/:account_id/campaigns' });
  });

  it("refuses another user's token as if the account did not exist", async () => {
    const { account } = await given.advertiser({ environment: 'sandbox' });
    const stranger = await given.advertiser({ environment: 'sandbox' });
    expect(await each(account, sandboxOf(stranger))).toEqual(all({ status: 404, code: 'NOT_FOUND' }));
    expect(await each({ id: NOTHING }, sandboxOf(stranger))).toEqual(all({ status: 404, code: 'NOT_FOUND' }));
  });

  it('refuses accounts of the other environment', async () => {
    const { account, api } = await given.advertiser();
    expect(await each(account, (method, path) => api.in('sandbox').call(method, path))).toEqual(
      all({ status: 404, code: 'NOT_FOUND' }),
    );
  });

  it('refuses whoever was taken off the account', async () => {
    const { account, api, user } = await given.advertiser({ environment: 'sandbox' });
    expect((await api.get(`/12/accounts/${account.id}`)).status).toBe(200);
    const { AdministrationService } = await import('../../../src/accounts/administration.service.js');
    await world().get(AdministrationService).revoke(account.id, user.id);
    await world().caughtUp();
    expect(await each(account, (method, path) => api.call(method, path))).toEqual(
      all({ status: 404, code: 'NOT_FOUND' }),
    );
  });

  it('refuses a revoked token', async () => {
    const advertiser = await given.advertiser({ environment: 'sandbox' });
    expect((await advertiser.api.get('/12/accounts')).status).toBe(200);
    await given.revokedToken(advertiser);
    expect(await each(advertiser.account, sandboxOf(advertiser))).toEqual(all({ status: 401, code: 89 }));
  });

  it('refuses a suspended user', async () => {
    const { account, api, user } = await given.advertiser({ environment: 'sandbox' });
    await world().sql(`UPDATE users SET "suspendedAt" = $2 WHERE id = $1`, user.id, world().clock.now().toISOString());
    expect(await each(account, (method, path) => api.call(method, path))).toEqual(all({ status: 401, code: 89 }));
  });

  it('refuses whoever sends no credentials, and says how to', async () => {
    const { account } = await given.advertiser({ environment: 'sandbox' });
    const answers = await each(account, async (method, path) => {
      const answer = await anonymously(method, `/sandbox${path}`);
      expect(answer.headers['www-authenticate']).toMatch(/^OAuth/);
      expect(answer.body.errors[0].message).toBe('This request is not properly authenticated');
      return answer;
    });
    expect(answers).toEqual(all({ status: 401, code: 'UNAUTHORIZED_ACCESS' }));
  });

  it('refuses a bearer token: 403 where it is valid, 401 where it is unknown or malformed', async () => {
    const { account } = await given.advertiser({ environment: 'sandbox' });
    const { id } = await given.application();
    const valid = await world().get(BearersService).issue(id);
    for (const [authorization, expected] of [
      [`Bearer ${valid}`, { status: 403, code: 220 }],
      ['Bearer AAAAAAAAAAAAAAAAAAAAAA%2FAA%3DAA', { status: 401, code: 89 }],
      ['bearer x', { status: 401, code: 89 }],
      ['Bearer', { status: 401, code: 'UNAUTHORIZED_ACCESS' }],
    ] as const) {
      expect(await each(account, (method, path) => anonymously(method, `/sandbox${path}`, { authorization }))).toEqual(
        all(expected),
      );
    }
  });

  it('refuses an application without access to the API', async () => {
    const application = await given.application();
    await world().sql(`UPDATE applications SET "adsAccess" = false WHERE id = $1`, application.id);
    const { account, api } = await given.advertiser({ environment: 'sandbox', application });
    const answers = await each(account, (method, path) => api.call(method, path));
    expect(answers).toEqual(all({ status: 403, code: 'UNAUTHORIZED_CLIENT_APPLICATION' }));
  });

  it('lets a token that may only read change nothing', async () => {
    const application = await given.application('read');
    const tokens = [
      await given.advertiser({ environment: 'sandbox', accessLevel: 'read' }),
      await given.advertiser({ environment: 'sandbox', application }),
    ];
    for (const { account, api } of tokens) {
      for (const route of routes()) {
        // POST may be a question, such as an estimate; which are not, the suites of their resources say.
        if (route.method === 'POST' && !/campaigns$|features$/.test(route.path)) continue;
        const { status, body } = await api.call(route.method, filled(route, account));
        const isRefused = status === 403 && body.errors[0].code === 'READONLY_CLIENT_APPLICATION';
        expect({ route, isRefused }).toEqual({ route, isRefused: route.method !== 'GET' });
      }
    }
  });
});
