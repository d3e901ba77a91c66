import { AccountListView, AccountView } from '../../../src/accounts/accounts/account.presenter.js';
import { Account, INDUSTRY_TYPES } from '../../../src/accounts/entities/account.entity.js';
import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { useApp, world } from '../../support/app.js';
import type { Json } from '../../support/api.js';
import { given } from '../../support/given.js';
import { listConventions, unlike } from '../../support/list-conventions.js';

useApp();

const NOBODY = '0zzzzzzzzzzzz';

describe('accounts', () => {
  listConventions({
    path: () => '/12/accounts',
    make: (account, n) =>
      given.account({
        userId: account.userId,
        name: ['Gamma', 'beta', 'Alpha', 'alphabet', 'Äther', 'Alpha', 'BETA', 'gamma'][n],
      }),
    // Outside the sandbox no request deletes an account; the list could show it all the same.
    remove: ({ account }, id) => given.deletedAccount(account.environment, id, account.userId),
    view: AccountListView,
    entity: Account,
    idsFilter: 'account_ids',
    sortable: ['created_at', 'updated_at', 'deleted', 'name'],
    q: true,
    ofCaller: true,
    already: 1,
  });

  it('are those that the caller has a role on, whatever the role', async () => {
    const admin = await given.advertiser();
    const analyst = await given.member(admin.account, 'ANALYST');
    const own = await given.account({ userId: analyst.user.id });
    const { body } = await analyst.api.get('/12/accounts');
    expect(body.data.map(({ id }: Json) => id)).toEqual([own.id, admin.account.id]);
    await world().get(AdministrationService).revoke(admin.account.id, analyst.user.id);
    await world().caughtUp();
    expect((await analyst.api.get('/12/accounts')).body.data.map(({ id }: Json) => id)).toEqual([own.id]);
    expect((await analyst.api.get(`/12/accounts/${admin.account.id}`)).status).toBe(404);
  });

  it('say their business, and in a list not their industry', async () => {
    const business = await world().get(AdministrationService).createBusiness('Northwind');
    const { account, api } = await given.advertiser({
      name: 'Coffee',
      businessId: business.id,
      timezoneSwitchAt: '2025-01-01T08:00:00Z',
    });
    const { body } = await api.get('/12/accounts');
    expect(body.data).toEqual([
      {
        id: account.id,
        name: 'Coffee',
        business_id: business.id,
        business_name: 'Northwind',
        timezone: 'America/Los_Angeles',
        timezone_switch_at: '2025-01-01T08:00:00Z',
        approval_status: 'ACCEPTED',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
        deleted: false,
      },
    ]);
    const single = await api.get(`/12/accounts/${account.id}`);
    expect(single.body).toEqual({
      request: { params: { account_id: account.id } },
      data: { ...body.data[0], industry_type: 'OTHER' },
    });
    expect(unlike(AccountView, single.body.data)).toEqual([]);
  });

  it('have ids of base 36, and neither business nor switch of their own accord', async () => {
    const { account, api } = await given.advertiser();
    const { data } = (await api.get(`/12/accounts/${account.id}`)).body;
    expect(data).toMatchObject({ business_id: null, business_name: null, timezone_switch_at: null });
    expect(data.id).toMatch(/^[0-9a-z]{11,13}$/);
  });

  it('are not found when they are nobody’s or somebody else’s, alike', async () => {
    const mine = await given.advertiser();
    const theirs = await given.advertiser();
    for (const id of [theirs.account.id, NOBODY, '1'.repeat(5_000), '756201191646691328']) {
      const short = (most: number) => (id.length > most ? `${id.slice(0, most - 3)}...` : id);
      const { status, body } = await mine.api.get(`/12/accounts/${id}`);
      expect({ status, body }).toEqual({
        status: 404,
        body: {
          errors: [
            {
              code: 'NOT_FOUND',
              message: `Account ${short(100)} was not found`,
              parameter: 'account_id',
              value: short(1_000),
            },
          ],
          request: { params: {} },
        },
      });
    }
  });

  describe('updated', () => {
    it('change what is sent, in the query or in a form', async () => {
      const { account, api } = await given.advertiser({ name: 'Before' });
      const path = `/12/accounts/${account.id}`;
      const named = await api.put(path, { query: { name: 'Größe, ☃' } });
      expect(named).toMatchObject({ status: 200, body: { data: { name: 'Größe, ☃', industry_type: 'OTHER' } } });
      expect(named.body.request.params).toEqual({ account_id: account.id, name: 'Größe, ☃' });
      const sorted = await api.put(path, { form: { industry_type: 'TRAVEL' } });
      expect(sorted.body.data).toMatchObject({ name: 'Größe, ☃', industry_type: 'TRAVEL' });
      await world().caughtUp();
      expect((await api.get(path)).body.data).toEqual(sorted.body.data);
    });

    it('take every industry and no other', async () => {
      const { account, api } = await given.advertiser();
      for (const industry_type of INDUSTRY_TYPES) {
        const { body } = await api.put(`/12/accounts/${account.id}`, { query: { industry_type } });
        expect(body.data.industry_type).toBe(industry_type);
      }
      expect(await api.put(`/12/accounts/${account.id}`, { query: { industry_type: 'COFFEE' } })).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'industry_type' }] },
      });
    });

    it('ignore what only reading answers', async () => {
      const { account, api } = await given.advertiser({ name: 'Mine' });
      const read = (await api.get(`/12/accounts/${account.id}`)).body.data;
      const { status, body } = await api.put(`/12/accounts/${account.id}`, {
        query: { ...read, timezone: 'Europe/Berlin', approval_status: 'REJECTED', deleted: 'true', id: 'x' },
      });
      expect(status).toBe(200);
      expect(body.data).toEqual({ ...read, updated_at: expect.any(String) });
    });

    it('keep a name', async () => {
      const { account, api } = await given.advertiser();
      for (const name of ['', 'x'.repeat(256)]) {
        expect((await api.put(`/12/accounts/${account.id}`, { query: { name } })).status).toBe(400);
      }
    });
  });

  it('can neither be made nor deleted outside the sandbox, as if nothing were there', async () => {
    const { account, api } = await given.advertiser();
    for (const [method, path] of [
      ['POST', '/12/accounts'],
      ['DELETE', `/12/accounts/${account.id}`],
    ]) {
      expect(await api.call(method, path)).toMatchObject({
        status: 404,
        body: { errors: [{ code: 'ROUTE_NOT_FOUND', message: 'The requested path could not be found' }] },
      });
    }
  });
});

describe('authenticated_user_access', () => {
  it.each([
    ['ACCOUNT_ADMIN', true],
    ['AD_MANAGER', true],
    ['CREATIVE_MANAGER', true],
    ['CAMPAIGN_ANALYST', false],
    ['ANALYST', false],
    ['PARTNER_AUDIENCE_MANAGER', false],
  ] as const)('tells %s, with POST_COMPOSER where the role allows it: %s', async (role, composes) => {
    const { account, api, user } = await given.advertiser({ role });
    const { status, body } = await api.get(`/12/accounts/${account.id}/authenticated_user_access`);
    expect(status).toBe(200);
    expect(body).toEqual({
      request: { params: { account_id: account.id } },
      data: { user_id: user.id, permissions: composes ? [role, 'POST_COMPOSER'] : [role] },
    });
    const other = await given.advertiser({ role, postComposer: false });
    const plain = await other.api.get(`/12/accounts/${other.account.id}/authenticated_user_access`);
    expect(plain.body.data.permissions).toEqual([role]);
  });
});

describe('features', () => {
  it('are listed in the order of the alphabet', async () => {
    const { account, api } = await given.advertiser();
    const { status, body } = await api.get(`/12/accounts/${account.id}/features`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'request']);
    expect(body.data).toEqual([...body.data].sort());
    expect(body.data).toContain('REACH_FREQUENCY_CAP');
    expect(body.request.params).toEqual({ account_id: account.id });
  });

  it('can be asked for by key', async () => {
    const { account, api } = await given.advertiser();
    const path = `/12/accounts/${account.id}/features`;
    const feature_keys = 'REACH_FREQUENCY_CAP,WEBSITE_CLICKS_CPM_BILLING';
    const { body } = await api.get(path, { query: { feature_keys } });
    expect(body.data).toEqual(['REACH_FREQUENCY_CAP']);
    expect(body.request.params.feature_keys).toEqual(feature_keys.split(','));
    expect(await api.get(path, { query: { feature_keys: 'TELEPORT' } })).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'feature_keys' }] },
    });
  });
});
