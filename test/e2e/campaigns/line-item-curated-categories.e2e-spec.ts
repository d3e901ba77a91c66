import { useApp, world } from '../../support/app.js';
import type { Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/line_item_curated_categories${rest}`;
const choose = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
const problems = ({ status, body }: { status: number; body: Json }) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
});

describe('curated categories of line items', () => {
  it('are chosen, changed and deleted; a line item has one at most', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const { id: line_item_id } = await given.prerollLineItem({ account });
    const [one, other] = [await given.curatedCategory(), await given.curatedCategory()];
    const made = await choose(advertiser, { line_item_id, curated_category_id: one.id });
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({
      id: expect.any(String),
      line_item_id,
      curated_category_id: one.id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    });
    const same = await choose(advertiser, { line_item_id, curated_category_id: one.id });
    expect({ status: same.status, data: same.body.data }).toEqual({ status: 200, data: made.body.data });
    expect(problems(await choose(advertiser, { line_item_id, curated_category_id: other.id }))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER line_item_id'],
    });

    const path = at(advertiser, `/${made.body.data.id}`);
    const changed = await api.put(path, { query: { curated_category_id: other.id, line_item_id } });
    expect(changed.body.data).toMatchObject({ curated_category_id: other.id, line_item_id });
    const { id: elsewhere } = await given.prerollLineItem({ account });
    expect((await api.put(path, { query: { line_item_id: elsewhere } })).body.data).toMatchObject({
      line_item_id: elsewhere,
      curated_category_id: other.id,
    });
    const taken = await given.lineItemCuratedCategory({ account });
    expect(problems(await api.put(path, { query: { line_item_id: taken.lineItemId } }))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER line_item_id'],
    });
    expect((await api.delete(path)).body.data).toMatchObject({ deleted: true });
    expect((await api.put(path, { query: {} })).status).toBe(404);
  });

  it('fit what their line item is targeted at', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const german = await given.curatedCategory({ country_codes: ['DE', 'AT'] });
    const { id: line_item_id } = await given.prerollLineItem({ account });
    const target = (targeting_type: string, targeting_value: string) =>
      api.post(`/12/accounts/${account.id}/targeting_criteria`, {
        query: { line_item_id, targeting_type, targeting_value },
      });
    expect((await target('LOCATION', '96683cc9126741d1')).status).toBe(201);
    expect(problems(await choose(advertiser, { line_item_id, curated_category_id: german.id }))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER curated_category_id'],
    });
    const everywhere = await given.curatedCategory({ country_codes: ['US', 'DE'] });
    const content = await target('IAB_CATEGORY', 'IAB17');
    expect(content.status).toBe(201);
    expect(problems(await choose(advertiser, { line_item_id, curated_category_id: everywhere.id }))).toEqual({
      status: 400,
      errors: ['EXCLUSIVE_PARAMETERS curated_category_id'],
    });
    await api.delete(`/12/accounts/${account.id}/targeting_criteria/${content.body.data.id}`);
    expect((await choose(advertiser, { line_item_id, curated_category_id: everywhere.id })).status).toBe(201);
    expect(problems(await target('IAB_CATEGORY', 'IAB17'))).toEqual({
      status: 400,
      errors: ['EXCLUSIVE_PARAMETERS targeting_type'],
    });
  });

  it('and content categories are not both stored, whoever comes first', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    for (let round = 0; round < 10; round++) {
      const { id: line_item_id } = await given.prerollLineItem({ account, entity_status: 'PAUSED' });
      const { id: curated_category_id } = await given.curatedCategory();
      const both = await Promise.all([
        choose(advertiser, { line_item_id, curated_category_id }),
        api.post(`/12/accounts/${account.id}/targeting_criteria`, {
          query: { line_item_id, targeting_type: 'IAB_CATEGORY', targeting_value: 'IAB17' },
        }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
    }
  });

  it('are one where many are chosen at once', async () => {
    const advertiser = await given.advertiser();
    const { id: line_item_id } = await given.prerollLineItem({ account: advertiser.account });
    const categories = [await given.curatedCategory(), await given.curatedCategory()];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        choose(advertiser, { line_item_id, curated_category_id: categories[n % 2].id }),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(201), count(200), count(400)]).toEqual([1, 5, 6]);
  });

  it('are for line items with in-stream videos, and have to be there', async () => {
    const advertiser = await given.advertiser();
    const { id: line_item_id } = await given.lineItem({ account: advertiser.account });
    expect(problems(await choose(advertiser, { line_item_id, curated_category_id: 'nothing' }))).toEqual({
      status: 400,
      errors: ['INCOMPATIBLE_LINE_ITEM line_item_id', 'NOT_FOUND curated_category_id'],
    });
    expect(problems(await choose(advertiser, { line_item_id: 'nobody', curated_category_id: '!' }))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER curated_category_id', 'NOT_FOUND line_item_id'],
    });
    const gone = await given.curatedCategory();
    await world().sql(`UPDATE curated_categories SET "deletedAt" = now() WHERE id = $1`, gone.id);
    const { id: preroll } = await given.prerollLineItem({ account: advertiser.account });
    expect(problems(await choose(advertiser, { line_item_id: preroll, curated_category_id: gone.id }))).toEqual({
      status: 404,
      errors: ['NOT_FOUND curated_category_id'],
    });
  });
});
