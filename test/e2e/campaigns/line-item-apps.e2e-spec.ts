import { LineItem } from '../../../src/campaigns/entities/line-item.entity.js';
import { LineItemAppView } from '../../../src/campaigns/line-item-apps/line-item-app.presenter.js';
import { LineItemsService } from '../../../src/campaigns/line-items/line-items.service.js';
import type { Json } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useSharedApp();

const IOS = { ios_app_store_identifier: '284882215' };
const ANDROID = { android_app_store_identifier: 'com.example.app' };

describe('the apps of line items', () => {
  it('are the iOS app and the Android app of each, and change with the line item', async () => {
    const { account, api } = await given.advertiser();
    const at = (rest = '') => `/12/accounts/${account.id}/line_item_apps${rest}`;
    const list = async (query = {}) => (await api.get(at(), { query })).body.data as Json[];
    const both = await given.lineItem({ account, ...IOS, ...ANDROID });
    const [one] = [await given.lineItem({ account, ...ANDROID }), await given.lineItem({ account })];
    const apps = await list();
    expect(apps).toEqual([
      {
        id: `${one.id}a`,
        line_item_id: one.id,
        app_store_identifier: 'com.example.app',
        os_type: 'ANDROID',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted: false,
      },
      expect.objectContaining({ id: `${both.id}i`, app_store_identifier: '284882215', os_type: 'IOS' }),
      expect.objectContaining({ id: `${both.id}a`, os_type: 'ANDROID' }),
    ]);
    for (const app of apps) expect((await api.get(at(`/${app.id}`))).body.data).toEqual(app);
    expect(await list({ line_item_app_ids: `${both.id}i,${one.id}a` })).toHaveLength(2);
    expect(await list({ line_item_ids: both.id, sort_by: 'updated_at-asc' })).toHaveLength(2);
    const first = await api.get(at(), { query: { count: 2, with_total_count: true } });
    expect(first.body).toMatchObject({ data: apps.slice(0, 2), total_count: 3 });
    expect(await list({ count: 2, cursor: first.body.next_cursor })).toEqual(apps.slice(2));

    const item = `/12/accounts/${account.id}/line_items/${both.id}`;
    await api.put(item, { query: { ios_app_store_identifier: '' } });
    expect(await api.get(at(`/${both.id}i`))).toMatchObject({
      status: 404,
      body: { errors: [{ code: 'LINE_ITEM_APP_NOT_FOUND', parameter: 'line_item_app_id' }] },
    });
    await api.delete(item);
    expect(await list()).toHaveLength(1);
    expect(await list({ with_deleted: true })).toMatchObject([
      { deleted: false },
      { id: `${both.id}a`, deleted: true },
    ]);
    const gone = await api.get(at(`/${both.id}a`), { query: { with_deleted: true } });
    expect(gone.body.data).toMatchObject({ deleted: true });
  });

  it('can be set and removed: the fields of the line item change, with its history', async () => {
    const { account, api } = await given.advertiser();
    const item = await given.lineItem({ account, ...ANDROID });
    const apps = `/12/accounts/${account.id}/line_item_apps`;
    const app = { line_item_id: item.id, app_store_identifier: '284882215', os_type: 'IOS' };
    const made = await api.post(apps, { query: app });
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({
      ...app,
      id: `${item.id}i`,
      deleted: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const at = `/12/accounts/${account.id}/line_items/${item.id}`;
    expect((await api.get(at)).body.data).toMatchObject({ ...IOS, ...ANDROID, updated_at: made.body.data.updated_at });
    expect((await api.get(`${apps}/${item.id}i`)).body.data).toEqual(made.body.data);
    expect((await api.delete(`${apps}/${item.id}i`)).body.data).toMatchObject({
      id: `${item.id}i`,
      app_store_identifier: '284882215',
      deleted: true,
    });
    expect((await api.get(at)).body.data.ios_app_store_identifier).toBeNull();
    expect((await api.delete(`${apps}/${item.id}i`)).body.errors).toMatchObject([{ code: 'LINE_ITEM_APP_NOT_FOUND' }]);
  });

  it('are at most one for each operating system, also of requests at the same time', async () => {
    const { account, api } = await given.advertiser();
    const item = await given.lineItem({ account });
    const add = (app_store_identifier: string) =>
      api.post(`/12/accounts/${account.id}/line_item_apps`, {
        query: { line_item_id: item.id, app_store_identifier, os_type: 'IOS' },
      });
    const answers = await Promise.all(['284882215', '333903271'].map(add));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    const refused = answers.find(({ status }) => status === 400)!;
    expect(refused.body.errors).toMatchObject([{ code: 'INVALID_PARAMETER', parameter: 'os_type' }]);
    expect((await add('com.example.app')).body.errors).toMatchObject([{ parameter: 'app_store_identifier' }]);
  });

  it('of an app objective stay: it needs one', async () => {
    const { account, api } = await given.advertiser();
    const item = await given.lineItem({ account, objective: 'APP_INSTALLS', ...ANDROID });
    const removed = await api.delete(`/12/accounts/${account.id}/line_item_apps/${item.id}a`);
    expect(removed).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'line_item_app_id', value: `${item.id}a` }] },
    });
    const both = await given.lineItem({ account, objective: 'APP_INSTALLS', ...ANDROID, ...IOS });
    expect((await api.delete(`/12/accounts/${account.id}/line_item_apps/${both.id}a`)).status).toBe(200);
    expect((await api.delete(`/12/accounts/${account.id}/line_item_apps/${both.id}i`)).status).toBe(400);
  });

  it('of another account are not there, and a PUT learns which fields of the line item to set', async () => {
    const [{ account, api }, stranger] = [await given.advertiser(), await given.advertiser()];
    const { id } = await given.lineItem({ account: stranger.account, ...IOS });
    const apps = `/12/accounts/${account.id}/line_item_apps`;
    expect((await api.get(`${apps}/${id}i`)).status).toBe(404);
    expect((await api.delete(`${apps}/${id}i`)).status).toBe(404);
    const post = await api.post(apps, {
      query: { line_item_id: id, app_store_identifier: 'com.example.app', os_type: 'ANDROID' },
    });
    expect(post).toMatchObject({ status: 404, body: { errors: [{ code: 'NOT_FOUND', parameter: 'line_item_id' }] } });
    expect(await api.put(`${apps}/${id}i`)).toMatchObject({
      status: 405,
      body: {
        errors: [{ code: 'METHOD_NOT_ALLOWED', hint: expect.stringMatching(/^Use PUT .*ios_app_store_identifier/) }],
      },
    });
  });

  describe('of which each line item has one', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/line_item_apps`,
      make: (account) => given.lineItem({ account, ...ANDROID }),
      makeMany: (account, count) => given.lineItems({ account, count, ...ANDROID, entity_status: 'PAUSED' }),
      remove: ({ account }, id) => world().get(LineItemsService).delete(account, id),
      view: LineItemAppView,
      entity: LineItem,
      idsFilter: 'line_item_ids',
      idOf: ({ line_item_id }) => line_item_id,
    });
  });
});
