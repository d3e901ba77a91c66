import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';
import { CampaignView } from '../../../src/campaigns/campaigns/campaign.presenter.js';
import { useApp, world } from '../../support/app.js';
import type { Json } from '../../support/api.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

describe('campaigns', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/campaigns`,
    // Ties and gaps among everything that can be sorted by.
    make: (account, n) =>
      given.campaign({
        account,
        name: ['Alpha', 'beta', 'Alpha', 'Gamma', 'alphabet', 'Äpfel', 'ALPHA'][n % 7],
        daily_budget_amount_local_micro: [10_000, 20_000, 20_000, 30_000][n % 4],
        total_budget_amount_local_micro: [null, 50_000, null, 60_000, 50_000][n % 5],
        budget_optimization: n % 3 === 2 ? 'LINE_ITEM' : 'CAMPAIGN',
        standard_delivery: n % 3 === 2 ? undefined : n % 3 === 0,
      }),
    makeMany: (account, count) => given.campaigns({ account, count, entity_status: 'PAUSED' }),
    remove: ({ account }, id) => world().get(CampaignsService).delete(account, id),
    softDeletes: true,
    view: CampaignView,
    idsFilter: 'campaign_ids',
    sortable: [
      'created_at',
      'updated_at',
      'deleted',
      'name',
      'start_time',
      'end_time',
      'daily_budget_amount_local_micro',
      'total_budget_amount_local_micro',
      'standard_delivery',
    ],
    q: true,
  });

  it('hides drafts, unless with_draft says otherwise', async () => {
    const { account, api } = await given.advertiser();
    const active = await given.campaign({ account });
    const draft = await given.campaign({ account, entity_status: 'DRAFT' });
    const ids = async (query: Json) =>
      (await api.get(`/12/accounts/${account.id}/campaigns`, { query })).body.data.map(({ id }: Json) => id);

    expect(await ids({})).toEqual([active.id]);
    expect(await ids({ campaign_ids: draft.id })).toEqual([]);
    expect(await ids({ with_draft: true })).toEqual([draft.id, active.id]);
    expect(await ids({ with_draft: false, with_total_count: true })).toEqual([active.id]);
  });

  it('answers a draft to a single read', async () => {
    const { account, api } = await given.advertiser();
    const draft = await given.campaign({ account, entity_status: 'DRAFT' });
    const { status, body } = await api.get(`/12/accounts/${account.id}/campaigns/${draft.id}`);
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { id: draft.id, entity_status: 'DRAFT' } });
  });

  it('filters by funding_instrument_ids', async () => {
    const { account, api } = await given.advertiser();
    const first = await given.campaign({ account });
    const second = await given.campaign({ account });
    const { body } = await api.get(`/12/accounts/${account.id}/campaigns`, {
      query: { funding_instrument_ids: second.fundingInstrumentId },
    });
    expect(body.data.map(({ id }: Json) => id)).toEqual([second.id]);
    expect(body.request.params.funding_instrument_ids).toEqual([second.fundingInstrumentId]);
    expect(first.id).not.toBe(second.id);
  });
});
