import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';
import { Campaign } from '../../../src/campaigns/entities/campaign.entity.js';
import { CampaignView } from '../../../src/campaigns/campaigns/campaign.presenter.js';
import { useApp, world } from '../../support/app.js';
import type { Json } from '../../support/api.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

const MICRO = (units: number | null) => (units === null ? null : units * 10_000);
const DELIVERY = [true, false, null, true, null, false, true, null, false];
const STARTS = [null, 4, 2, 3, 2, null, 1, 3, 4].map((day) => (day === null ? null : `2026-03-0${day}T00:00:00Z`));
const ENDS = [7, null, 9, 7, 8, 5, null, 6, 9].map((day) => (day === null ? null : `2040-03-0${day}T00:00:00Z`));

describe('campaigns', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/campaigns`,
    make: (account, n) =>
      given.campaign({
        account,
        name: ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'][n],
        daily_budget_amount_local_micro: MICRO([3, 1, null, 2, null, 2, 1, 4, 3][n]),
        total_budget_amount_local_micro: MICRO([9, null, 5, 7, 5, null, 8, 6, null][n]),
        budget_optimization: DELIVERY[n] === null ? 'LINE_ITEM' : 'CAMPAIGN',
        standard_delivery: DELIVERY[n],
        start_time: STARTS[n],
        end_time: ENDS[n],
      }),
    makeMany: (account, count) => given.campaigns({ account, count, entity_status: 'PAUSED' }),
    remove: ({ account }, id) => world().get(CampaignsService).delete(account, id),
    view: CampaignView,
    entity: Campaign,
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
    hidden: { start_time: (n) => STARTS[n], end_time: (n) => ENDS[n] },
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
    const third = await given.campaign({ account, funding_instrument_id: second.fundingInstrumentId });
    const found = (funding_instrument_ids: string) =>
      api.get(`/12/accounts/${account.id}/campaigns`, { query: { funding_instrument_ids } });
    const { body } = await found(second.fundingInstrumentId);
    expect(body.data.map(({ id }: Json) => id)).toEqual([third.id, second.id]);
    expect(body.request.params.funding_instrument_ids).toEqual([second.fundingInstrumentId]);
    const both = await found(`${first.fundingInstrumentId},${second.fundingInstrumentId}`);
    expect(both.body.data.map(({ id }: Json) => id)).toEqual([third.id, second.id, first.id]);
  });
});
