import { AccountApp } from '../../../src/accounts/account-apps/account-app.entity.js';
import { AccountAppView } from '../../../src/accounts/account-apps/account-app.presenter.js';
import { AccountAppsService } from '../../../src/accounts/account-apps/account-apps.service.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

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
          AND EXISTS (SELECT FROM outgoing_events e WHERE e."changeId" = c.id) ORDER BY id`,
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
