import { DEVICES } from '../../../src/campaigns/targeting-values/targeting-lists.js';
import type { Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const IPHONE = DEVICES.all().find(({ osType }) => osType === 'iOS')!.value;
const [IOS, ANDROID] = [{ ios_app_store_identifier: '284882215' }, { android_app_store_identifier: 'com.example.app' }];

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const path = (what: string) => `/12/accounts/${advertiser.account.id}/${what}`;
const platforms = async (line_item_ids: string): Promise<string[]> => {
  const { data } = (await advertiser.api.get(path('targeting_criteria'), { query: { line_item_ids } })).body;
  return data
    .filter(({ targeting_type: type }: Json) => type === 'PLATFORM')
    .map(({ targeting_value: value, operator_type: operator }: Json) => `${operator} ${value}`)
    .sort();
};
const add = async (line_item_id: string, targeting_type: string, targeting_value: string, operator_type = 'EQ') => {
  const query = { line_item_id, targeting_type, targeting_value, operator_type };
  const { status, body } = await advertiser.api.post(path('targeting_criteria'), { query });
  expect(status).toBe(201);
  return body.data.id as string;
};
const change = async (id: string, query: Params) =>
  expect((await advertiser.api.put(path(`line_items/${id}`), { query })).status).toBe(200);
const create = async (params: Params): Promise<string> => {
  const { campaignId } = await given.lineItem({ account: advertiser.account });
  const query = {
    campaign_id: campaignId,
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: 'ALL_ON_PLATFORM',
    start_time: '2026-01-01T00:00:00Z',
    end_time: '2036-01-01T00:00:00Z',
    ...params,
  };
  const { status, body } = await advertiser.api.post(path('line_items'), { query });
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data.id;
};

describe('the identifier of an app in a store', () => {
  it('targets the platform of the store, with a new line item and in its history', async () => {
    expect(await platforms(await create({}))).toEqual([]);
    expect(await platforms(await create(IOS))).toEqual(['EQ 0']);
    expect(await platforms(await create(ANDROID))).toEqual(['EQ 1']);
    const id = await create({ ...IOS, ...ANDROID });
    expect(await platforms(id)).toEqual(['EQ 0', 'EQ 1']);
    const changes = await world().sql<Json>(
      `SELECT "changeType" AS type, "entityData"->>'name' AS name FROM account_changes
        WHERE "entityType" = 'TARGETING_CRITERIA' AND "entityData"->>'line_item_id' = $1 ORDER BY id`,
      id,
    );
    expect(changes).toEqual([
      { type: 'CREATE', name: 'iOS' },
      { type: 'CREATE', name: 'Android' },
    ]);
  });

  it('does so in a batch', async () => {
    const { campaignId } = await given.lineItem({ account: advertiser.account });
    const times = { start_time: '2026-01-01T00:00:00Z', end_time: '2036-01-01T00:00:00Z' };
    const params = { campaign_id: campaignId, objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS', ...times };
    const operation = (more: Json) => ({
      operation_type: 'Create',
      params: { ...params, placements: ['ALL_ON_PLATFORM'], ...more },
    });
    const json = [operation(IOS), operation({}), operation(ANDROID)];
    const { body } = await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/line_items`, { json });
    const found = [];
    for (const { id } of body.data) found.push(await platforms(id));
    expect(found).toEqual([['EQ 0'], [], ['EQ 1']]);
  });

  it('does so when a line item is given it later, once', async () => {
    const id = await create({});
    await change(id, IOS);
    expect(await platforms(id)).toEqual(['EQ 0']);
    await change(id, { ...IOS, name: 'Renamed' });
    await change(id, { ios_app_store_identifier: '284882216' });
    expect(await platforms(id)).toEqual(['EQ 0']);
    await change(id, ANDROID);
    expect(await platforms(id)).toEqual(['EQ 0', 'EQ 1']);
  });

  it('leaves the platform targeted when it is taken away, and away where that was deleted', async () => {
    const id = await create(IOS);
    await change(id, { ios_app_store_identifier: '' });
    expect(await platforms(id)).toEqual(['EQ 0']);
    const { data } = (await advertiser.api.get(path('targeting_criteria'), { query: { line_item_ids: id } })).body;
    await advertiser.api.delete(path(`targeting_criteria/${data[0].id}`));
    await change(id, { name: 'Renamed' });
    expect(await platforms(id)).toEqual([]);
    await change(id, IOS);
    expect(await platforms(id)).toEqual(['EQ 0']);
  });

  it('adds nothing where devices of the platform are targeted, or it is kept away', async () => {
    const [devices, away] = [await create({}), await create({})];
    await add(devices, 'DEVICE', IPHONE);
    await add(away, 'PLATFORM', '0', 'NE');
    for (const id of [devices, away]) await change(id, IOS);
    expect(await platforms(devices)).toEqual([]);
    expect(await platforms(away)).toEqual(['NE 0']);
  });

  it('and a criterion that says the same, at the same time, are one', async () => {
    const id = await create({});
    await Promise.all([
      change(id, IOS),
      ...Array.from({ length: 4 }, () =>
        advertiser.api.post(path('targeting_criteria'), {
          query: { line_item_id: id, targeting_type: 'PLATFORM', targeting_value: '0' },
        }),
      ),
    ]);
    expect(await platforms(id)).toEqual(['EQ 0']);
  });
});
