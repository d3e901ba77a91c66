import { TargetingCriterion } from '../../../src/campaigns/criterion-sets/targeting-criterion.entity.js';
import { TargetingCriterionView } from '../../../src/campaigns/criterion-sets/targeting-criterion.presenter.js';
import { TargetingCriteriaService } from '../../../src/campaigns/targeting-criteria/targeting-criteria.service.js';
import { useApp, world } from '../../support/app.js';
import type { Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { base36Ids, listConventions } from '../../support/list-conventions.js';

useApp();

const NAMES = ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'];

describe('targeting criteria', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/targeting_criteria`,
    parent: { make: (account) => given.lineItem({ account }) },
    required: (lineItem) => ({ line_item_ids: [lineItem.id] }),
    make: (account, n, lineItem) =>
      given.targetingCriterion({
        account,
        line_item_id: lineItem.id,
        targeting_type: n < 4 ? 'BROAD_KEYWORD' : 'EXACT_KEYWORD',
        targeting_value: NAMES[n],
      }),
    makeMany: (account, count, { id }) => given.keywords({ account, count, line_item_id: id }),
    remove: ({ account }, id) => world().get(TargetingCriteriaService).delete(account, id),
    view: TargetingCriterionView,
    entity: TargetingCriterion,
    idsFilter: 'targeting_criterion_ids',
    sortable: ['created_at', 'updated_at', 'deleted', 'name'],
  });

  const listed = async ({ account, api }: Advertiser, query: Params): Promise<Json[]> => {
    const { status, body } = await api.get(`/12/accounts/${account.id}/targeting_criteria`, { query });
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body.data;
  };
  const idsOf = (items: Json[]) => items.map(({ id }) => id);

  it('needs line_item_ids, of which there are 200 at most', async () => {
    const { account, api } = await given.advertiser();
    const path = `/12/accounts/${account.id}/targeting_criteria`;
    const none = await api.get(path);
    expect(none).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'MISSING_PARAMETER', parameter: 'line_item_ids' }] },
    });
    const ids = Array.from({ length: 201 }, (_, i) => base36Ids(i));
    const many = await api.get(path, { query: { line_item_ids: ids.join() } });
    expect(many).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'line_item_ids' }] },
    });
    expect((await api.get(path, { query: { line_item_ids: ids.slice(1).join() } })).body.data).toEqual([]);
  });

  it('shows those of several line items, and of no others', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const [one, two, three] = await given.lineItems({ account, count: 3 });
    const made = [];
    for (const { id } of [one, two, three]) made.push(await given.targetingCriterion({ account, line_item_id: id }));
    const ids = idsOf(await listed(advertiser, { line_item_ids: `${one.id},${three.id}` }));
    expect(ids).toEqual([made[2].id, made[0].id]);
    const other = await given.advertiser();
    expect(await listed(other, { line_item_ids: one.id })).toEqual([]);
  });

  it('shows those of a deleted line item, or campaign, only with deleted ones, still not deleted', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const [one, other] = [await given.lineItem({ account }), await given.lineItem({ account })];
    const path = `/12/accounts/${account.id}`;
    const made = [];
    for (const { id } of [one, other]) made.push(await given.targetingCriterion({ account, line_item_id: id }));
    expect((await api.delete(`${path}/line_items/${one.id}`)).status).toBe(200);
    expect((await api.delete(`${path}/campaigns/${other.campaignId}`)).status).toBe(200);
    const query = { line_item_ids: `${one.id},${other.id}` };
    expect(await listed(advertiser, query)).toEqual([]);
    expect(await listed(advertiser, { ...query, with_deleted: true })).toMatchObject([
      { id: made[1].id, deleted: false },
      { id: made[0].id, deleted: false },
    ]);
    for (const { id } of made) {
      const own = `${path}/targeting_criteria/${id}`;
      expect((await api.get(own)).status).toBe(404);
      expect(await api.get(own, { query: { with_deleted: true } })).toMatchObject({
        status: 200,
        body: { data: { id, deleted: false } },
      });
      expect((await api.delete(own)).status).toBe(404);
    }
  });

  it('says what places, languages and platforms are called in a language, where that is known', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const { id } = await given.lineItem({ account });
    for (const [targeting_type, targeting_value] of [
      ['LOCATION', '96683cc9126741d1'],
      ['LANGUAGE', 'fr'],
      ['PLATFORM', '4'],
      ['BROAD_KEYWORD', 'coffee'],
    ] as const)
      await given.targetingCriterion({ account, line_item_id: id, targeting_type, targeting_value });
    const names = (items: Json[]) => items.map(({ localized_name: name }) => name);
    expect(names(await listed(advertiser, { line_item_ids: id }))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const inGerman = await listed(advertiser, { line_item_ids: id, lang: 'de' });
    expect(names(inGerman)).toEqual([undefined, expect.any(String), 'Französisch', 'Vereinigte Staaten']);
    const place = `/12/accounts/${account.id}/targeting_criteria/${inGerman[3].id}`;
    expect((await advertiser.api.get(place, { query: { lang: 'fr' } })).body.data.localized_name).toBe('États-Unis');
    expect(await advertiser.api.get(place, { query: { lang: 'french' } })).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'lang', value: 'french' }] },
    });
  });
});
