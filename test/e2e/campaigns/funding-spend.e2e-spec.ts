import { SpendingService } from '../../../src/campaigns/spending/spending.service.js';
import { FundingInstrumentsService } from '../../../src/campaigns/funding-instruments/funding-instruments.service.js';
import type {
  CreateFundingInstrument,
  SpendFunding,
} from '../../../src/campaigns/funding-instruments/funding-instruments.dto.js';
import { ApiError } from '../../../src/common/errors/api-error.js';
import type { Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const funded = (params: Partial<CreateFundingInstrument> = {}) =>
  given.fundingInstrument({
    account: advertiser.account,
    type: 'CREDIT_LINE',
    credit_limit_local_micro: 100_000_000,
    ...params,
  });
const spend = async (id: string, params: SpendFunding) => {
  const spent = await world().get(SpendingService).spend(advertiser.account, id, params);
  await world().caughtUp();
  return spent;
};
const read = async (things: string, id: string): Promise<Json> =>
  (await advertiser.api.get(`/12/accounts/${advertiser.account.id}/${things}/${id}`)).body.data;
const reasons = async (things: string, id: string) => (await read(things, id)).reasons_not_servable;
const spentOf = async (table: string, id: string) => {
  const text = `SELECT "spentLocalMicro" AS spent FROM ${table} WHERE id = $1`;
  return Number((await world().sql<{ spent: number }>(text, id))[0].spent);
};
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error: unknown) => (error instanceof ApiError ? `${error.code} ${error.detail.parameter}` : String(error)),
  );

/** A campaign that has the budget, and a line item of it. */
async function tree(fundingId: string) {
  const { account } = advertiser;
  const campaign = await given.campaign({ account, funding_instrument_id: fundingId, [TOTAL]: 20_000_000 });
  return { campaign, item: await given.lineItem({ account, campaign_id: campaign.id, [TOTAL]: 10_000_000 }) };
}

describe('what is spent', () => {
  it('is taken from the credit, until none is left', async () => {
    const { id } = await funded();
    expect(await read('funding_instruments', id)).toMatchObject({ credit_remaining_local_micro: 100_000_000 });
    await spend(id, { amount_local_micro: 60_000_000 });
    expect(await read('funding_instruments', id)).toMatchObject({
      credit_remaining_local_micro: 40_000_000,
      able_to_fund: true,
    });
    await spend(id, { amount_local_micro: 50_000_000 });
    expect(await read('funding_instruments', id)).toMatchObject({
      credit_remaining_local_micro: 0,
      able_to_fund: false,
      reasons_not_able_to_fund: ['BUDGET_EXHAUSTED'],
    });
  });

  it('uses up what was paid in beforehand', async () => {
    const { id } = await funded({
      type: 'PARTNER_MANAGED',
      credit_limit_local_micro: null,
      funded_amount_local_micro: 5_000_000,
    });
    await spend(id, { amount_local_micro: 5_000_000 });
    expect((await read('funding_instruments', id)).reasons_not_able_to_fund).toEqual(['BUDGET_EXHAUSTED']);
  });

  it('of an instrument that can pay no more is a problem of its campaigns and line items, and of new ones', async () => {
    const { id } = await funded();
    const { campaign, item } = await tree(id);
    await spend(id, { amount_local_micro: 100_000_000 });
    expect(await reasons('campaigns', campaign.id)).toContain('FUNDING_PROBLEM');
    expect(await reasons('line_items', item.id)).toContain('FUNDING_PROBLEM');
    const another = await advertiser.api.post(`/12/accounts/${advertiser.account.id}/campaigns`, {
      query: { funding_instrument_id: id, name: 'Another', [DAILY]: 1_000_000 },
    });
    expect({ status: another.status, codes: another.body.errors.map(({ code }: Json) => code) }).toEqual({
      status: 403,
      codes: expect.arrayContaining(['FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT']),
    });
  });

  it('on a line item counts for its campaign and its funding, and exhausts the line item first', async () => {
    const { id } = await funded({ credit_limit_local_micro: 20_000_000 });
    const { campaign, item } = await tree(id);
    const other = await given.lineItem({ account: advertiser.account, campaign_id: campaign.id });
    await spend(id, { amount_local_micro: 10_000_000, line_item_id: item.id });
    expect(await spentOf('line_items', item.id)).toBe(10_000_000);
    expect(await spentOf('campaigns', campaign.id)).toBe(10_000_000);
    expect(await read('funding_instruments', id)).toMatchObject({ credit_remaining_local_micro: 10_000_000 });
    // the budget of a line item counts for it alone
    expect(await reasons('line_items', item.id)).toEqual(['INCOMPLETE', 'BUDGET_EXHAUSTED']);
    expect(await reasons('line_items', other.id)).toEqual(['INCOMPLETE']);
    expect(await reasons('campaigns', campaign.id)).toEqual(['INCOMPLETE']);

    await spend(id, { amount_local_micro: 10_000_000, campaign_id: campaign.id, line_item_id: item.id });
    for (const [things, thing] of [
      ['campaigns', campaign],
      ['line_items', item],
      ['line_items', other],
    ] as const) {
      expect(await reasons(things, thing.id)).toEqual(['INCOMPLETE', 'BUDGET_EXHAUSTED', 'FUNDING_PROBLEM']);
    }
  });

  it('on a campaign leaves its line items as they are', async () => {
    const { id } = await funded();
    const { campaign, item } = await tree(id);
    const before = await read('campaigns', campaign.id);
    await spend(id, { amount_local_micro: 3_000_000, campaign_id: campaign.id });
    expect(await spentOf('campaigns', campaign.id)).toBe(3_000_000);
    expect(await spentOf('line_items', item.id)).toBe(0);
    // nobody changed it
    expect(await read('campaigns', campaign.id)).toEqual(before);
  });

  it('cannot be undercut by a budget any more', async () => {
    const { id } = await funded();
    const { campaign, item } = await tree(id);
    await spend(id, { amount_local_micro: 8_000_000, line_item_id: item.id });
    for (const [things, thing] of [
      ['campaigns', campaign],
      ['line_items', item],
    ] as const) {
      const { status, body } = await advertiser.api.put(`/12/accounts/${advertiser.account.id}/${things}/${thing.id}`, {
        query: { [TOTAL]: 7_000_000 },
      });
      expect({ status, code: body.errors[0].code }).toEqual({ status: 400, code: 'SPEND_EXCEEDS_BUDGET' });
    }
  });

  it('adds up, however many say so at once', async () => {
    const { id } = await funded();
    const { campaign, item } = await tree(id);
    const path = `/12/accounts/${advertiser.account.id}`;
    await Promise.all([
      ...Array.from({ length: 10 }, () => spend(id, { amount_local_micro: 10_000, line_item_id: item.id })),
      ...Array.from({ length: 5 }, () => spend(id, { amount_local_micro: 10_000, campaign_id: campaign.id })),
      spend(id, { amount_local_micro: 10_000 }),
      ...[1, 2, 3].flatMap((i) => [
        advertiser.api.put(`${path}/campaigns/${campaign.id}`, { query: { name: `Name ${i}` } }),
        advertiser.api.put(`${path}/line_items/${item.id}`, { query: { name: `Name ${i}` } }),
      ]),
    ]);
    expect(await spentOf('line_items', item.id)).toBe(100_000);
    expect(await spentOf('campaigns', campaign.id)).toBe(150_000);
    expect(await spentOf('funding_instruments', id)).toBe(160_000);
  });

  it('is recorded of the funding instrument', async () => {
    const { id } = await funded();
    await spend(id, { amount_local_micro: 100_000_000 });
    const changes = await world().sql<Json>(
      `SELECT "changeType" AS type, changes FROM account_changes WHERE "entityType" = 'FUNDING_INSTRUMENT' AND "entityId" = $1 ORDER BY id`,
      id,
    );
    expect(changes).toMatchObject([
      { type: 'CREATE' },
      {
        type: 'UPDATE',
        changes: {
          able_to_fund: { old: true, new: false },
          credit_remaining_local_micro: { old: 100_000_000, new: 0 },
        },
      },
    ]);
  });

  it('is refused where what it was spent on is not there, or another pays for it, and then is not stored', async () => {
    const { account, api } = advertiser;
    const { id } = await funded();
    const { campaign, item } = await tree(id);
    const elsewhere = await tree((await funded()).id);
    const stranger = await given.advertiser();
    const theirs = await given.lineItem({ account: stranger.account });
    const amount_local_micro = 10_000;
    const refused = (params: Partial<SpendFunding>, of = id) => refusal(spend(of, { amount_local_micro, ...params }));

    expect(await refused({}, '0zzzzzzzzzzzz')).toBe('NOT_FOUND funding_instrument_id');
    for (const line_item_id of [theirs.id, elsewhere.item.id, '0zzzzzzzzzzzz'])
      expect(await refused({ line_item_id })).toBe('NOT_FOUND line_item_id');
    expect(await refused({ line_item_id: item.id, campaign_id: elsewhere.campaign.id })).toBe('NOT_FOUND line_item_id');
    for (const campaign_id of [theirs.campaignId, elsewhere.campaign.id])
      expect(await refused({ campaign_id })).toBe('NOT_FOUND campaign_id');
    expect(await refused({ amount_local_micro: 10_001 })).toBe('INVALID_DENOMINATION amount_local_micro');
    await api.delete(`/12/accounts/${account.id}/campaigns/${campaign.id}`);
    expect(await refused({ campaign_id: campaign.id })).toBe('NOT_FOUND campaign_id');
    expect(await refused({ line_item_id: item.id })).toBe('NOT_FOUND line_item_id');
    expect(await spentOf('funding_instruments', id)).toBe(0);

    await spend(id, { amount_local_micro: Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % 10_000) });
    expect(await refused({})).toBe('INVALID_PARAMETER amount_local_micro');
    await world().get(FundingInstrumentsService).delete(account, id);
    expect(await refused({})).toBe('NOT_FOUND funding_instrument_id');
  });
});
