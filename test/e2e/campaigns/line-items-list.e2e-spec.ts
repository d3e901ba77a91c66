import { LineItem } from '../../../src/campaigns/entities/line-item.entity.js';
import { LineItemView } from '../../../src/campaigns/line-items/line-item.presenter.js';
import { LineItemsService } from '../../../src/campaigns/line-items/line-items.service.js';
import { useApp, world } from '../../support/app.js';
import type { Json } from '../../support/api.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

const BIDS = [3, 1, null, 2, null, 2, 1, 4, 3];

describe('line items', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/line_items`,
    make: (account, n) =>
      given.lineItem({
        account,
        name: ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'][n],
        bid_amount_local_micro: BIDS[n] && BIDS[n] * 10_000,
      }),
    makeMany: (account, count) => given.lineItems({ account, count, entity_status: 'PAUSED' }),
    remove: ({ account }, id) => world().get(LineItemsService).delete(account, id),
    view: LineItemView,
    entity: LineItem,
    idsFilter: 'line_item_ids',
    sortable: ['created_at', 'updated_at', 'deleted', 'bid_amount_local_micro'],
    q: true,
  });

  const listed = async (advertiser: { account: { id: string }; api: Json }, query: Json = {}) =>
    (await advertiser.api.get(`/12/accounts/${advertiser.account.id}/line_items`, { query })).body.data.map(
      ({ id }: Json) => id,
    );

  it('hides drafts, unless with_draft says otherwise', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const draft = await given.lineItem({ account, entity_status: 'DRAFT' });
    const item = await given.lineItem({ account });
    expect(await listed(advertiser)).toEqual([item.id]);
    expect(await listed(advertiser, { with_draft: true })).toEqual([item.id, draft.id]);
  });

  it('finds those of campaigns and of funding instruments', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const [one, other] = [await given.lineItem({ account }), await given.lineItem({ account })];
    expect(await listed(advertiser, { campaign_ids: one.campaignId })).toEqual([one.id]);
    expect(await listed(advertiser, { funding_instrument_ids: other.fundingInstrumentId })).toEqual([other.id]);
  });

  it('shows those of a deleted campaign only with deleted ones, still not deleted', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const item = await given.lineItem({ account });
    const path = `/12/accounts/${account.id}`;
    expect((await api.delete(`${path}/campaigns/${item.campaignId}`)).status).toBe(200);
    expect(await listed(advertiser)).toEqual([]);
    expect(await listed(advertiser, { with_deleted: true })).toEqual([item.id]);
    expect((await api.get(`${path}/line_items/${item.id}`)).status).toBe(404);
    const shown = await api.get(`${path}/line_items/${item.id}`, { query: { with_deleted: true } });
    expect(shown.body.data).toMatchObject({ deleted: false, servable: false });
    expect(shown.body.data.reasons_not_servable).toContain('DELETED');
    expect((await api.put(`${path}/line_items/${item.id}`, { query: { name: 'Late' } })).status).toBe(404);
    expect((await api.delete(`${path}/line_items/${item.id}`)).status).toBe(404);
  });
});
