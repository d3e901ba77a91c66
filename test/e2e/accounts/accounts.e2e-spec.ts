import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RequiresFeature } from '../../../src/accounts/access/account.guard.js';
import { AccountView } from '../../../src/accounts/accounts/account.presenter.js';
import { Account, INDUSTRY_TYPES } from '../../../src/accounts/entities/account.entity.js';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { BusinessesService } from '../../../src/accounts/accounts/businesses.service.js';
import { FeaturesService } from '../../../src/accounts/features/features.service.js';
import { PromotableUsersService } from '../../../src/accounts/promotable-users/promotable-users.service.js';
import { useApp, world } from '../../support/app.js';
import { type Json, type Answer, send } from '../../support/http.js';
import { given, type Client, type Advertiser } from '../../support/given.js';
import { listConventions, unlike } from '../../support/list-conventions.js';
import { BearersService } from '../../../src/auth/bearers/bearers.service.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { anonymously, type Params, authorization } from '../../support/api.js';
import { routesOfTheApp, type Route } from '../../support/routes.js';
import { AccountApp } from '../../../src/accounts/account-apps/account-app.entity.js';
import { AccountAppView } from '../../../src/accounts/account-apps/account-app.presenter.js';
import { AccountAppsService } from '../../../src/accounts/account-apps/account-apps.service.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import { AccountHistoryView } from '../../../src/accounts/change-log/account-history.presenter.js';
import { AudiencesRemoval } from '../../../src/audiences/audiences-removal.service.js';
import { CustomAudienceUsersService } from '../../../src/audiences/audience-users/custom-audience-users.service.js';
import { PublishersService } from '../../../src/campaigns/reference/publishers/publishers.service.js';
import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';
import { fresh } from '../../support/given/fresh.js';
import { PromotableUser } from '../../../src/accounts/promotable-users/promotable-user.entity.js';
import { PromotableUserView } from '../../../src/accounts/promotable-users/promotable-user.presenter.js';
import { AccountController } from '../../../src/accounts/access/account-controller.js';
import { ACCOUNT_READ } from '../../../src/accounts/accounts.permissions.js';
import { ReturnsList } from '../../../src/common/http/answers/returns.js';
import { useControllers } from '../../support/test-controllers.js';
import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { DirectoryService } from '../../../src/audiences/directory/directory.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { StorageQuotas } from '../../../src/common/storage/storage-quotas.js';
import { ExpiredMediaJob } from '../../../src/creatives/media-upload/expired-media.job.js';
import { life, type Life } from '../../support/given/life.js';

useApp();

describe('accounts', () => {
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
      view: AccountView,
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
      await world().get(MembershipsService).revoke(admin.account.id, analyst.user.id);
      await world().caughtUp();
      expect((await analyst.api.get('/12/accounts')).body.data.map(({ id }: Json) => id)).toEqual([own.id]);
      expect((await analyst.api.get(`/12/accounts/${admin.account.id}`)).status).toBe(404);
    });

    it('say their business, industry and country', async () => {
      const business = await world().get(BusinessesService).create('Northwind');
      const { account, api } = await given.advertiser({
        name: 'Coffee',
        businessId: business.id,
        timezoneSwitchAt: '2025-01-01T08:00:00Z',
        countryCode: 'DE',
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
          industry_type: 'OTHER',
          country_code: 'DE',
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
          deleted: false,
        },
      ]);
      const single = await api.get(`/12/accounts/${account.id}`);
      expect(single.body).toEqual({
        request: { params: { account_id: account.id } },
        data: body.data[0],
      });
      expect(unlike(AccountView, single.body.data)).toEqual([]);
    });

    it('have ids of base 36, and neither business nor switch nor country of their own accord', async () => {
      const { account, api } = await given.advertiser();
      const { data } = (await api.get(`/12/accounts/${account.id}`)).body;
      expect(data).toMatchObject({
        business_id: null,
        business_name: null,
        timezone_switch_at: null,
        country_code: null,
      });
      expect(data.id).toMatch(/^[0-9a-z]{11,13}$/);
    });

    it('are not found when they are nobody’s or somebody else’s, alike', async () => {
      const mine = await given.advertiser();
      const theirs = await given.advertiser();
      for (const id of [theirs.account.id, NOBODY, '1'.repeat(5_000), '756201191646691328']) {
        const short = (max: number) => (id.length > max ? `${id.slice(0, max - 3)}...` : id);
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

      it('keep their country, which may be sent back', async () => {
        const { account, api } = await given.advertiser({ countryCode: 'DE' });
        const { status, body } = await api.put(`/12/accounts/${account.id}`, { form: { country_code: 'FR' } });
        expect([status, body.data.country_code]).toEqual([200, 'DE']);
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
});

describe('access', () => {
  /** Every route with an account in its path, whatever it is about: a new endpoint is in this table by existing. */
  const routes = () => routesOfTheApp().filter(({ path }) => /^\/\d+\/.*:account_id/.test(path));

  const NOTHING = '0zzzzzzzzzzzz';
  const filled = ({ path }: Route, account: Pick<Row<Account>, 'id'>) =>
    path.replace(':account_id', account.id).replace(/:\w+/g, NOTHING);

  /** What each route answers, by `METHOD path`; the sandbox has them all. */
  async function each(account: Pick<Row<Account>, 'id'>, call: (method: string, path: string) => Promise<Answer>) {
    const answers: Record<string, unknown> = {};
    for (const route of routes()) {
      const { status, body } = await call(route.method, filled(route, account));
      answers[`${route.method} ${route.path}`] = {
        status,
        code: body?.errors?.[0]?.code,
        params: body?.request?.params,
      };
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
      await world().get(MembershipsService).revoke(account.id, user.id);
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
      await world().sql(
        `UPDATE users SET "suspendedAt" = $2 WHERE id = $1`,
        user.id,
        world().clock.now().toISOString(),
      );
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
        expect(
          await each(account, (method, path) => anonymously(method, `/sandbox${path}`, { authorization })),
        ).toEqual(all(expected));
      }
    });

    it('refuses an application without access to the API', async () => {
      const application = await given.application();
      await world().sql(`UPDATE applications SET "adsAccess" = false WHERE id = $1`, application.id);
      const { account, api } = await given.advertiser({ environment: 'sandbox', application });
      const answers = await each(account, (method, path) => api.call(method, path));
      expect(answers).toEqual(all({ status: 403, code: 'UNAUTHORIZED_CLIENT_APPLICATION' }));
    });

    it('lets an application for conversions do nothing else', async () => {
      const application = await given.application();
      await world().get(ApplicationsService).update(application.id, { conversionsOnly: true });
      const { account, api } = await given.advertiser({ environment: 'sandbox', application });
      const isForConversions = (path: string) =>
        /\/(web_event_tags|app_event_tags|app_lists|app_event_provider_configurations|conversion_event|conversion_attribution)\b|\/measurement\//.test(
          path,
        );
      const allowed = new Set<string>();
      await each(account, async (method, path) => {
        const answer = await api.call(method, path);
        const isRefused = answer.body.errors?.[0].code === 'UNAUTHORIZED_CLIENT_APPLICATION';
        expect([method, path, isRefused]).toEqual([method, path, !isForConversions(path)]);
        if (!isRefused) allowed.add(path);
        return answer;
      });
      expect(allowed.size).toBeGreaterThan(5);
    });
  });
});

describe('account apps', () => {
  describe('account apps', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/account_apps`,
      make: (account) => given.accountApp(account),
      remove: ({ account }, id) => world().get(AccountAppsService).delete(account, id),
      view: AccountAppView,
      entity: AccountApp,
      idsFilter: null,
    });

    it('have the fields of the documents', async () => {
      const { account, api } = await given.advertiser();
      const app = await given.accountApp(account, {
        os_type: 'iOS',
        app_store_identifier: '333903271',
        deep_link_pattern: 'coffee://',
        conversion_tracking_enabled: true,
      });
      await given.accountApp(account, { app_store_identifier: 'com.example.coffee' });
      const { status, body } = await api.get(`/12/accounts/${account.id}/account_apps`);
      expect(status).toBe(200);
      expect(body.data[1]).toEqual({
        app_store_identifier: '333903271',
        conversion_tracking_enabled: true,
        deep_link_pattern: 'coffee://',
        id: app.id,
        created_at: expect.stringMatching(/^20\d\d-.*Z$/),
        updated_at: body.data[1].created_at,
        os_type: 'iOS',
        deleted: false,
      });
      expect(body.data[0]).toMatchObject({
        app_store_identifier: 'com.example.coffee',
        conversion_tracking_enabled: false,
        deep_link_pattern: null,
        os_type: 'Android',
      });
    });

    it('are in the history of the account, made and deleted', async () => {
      const { account } = await given.advertiser();
      const app = await given.accountApp(account);
      await world().get(AccountAppsService).delete(account, app.id);
      const history = await world().sql<{ type: string; data: { deleted: boolean } }>(
        `SELECT "changeType" AS type, "entityData" AS data FROM account_changes c
        WHERE "entityType" = 'ACCOUNT_APP' AND "entityId" = $1
          AND "transactionId" IS NOT NULL ORDER BY id`,
        app.id,
      );
      expect(history.map(({ type, data }) => [type, data.deleted])).toEqual([
        ['CREATE', false],
        ['DELETE', true],
      ]);
    });

    it('have an identifier once in an account, until they are deleted', async () => {
      const { account } = await given.advertiser();
      const other = await given.advertiser();
      const same = { app_store_identifier: 'com.example.once' };
      const results = await Promise.allSettled([1, 2, 3, 4].map(() => given.accountApp(account, same)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const each of results) {
        if (each.status === 'rejected')
          expect(each.reason).toMatchObject({
            errors: [{ code: 'INVALID_PARAMETER', detail: { parameter: 'app_store_identifier' } }],
          });
      }
      await given.accountApp(other.account, same);
      const [made] = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      await world().get(AccountAppsService).delete(account, made.id);
      expect((await given.accountApp(account, same)).id).not.toBe(made.id);
    });

    it('are not added to an account that is deleted', async () => {
      const { account, user } = await given.advertiser({ environment: 'sandbox' });
      await given.deletedAccount('sandbox', account.id, user.id);
      await expect(given.accountApp(account)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });
});

describe('account history', () => {
  const HOUR = 3_600_000;
  const DAILY = 'daily_budget_amount_local_micro';

  const hour = (offset: number) => {
    const at = new Date(Math.floor(world().clock.now().getTime() / HOUR + offset) * HOUR);
    return `${at.toISOString().slice(0, 19)}Z`;
  };
  const history = ({ account, api }: Advertiser, entity_id: string, query: Params = {}) =>
    api.get(`/12/accounts/${account.id}/account_history`, {
      query: { entity_type: 'CAMPAIGN', entity_id, start_time: hour(-1), end_time: hour(1), ...query },
    });

  describe('account history', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/account_history`,
      // The changes of one campaign, the first of which is that it was made.
      parent: { make: (account) => given.campaign({ account }) },
      required: ({ id: entity_id }) => ({
        entity_type: 'CAMPAIGN',
        entity_id,
        start_time: '2026-01-01T00:00:00Z',
        end_time: '2050-01-01T00:00:00Z',
      }),
      already: 1,
      make: async (account, n, campaign) => {
        const purchase_order_number = fresh(`order ${n}`);
        await world().get(CampaignsService).update(account, campaign.id, Parsed.complete({ purchase_order_number }));
        return { id: purchase_order_number };
      },
      remove: 'never',
      view: AccountHistoryView,
      // It has no id of its own.
      idOf: ({ entity_data }) => entity_data.purchase_order_number ?? 'made',
      idsFilter: null,
      lacks: ['sort_by', 'with_deleted', 'with_total_count'],
    });

    it('tells what was done to a campaign, the newest first', async () => {
      const advertiser = await given.advertiser();
      const colleague = await given.member(advertiser.account, 'AD_MANAGER');
      const path = `/12/accounts/${advertiser.account.id}/campaigns`;
      const { id } = await given.campaign({ account: advertiser.account, name: 'Before' });
      await colleague.api.put(`${path}/${id}`, { query: { name: 'After', [DAILY]: 1_000_000 } });
      await advertiser.api.delete(`${path}/${id}`);

      const { status, body } = await history(advertiser, id);

      expect(status).toBe(200);
      expect(body.next_cursor).toBeNull();
      expect(body.request.params).toEqual({
        account_id: advertiser.account.id,
        entity_type: 'CAMPAIGN',
        entity_id: id,
        start_time: hour(-1),
        end_time: hour(1),
      });
      const [deleted, updated, created] = body.data;
      expect(created).toMatchObject({
        change_by: { user_id: advertiser.user.id, platform: 'API_OTHER' },
        changes: {},
        change_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        entity_id: id,
        entity: 'CAMPAIGN',
        entity_data: {
          name: 'Before',
          start_time: null,
          end_time: null,
          purchase_order_number: null,
          [DAILY]: 5_500_000,
          total_budget_amount_local_micro: null,
          duration_in_days: null,
          standard_delivery: true,
          entity_status: 'ACTIVE',
          frequency_cap: null,
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
          deleted: false,
        },
        change_type: 'CREATE',
      });
      expect(updated).toMatchObject({
        change_by: { user_id: colleague.user.id },
        changes: { name: { old: 'Before', new: 'After' }, [DAILY]: { old: 5_500_000, new: 1_000_000 } },
        entity_data: { name: 'After', deleted: false },
        change_type: 'UPDATE',
      });
      expect(Object.keys(updated.changes).sort()).toEqual([DAILY, 'name'].sort());
      expect(deleted).toMatchObject({
        change_by: { user_id: advertiser.user.id },
        entity_data: { name: 'After', deleted: true },
        change_type: 'DELETE',
      });
      expect(Object.keys(deleted.entity_data).sort()).toEqual(Object.keys(created.entity_data).sort());
    });

    it('records nothing for a change that changes nothing', async () => {
      const advertiser = await given.advertiser();
      const { id } = await given.campaign({ account: advertiser.account, name: 'Same' });
      await advertiser.api.put(`/12/accounts/${advertiser.account.id}/campaigns/${id}`, { query: { name: 'Same' } });
      expect((await history(advertiser, id)).body.data).toHaveLength(1);
    });

    it('records what a batch does, each with its own event', async () => {
      const advertiser = await given.advertiser();
      const [{ id }] = await given.campaigns({ account: advertiser.account, count: 2 });
      await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, {
        json: [
          { operation_type: 'Update', params: { campaign_id: id, name: 'One' } },
          { operation_type: 'Update', params: { campaign_id: id, name: 'Two' } },
        ],
      });
      const { body } = await history(advertiser, id);
      expect(body.data.map(({ changes }: Json) => changes.name?.new)).toEqual(['Two', 'One', undefined]);
      const [{ n }] = await world().sql<{ n: number }>(
        `SELECT count(*) AS n FROM account_changes c WHERE c."accountId" = $1
        AND "transactionId" IS NULL`,
        advertiser.account.id,
      );
      expect(n).toBe(0);
    });

    it('wants whole hours, in order', async () => {
      const advertiser = await given.advertiser();
      const { id } = await given.campaign({ account: advertiser.account });
      for (const [name, time] of [
        ['start_time', '2026-01-01T10:30:00Z'],
        ['start_time', '2026-01-01T10:00:01Z'],
        ['end_time', '2040-01-01T10:59:59Z'],
        ['start_time', '2026-01-01T10:00:00+05:30'],
      ]) {
        expect(await history(advertiser, id, { [name]: time })).toMatchObject({
          status: 400,
          body: { errors: [{ code: 'INVALID_PARAMETER', parameter: name }] },
        });
      }
      for (const end_time of [hour(-1), hour(-2)]) {
        expect(await history(advertiser, id, { end_time })).toMatchObject({
          status: 400,
          body: { errors: [{ code: 'INVALID_TIME_WINDOW', parameter: 'end_time' }] },
        });
      }
    });

    it('names both wrong hours and their order in one answer, beside what else is wrong', async () => {
      const advertiser = await given.advertiser();
      const { status, body } = await history(advertiser, 'Not an id', {
        start_time: '2026-01-02T10:30:00Z',
        end_time: '2026-01-01T10:00:01Z',
        user_id: '7',
      });
      expect({ status, errors: body.errors.map(({ code, parameter }: Json) => `${code} ${parameter}`) }).toEqual({
        status: 400,
        errors: [
          'INVALID_PARAMETER entity_id',
          'INVALID_PARAMETER start_time',
          'INVALID_PARAMETER end_time',
          'INVALID_TIME_WINDOW end_time',
        ],
      });
      expect(body.request.params).toMatchObject({ entity_type: 'CAMPAIGN', user_id: '7' });
    });

    it('takes a fraction of a second for no whole hour, unless it is none', async () => {
      const advertiser = await given.advertiser();
      const { id } = await given.campaign({ account: advertiser.account });
      for (const fraction of ['.5', '.001', '.0000001']) {
        expect(await history(advertiser, id, { start_time: `2026-01-01T00:00:00${fraction}Z` })).toMatchObject({
          status: 400,
          body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'start_time' }] },
        });
      }
      const { status, body } = await history(advertiser, id, { start_time: '2026-01-01T02:00:00.000+02:00' });
      expect({ status, start: body.request.params.start_time }).toEqual({ status: 200, start: '2026-01-01T00:00:00Z' });
    });

    it('takes times with an offset, and a date alone', async () => {
      const advertiser = await given.advertiser();
      const { id } = await given.campaign({ account: advertiser.account });
      const { status, body } = await history(advertiser, id, {
        start_time: '2026-01-01T02:00:00+02:00',
        end_time: '2040-01-01',
      });
      expect(status).toBe(200);
      expect(body.request.params).toMatchObject({
        start_time: '2026-01-01T00:00:00Z',
        end_time: '2040-01-01T00:00:00Z',
      });
      expect(body.data).toHaveLength(1);
    });

    it('needs all four of its parameters, and names those that are missing', async () => {
      const { account, api } = await given.advertiser();
      const { status, body } = await api.get(`/12/accounts/${account.id}/account_history`);
      expect(status).toBe(400);
      expect(body.errors.map(({ code, parameter }: Json) => `${code} ${parameter}`).sort()).toEqual(
        ['entity_id', 'entity_type', 'end_time', 'start_time'].map((name) => `MISSING_PARAMETER ${name}`).sort(),
      );
      expect((await history({ account, api } as Advertiser, 'x', { entity_type: 'ACCOUNT' })).status).toBe(400);
    });

    it('keeps to its window and to one user', async () => {
      const advertiser = await given.advertiser();
      const colleague = await given.member(advertiser.account, 'AD_MANAGER');
      const { id } = await given.campaign({ account: advertiser.account });
      world().clock.advance(2 * HOUR);
      await colleague.api.put(`/12/accounts/${advertiser.account.id}/campaigns/${id}`, { query: { name: 'Later' } });
      const types = async (query: Params) =>
        (await history(advertiser, id, query)).body.data.map(({ change_type }: Json) => change_type);
      expect(await types({ start_time: hour(-3) })).toEqual(['UPDATE', 'CREATE']);
      expect(await types({ start_time: hour(0) })).toEqual(['UPDATE']);
      expect(await types({ start_time: hour(-3), end_time: hour(0) })).toEqual(['CREATE']);
      expect(await types({ start_time: hour(-3), user_id: colleague.user.id })).toEqual(['UPDATE']);
      expect(await types({ start_time: hour(-3), user_id: '1' })).toEqual([]);
    });

    it('takes a cursor only for the same hours', async () => {
      const advertiser = await given.advertiser();
      const { id } = await given.campaign({ account: advertiser.account });
      await world()
        .get(CampaignsService)
        .update(advertiser.account, id, Parsed.complete({ name: 'After' }));
      const { body } = await history(advertiser, id, { count: 1 });
      expect((await history(advertiser, id, { count: 1, cursor: body.next_cursor })).status).toBe(200);
      const other = await history(advertiser, id, { cursor: body.next_cursor, start_time: hour(-2) });
      expect(other).toMatchObject({ status: 400, body: { errors: [{ parameter: 'cursor' }] } });
    });

    it('tells nothing of other accounts', async () => {
      const advertiser = await given.advertiser();
      const stranger = await given.advertiser();
      const { id } = await given.campaign({ account: stranger.account });
      expect((await history(advertiser, id)).body.data).toEqual([]);
    });
  });
});

describe('promotable users', () => {
  describe('promotable users', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/promotable_users`,
      make: (account) => given.promotableUser(account),
      remove: async ({ account }, id) => {
        const [{ userId }] = await world().sql<{ userId: string }>(
          `SELECT "userId" FROM promotable_users WHERE id = $1`,
          id,
        );
        await world().get(PromotableUsersService).remove(account.id, userId);
      },
      view: PromotableUserView,
      entity: PromotableUser,
      idsFilter: 'promotable_user_ids',
      // Whoever makes an account is its FULL one.
      already: 1,
    });

    it('have the maker of the account as the FULL one', async () => {
      const { account, api, user } = await given.advertiser();
      const other = await given.promotableUser(account);
      const path = `/12/accounts/${account.id}/promotable_users`;
      const { body } = await api.get(path);
      expect(body.data).toMatchObject([
        { id: other.id, user_id: other.userId, promotable_user_type: 'RETWEETS_ONLY', deleted: false },
        { user_id: user.id, promotable_user_type: 'FULL', deleted: false },
      ]);
      const single = await api.get(`${path}/${other.id}`);
      expect(single.body).toEqual({
        request: { params: { account_id: account.id, promotable_user_id: other.id } },
        data: body.data[0],
      });
    });

    it('are read singly, deleted ones with with_deleted only', async () => {
      const { account, api } = await given.advertiser();
      const other = await given.promotableUser(account);
      const path = `/12/accounts/${account.id}/promotable_users/${other.id}`;
      await world().get(PromotableUsersService).remove(account.id, other.userId);
      expect(await api.get(path)).toMatchObject({
        status: 404,
        body: { errors: [{ code: 'NOT_FOUND', parameter: 'promotable_user_id' }] },
      });
      expect(await api.get(path, { query: { with_deleted: true } })).toMatchObject({
        status: 200,
        body: { data: { id: other.id, deleted: true } },
      });
    });

    it('of other accounts are not found', async () => {
      const { account, api } = await given.advertiser();
      const stranger = await given.advertiser();
      const theirs = await given.promotableUser(stranger.account);
      expect((await api.get(`/12/accounts/${account.id}/promotable_users/${theirs.id}`)).status).toBe(404);
    });
  });
});

describe('requires feature', () => {
  @AccountController('things', { tag: 'Accounts', reads: ACCOUNT_READ })
  @RequiresFeature('CITY_TARGETING')
  class ThingsController {
    @Get()
    @ReturnsList()
    list() {
      return ['city'];
    }

    @Get('special')
    @RequiresFeature('BRAND_TPN')
    @ReturnsList()
    special() {
      return ['brand'];
    }
  }

  const { url, get: provider } = useControllers(ThingsController);

  let advertiser: Advertiser;
  beforeEach(async () => {
    advertiser = await given.advertiser();
  });

  const get = async (path: string) => {
    const target = `/12/accounts/${advertiser.account.id}/things${path}`;
    const { status, body } = await send(url(), target, {
      method: 'GET',
      headers: { authorization: authorization(advertiser.credentials, 'GET', `${url()}${target}`) },
    });
    return { status, data: body.data, errors: body.errors };
  };
  const refused = (key: string) => ({
    status: 400,
    errors: [{ code: 'FEATURE_NOT_AVAILABLE', message: `The feature ${key} is not available for this account` }],
  });

  it('lets accounts in that have the features of controller and method', async () => {
    const features = (add: ('CITY_TARGETING' | 'BRAND_TPN')[]) =>
      provider(FeaturesService).changeByOperator(advertiser.account.id, { add });
    expect(await get('')).toMatchObject(refused('CITY_TARGETING'));
    expect(await get('/special')).toMatchObject(refused('CITY_TARGETING'));
    await features(['CITY_TARGETING']);
    expect(await get('')).toEqual({ status: 200, data: ['city'] });
    expect(await get('/special')).toMatchObject(refused('BRAND_TPN'));
    await features(['BRAND_TPN']);
    expect(await get('/special')).toEqual({ status: 200, data: ['brand'] });
  });
});

describe('user removal', () => {
  useApp();

  const removal = () => world().get(UserRemoval);
  /** Which tables of a dump of the store have each of the traces, in any column: bytes are compared in hexadecimal. */
  async function dumpOf(traces: Record<string, string>): Promise<Record<string, string[]>> {
    const tables = await world().sql<{ table: string }>(
      `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS "table" FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    expect(tables.length).toBeGreaterThan(50);
    const found: Record<string, string[]> = {};
    for (const { table } of tables) {
      const has = await world().sql<{ trace: string }>(
        `SELECT n.trace FROM unnest($1::text[], $2::text[]) AS n (trace, text)
        WHERE EXISTS (SELECT FROM ${table} r WHERE strpos(lower(r::text), n.text) > 0)`,
        Object.keys(traces),
        Object.values(traces).map((text) => text.toLowerCase()),
      );
      for (const { trace } of has) (found[trace] ??= []).push(table);
    }
    return found;
  }
  const rowsOf = async (table: string, column: string, value: string) =>
    Number((await world().sql<{ n: string }>(`SELECT count(*) AS n FROM ${table} WHERE "${column}" = $1`, value))[0].n);
  const usersOfDirectory = async () =>
    (
      await world().sql<{ value: number }>(
        `SELECT value FROM counters WHERE "ownerId" = 'directory' AND kind = 'users'`,
      )
    )[0].value;

  /** Deletes a user as the command does, and the people whom the jobs that follow see to. */
  async function deleted({ user }: Life, work = () => removal().finish(user.id)): Promise<void> {
    expect(await removal().delete(user.id)).toEqual({ sessions: 1, accessTokens: 1, grants: 0 });
    await world().caughtUp();
    await work();
    await world().get(ExpiredMediaJob).removeExpired();
  }

  describe('a deleted user', () => {
    it('is in no dump of the store', async () => {
      const lived = await life();
      const { user, traces } = lived;
      const { number } = (await world().get(DirectoryService).of(user.id))!.known;
      const matched = () =>
        world().sql('SELECT "audienceId" FROM audience_identifiers WHERE users @> ARRAY[$1::int]', number);
      expect(await matched()).toHaveLength(3);
      expect(Object.keys(await dumpOf(traces)).toSorted()).toEqual(Object.keys(traces).toSorted());
      await deleted(lived);
      expect(await dumpOf(traces)).toEqual({});
      expect(await matched()).toEqual([]);
      const [row] = await world().sql(`SELECT * FROM users WHERE id = $1`, user.id);
      expect(row).toMatchObject({ username: `deleted_${user.id}`, name: '', passwordHash: null });
      for (const table of [
        'access_tokens',
        'request_tokens',
        'sessions',
        'account_memberships',
        'preview_notifications',
      ])
        expect([table, await rowsOf(table, 'userId', user.id)]).toEqual([table, 0]);
      for (const table of ['directory_users', 'directory_sample'])
        expect([table, await rowsOf(table, 'userId', user.id)]).toEqual([table, 0]);
      // done: another time has nothing to do
      await removal().finish(user.id);
    });

    it('cannot be acted as or found from the first moment', async () => {
      const { user, api, account, traces, other } = await life();
      expect((await api.get('/12/accounts')).status).toBe(200);
      await removal().delete(user.id);
      await world().caughtUp();
      expect((await api.get('/12/accounts')).status).toBe(401);
      expect(await world().get(UsersService).findByUsername(traces.handle)).toBeUndefined();
      expect(await rowsOf('sessions', 'userId', user.id)).toBe(0);
      const jobs = await world().sql(
        `SELECT data FROM pgboss.job WHERE name = 'user-deleted' AND data->>'userId' = $1`,
        user.id,
      );
      expect(jobs).toEqual([{ data: { userId: user.id } }]);
      expect(await removal().delete(user.id)).toBeUndefined();
      // others go on
      expect((await other.api.get(`/12/accounts/${account.id}`)).status).toBe(200);
      // its job would run later, while another test counts users
      await removal().finish(user.id);
    });

    it('leaves what belongs to others as it was, without the names', async () => {
      const lived = await life();
      const { user, other, mentioning, mention, traces, account, criterion, audience, application } = lived;
      const before = await usersOfDirectory();
      await deleted(lived);
      const now = `deleted_${user.id}`;
      const [post] = await world().sql<{ text: string; entities: Record<string, { indices: [number, number] }[]> }>(
        `SELECT text, entities FROM posts WHERE id = $1`,
        mentioning.id,
      );
      expect(post.text).toBe(mention.replace(traces.handle.toUpperCase(), now));
      expect(post.entities.user_mentions).toMatchObject([
        { screen_name: now, name: '', id_str: user.id },
        { screen_name: other.user.username, id_str: other.user.id },
      ]);
      const marked = (kind: string) =>
        post.entities[kind].map(({ indices }) => [...post.text].slice(...indices).join(''));
      expect(marked('user_mentions')).toEqual([`@${now}`, `@${other.user.username}`]);
      expect(marked('hashtags')).toEqual(['#hello']);
      expect(marked('urls')).toEqual(['https://example.com/a']);
      expect((await other.api.get(`/12/accounts/${account.id}`)).body.data.name).toBe(`${now}'s shop`);
      expect((await world().get(ApplicationQueries).findById(application.id))?.name).toBe(`Tool of ${now}`);
      const criteria = `/12/accounts/${other.account.id}/targeting_criteria/${criterion.id}`;
      expect((await other.api.get(criteria)).body.data.name).toBe(`@${now}`);
      // of the audience only the person who is somebody else
      expect(await rowsOf('audience_identifiers', 'audienceId', audience.id)).toBe(1);
      const usage = await world().get(StorageQuotas).usageOf(other.account.id, ['AUDIENCE_ROWS']);
      expect(usage.AUDIENCE_ROWS.used).toBe(1);
      await world().get(SizeAudiencesJob).sizeDue();
      const [sizing] = await world().sql<{ countedUntil: null; generation: number }>(
        `SELECT generation FROM audience_sizings WHERE "audienceId" = $1`,
        audience.id,
      );
      expect(sizing.generation).toBeGreaterThan(1);
      expect(await usersOfDirectory()).toBe(before - 1);
      const fan = (await world().get(UsersService).findByUsername(lived.fan))!;
      expect((await world().get(DirectoryService).of(fan.id))!.known.follows).not.toContain(Number(user.id));
      expect(await rowsOf('media', 'id', lived.unused.mediaId)).toBe(0);
      expect(await rowsOf('media', 'id', lived.image.mediaId)).toBe(1);
    });

    it('is replaced in the sample of the directory', async () => {
      const lived = await life();
      const fan = (await world().get(UsersService).findByUsername(lived.fan))!;
      await world().sql(`DELETE FROM directory_sample WHERE "userId" = $1`, fan.id);
      await deleted(lived);
      expect(await rowsOf('directory_sample', 'userId', fan.id)).toBe(1);
      const [sample] = await world().sql<{ n: number }>('SELECT count(*)::int AS n FROM directory_sample');
      expect(sample.n).toBe(await usersOfDirectory());
    });

    it('has another name where somebody is called as they would be', async () => {
      const lived = await life();
      await world().get(UsersService).create(`deleted_${lived.user.id}`);
      await deleted(lived);
      const [row] = await world().sql<{ username: string }>('SELECT username FROM users WHERE id = $1', lived.user.id);
      expect(row.username).toMatch(/^deleted_[0-9a-z]{13}$/);
    });

    it('may be called as before by somebody new, who is another', async () => {
      const lived = await life();
      await deleted(lived);
      const { id } = await world().get(UsersService).create(lived.traces.handle);
      expect(id).not.toBe(lived.user.id);
      await world()
        .get(DirectoryImportService)
        .store([world().get(DirectoryImportService).read({ username: lived.traces.handle })]);
    });
  });

  describe('the job that removes a user', () => {
    it('is done by a worker when requests that began before have ended', async () => {
      const { user, traces } = await life();
      await removal().delete(user.id);
      const ofUser = `name = 'user-deleted' AND data->>'userId' = '${user.id}'`;
      const [{ delay }] = await world().sql<{ delay: number }>(
        `SELECT extract(epoch FROM start_after - created_on)::float8 AS delay FROM pgboss.job WHERE ${ofUser}`,
      );
      expect(delay).toBeGreaterThan(10);
      await world().sql(`UPDATE pgboss.job SET start_after = now() WHERE ${ofUser}`);
      const isNamed = async () => (await rowsOf('users', 'username', `deleted_${user.id}`)) === 0;
      for (let tries = 0; tries < 300 && (await isNamed()); tries++) await pause(100);
      expect(await dumpOf(traces)).toEqual({});
    }, 60_000);

    it('is enqueued again if it ended without success', async () => {
      const { user, traces } = await life();
      await removal().delete(user.id);
      await world().sql(`UPDATE users SET "deletedAt" = "deletedAt" - interval '2 hours' WHERE id = $1`, user.id);
      const jobs = () =>
        world().sql<{ id: string }>(
          `SELECT id FROM pgboss.job WHERE name = 'user-deleted' AND data->>'userId' = $1`,
          user.id,
        );
      const waiting = await jobs();
      await removal().resume();
      expect(await jobs()).toEqual(waiting);
      await world().sql('DELETE FROM pgboss.job WHERE id = $1', waiting[0].id);
      await removal().resume();
      const isNamed = async () => (await rowsOf('users', 'username', `deleted_${user.id}`)) === 0;
      for (let tries = 0; tries < 300 && (await isNamed()); tries++) await pause(100);
      expect(await dumpOf(traces)).toEqual({});
      await removal().resume();
      expect((await jobs()).filter(({ id }) => id === waiting[0].id)).toEqual([]);
    }, 60_000);

    /** A signal that stops the work when it was looked at so often. */
    function stoppedAfter(looks: number): AbortSignal {
      const { signal } = new AbortController();
      let left = looks;
      return Object.assign(signal, {
        throwIfAborted: () => {
          if (left-- <= 0) throw new Error('stopped');
        },
      });
    }

    /** Does the job, and stops it after each look at its signal. */
    async function oftenStopped({ user }: Life): Promise<void> {
      let looks = 0;
      for (let isDone = false; !isDone; looks++) {
        isDone = await removal()
          .finish(user.id, stoppedAfter(looks))
          .then(
            () => true,
            (error: Error) => {
              expect(error.message).toBe('stopped');
              return false;
            },
          );
      }
      expect(looks).toBeGreaterThan(10);
    }

    it('goes on wherever it was stopped', async () => {
      const lived = await life();
      await deleted(lived, () => oftenStopped(lived));
      expect(await dumpOf(lived.traces)).toEqual({});
    });

    it('also removes whom somebody uploads after the audiences were searched, wherever it is stopped then', async () => {
      const lived = await life();
      const publishers = world().get(PublishersService);
      const remove = publishers.delete.bind(publishers);
      const searched = jest.spyOn(publishers, 'delete').mockImplementation(async (userId) => {
        const { email_hash } = lived.traces;
        // once nobody knows whose hash it is, it stays with the advertiser
        if ((await world().get(AudiencesRemoval).identifiersOf(lived.user)).hashes.includes(email_hash)) {
          const uploaded = { operation_type: 'Update', params: { users: [{ email: [email_hash] }] } };
          await world().get(CustomAudienceUsersService).upload(lived.other.account, lived.audience.id, [uploaded]);
        }
        return remove(userId);
      });
      await deleted(lived, () => oftenStopped(lived));
      searched.mockRestore();
      expect(await dumpOf(lived.traces)).toEqual({});
    });

    it('may be done by two replicas at once', async () => {
      const lived = await life();
      const before = await usersOfDirectory();
      await deleted(lived, async () => {
        await Promise.all([removal().finish(lived.user.id), removal().finish(lived.user.id)]);
      });
      expect(await dumpOf(lived.traces)).toEqual({});
      expect(await usersOfDirectory()).toBe(before - 1);
    });

    it('leaves alone who is not deleted', async () => {
      const { user, traces } = await life();
      await removal().finish(user.id);
      expect((await world().get(UsersService).findByUsername(traces.handle))?.name).toBe(traces.name);
    });
  });

  describe('who cannot be deleted', () => {
    it('is the only administrator of an account, which is named', async () => {
      const { user, account } = await given.advertiser();
      const deleting = removal().delete(user.id);
      await expect(deleting).rejects.toThrow(`the user is the only administrator of ${account.name} (${account.id});`);
      expect((await world().get(UsersService).findByIds([user.id])).length).toBe(1);
      const second = await given.member(account, 'ACCOUNT_ADMIN');
      const both = await Promise.allSettled([removal().delete(user.id), removal().delete(second.user.id)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    });

    it('is nobody whom there is not', async () => {
      expect(await removal().delete('1')).toBeUndefined();
    });

    it('is not kept by accounts that are deleted themselves', async () => {
      const { user, account } = await given.advertiser();
      await given.deletedAccount('production', account.id, user.id);
      expect(await removal().delete(user.id)).toMatchObject({ accessTokens: 1 });
      await removal().finish(user.id);
      expect(await world().get(DataSource).manager.query('SELECT name FROM users WHERE id = $1', [user.id])).toEqual([
        { name: '' },
      ]);
    });
  });
});
