import { LineItem } from '../../../src/campaigns/entities/line-item.entity.js';
import { LineItemAppView } from '../../../src/campaigns/line-item-apps/line-item-app.presenter.js';
import { LineItemsService } from '../../../src/campaigns/line-items/line-items.service.js';
import type { Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

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

  it('of another account are not there, and writes learn which fields of the line item to set', async () => {
    const [{ account, api }, stranger] = [await given.advertiser(), await given.advertiser()];
    const { id } = await given.lineItem({ account: stranger.account, ...IOS });
    expect((await api.get(`/12/accounts/${account.id}/line_item_apps/${id}i`)).status).toBe(404);
    const post = await api.post(`/12/accounts/${account.id}/line_item_apps`, { query: { line_item_id: id } });
    expect(post).toMatchObject({
      status: 405,
      body: {
        errors: [{ code: 'METHOD_NOT_ALLOWED', hint: expect.stringMatching(/^Use PUT .*ios_app_store_identifier/) }],
      },
    });
    const removed = await api.delete(`/12/accounts/${account.id}/line_item_apps/${id}i`);
    expect(removed.body.errors[0].hint).toContain(`/line_items/${id}`);
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
