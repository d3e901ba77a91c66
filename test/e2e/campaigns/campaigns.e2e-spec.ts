import { setTimeout } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Campaign } from '../../../src/campaigns/entities/campaign.entity.js';
import { LineItem } from '../../../src/campaigns/entities/line-item.entity.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { FundingInstrumentsService } from '../../../src/campaigns/funding-instruments/funding-instruments.service.js';
import type { FundingType } from '../../../src/campaigns/funding-instruments/funding-instrument.entity.js';
import { CampaignView } from '../../../src/campaigns/campaigns/campaign.presenter.js';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { unlike } from '../../support/list-conventions.js';

useApp();

const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';
const NOBODY = '0zzzzzzzzzzzz';

let advertiser: Advertiser;
let funding: { id: string };
beforeEach(async () => {
  advertiser = await given.advertiser();
  funding = await given.fundingInstrument({ account: advertiser.account });
});

const path = (id?: string) => `/12/accounts/${advertiser.account.id}/campaigns${id ? `/${id}` : ''}`;
const create = (params: Params = {}) =>
  advertiser.api.post(path(), {
    query: { funding_instrument_id: funding.id, name: 'Spring', [DAILY]: 5_500_000, ...params },
  });
const update = (id: string, params: Params) => advertiser.api.put(path(id), { query: params });
const made = async (params: Params = {}): Promise<Json> => {
  const { status, body } = await create(params);
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data;
};
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
});
const refusedAs = (code: string, parameter: string, status = 400) => ({ status, errors: [[code, parameter]] });

describe('creating a campaign', () => {
  it('answers 201 with the campaign and its defaults', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body.request.params).toEqual({
      account_id: advertiser.account.id,
      funding_instrument_id: funding.id,
      name: 'Spring',
      [DAILY]: 5_500_000,
    });
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{11,13}$/),
      name: 'Spring',
      funding_instrument_id: funding.id,
      currency: 'USD',
      budget_optimization: 'CAMPAIGN',
      [DAILY]: 5_500_000,
      [TOTAL]: null,
      standard_delivery: true,
      purchase_order_number: null,
      duration_in_days: null,
      frequency_cap: null,
      entity_status: 'ACTIVE',
      effective_status: 'UNKNOWN',
      servable: false,
      reasons_not_servable: ['INCOMPLETE'],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: body.data.created_at,
      deleted: false,
    });
    expect(unlike(CampaignView, body.data)).toEqual([]);
  });

  it('takes every parameter, in the query or in a form', async () => {
    const params = {
      funding_instrument_id: funding.id,
      name: 'Größe ☃ 😀, +*()!',
      budget_optimization: 'CAMPAIGN',
      [DAILY]: 10_000,
      [TOTAL]: 20_000,
      entity_status: 'PAUSED',
      purchase_order_number: 'PO 1',
      standard_delivery: false,
    };
    for (const sending of [{ query: params }, { form: params }]) {
      const { status, body } = await advertiser.api.post(path(), sending);
      expect({ status, data: body.data }).toMatchObject({ status: 201, data: params });
      expect(body.request.params).toEqual({ account_id: advertiser.account.id, ...params });
    }
  });

  it('can be read at once', async () => {
    const campaign = await made();
    expect((await advertiser.api.get(path(campaign.id))).body.data).toEqual(campaign);
  });

  it('names every problem in one answer', async () => {
    const { status, body } = await advertiser.api.post(path(), {
      query: { [DAILY]: 'much', entity_status: 'GONE', standard_delivery: 'perhaps' },
    });
    expect(status).toBe(400);
    const problems = Object.fromEntries(body.errors.map((each: Json) => [each.parameter, each]));
    expect(Object.keys(problems).sort()).toEqual(
      [DAILY, 'entity_status', 'funding_instrument_id', 'name', 'standard_delivery'].sort(),
    );
    expect(problems.name).toEqual({
      code: 'MISSING_PARAMETER',
      message: '"name" is a required parameter',
      parameter: 'name',
    });
    expect(problems[DAILY]).toMatchObject({
      code: 'INVALID_PARAMETER',
      message: `Expected Long, got "much" for ${DAILY}`,
      value: 'much',
    });
    expect(problems.entity_status.message).toBe(
      'Expected a value in ACTIVE, DRAFT, PAUSED, got "GONE" for entity_status',
    );
    expect(body.request.params.account_id).toBe(advertiser.account.id);
  });

  it('names what is wrong with its funding beside what is wrong with itself', async () => {
    const wrong = { funding_instrument_id: NOBODY, [DAILY]: 60_000, [TOTAL]: 50_000 };
    expect(refusal(await create(wrong))).toEqual({
      status: 404,
      errors: [
        ['NOT_FOUND', 'funding_instrument_id'],
        ['INVALID_PARAMETER', DAILY],
      ],
    });
  });

  it('names what is wrong with its funding beside a parameter that cannot be read', async () => {
    const wrong = { funding_instrument_id: NOBODY, [DAILY]: 60_000, [TOTAL]: 50_000, entity_status: 'LOUD' };
    const { status, body } = await create(wrong);
    expect(status).toBe(400);
    expect(body.errors.map(({ code, parameter }: Json) => [code, parameter])).toEqual([
      ['INVALID_PARAMETER', 'entity_status'],
      ['NOT_FOUND', 'funding_instrument_id'],
      ['INVALID_PARAMETER', DAILY],
    ]);
    const { id } = await made();
    const changed = await update(id, { [DAILY]: 15_000, [TOTAL]: 10_000, standard_delivery: 'perhaps' });
    expect(changed.body.errors.map(({ parameter }: Json) => parameter)).toEqual(['standard_delivery', DAILY, DAILY]);
  });

  it('takes names of up to 255 and order numbers of up to 50 characters', async () => {
    expect((await made({ name: '😀'.repeat(255) })).name).toBe('😀'.repeat(255));
    expect((await made({ purchase_order_number: 'x'.repeat(50) })).purchase_order_number).toHaveLength(50);
    expect(refusal(await create({ name: 'x'.repeat(256) }))).toEqual(refusedAs('INVALID_PARAMETER', 'name'));
    expect(refusal(await create({ name: '' }))).toEqual(refusedAs('INVALID_PARAMETER', 'name'));
    expect(refusal(await create({ purchase_order_number: 'x'.repeat(51) }))).toEqual(
      refusedAs('INVALID_PARAMETER', 'purchase_order_number'),
    );
  });

  it('takes amounts above zero only, and at most as total what is exact', async () => {
    for (const amount of ['0', '-10000', '1.5', '1e6', '99999999999999999999', 'NaN']) {
      expect(refusal(await create({ [DAILY]: amount }))).toEqual(refusedAs('INVALID_PARAMETER', DAILY));
      expect(refusal(await create({ [TOTAL]: amount }))).toEqual(refusedAs('INVALID_PARAMETER', TOTAL));
    }
    expect((await made({ [TOTAL]: 9_007_199_254_740_000 }))[TOTAL]).toBe(9_007_199_254_740_000);
  });

  it('takes the spellings of booleans that clients use', async () => {
    for (const [text, value] of [
      ['true', true],
      ['True', true],
      ['1', true],
      ['t', true],
      ['false', false],
      ['False', false],
      ['0', false],
      ['f', false],
    ] as const) {
      expect((await made({ standard_delivery: text })).standard_delivery).toBe(value);
    }
  });

  it('wants a daily budget of at most the total', async () => {
    expect(await made({ [DAILY]: 20_000, [TOTAL]: 20_000 })).toMatchObject({ [DAILY]: 20_000, [TOTAL]: 20_000 });
    expect(refusal(await create({ [DAILY]: 30_000, [TOTAL]: 20_000 }))).toEqual(refusedAs('INVALID_PARAMETER', DAILY));
  });

  it.each([
    ['USD', 10_000],
    ['EUR', 10_000],
    ['JPY', 1_000_000],
    ['KRW', 1_000_000],
    ['CLP', 1_000_000],
    ['VND', 1_000_000],
    ['KWD', 1_000],
    ['TND', 1_000],
    ['BHD', 1_000],
    ['IQD', 1_000],
  ])('takes multiples of the smallest amount of %s', async (currency, smallest) => {
    const { id } = await given.fundingInstrument({ account: advertiser.account, currency });
    const own = { funding_instrument_id: id };
    expect(await made({ ...own, [DAILY]: smallest, [TOTAL]: 3 * smallest })).toMatchObject({ currency });
    expect(refusal(await create({ ...own, [DAILY]: smallest + smallest / 10 }))).toEqual(
      refusedAs('INVALID_DENOMINATION', DAILY),
    );
    expect(refusal(await create({ ...own, [DAILY]: smallest, [TOTAL]: 2 * smallest + 1 }))).toEqual(
      refusedAs('INVALID_DENOMINATION', TOTAL),
    );
  });

  it.each<[FundingType, boolean]>([
    ['CREDIT_CARD', false],
    ['CREDIT_LINE', false],
    ['AGENCY_CREDIT_LINE', false],
    ['INSERTION_ORDER', true],
    ['PARTNER_MANAGED', true],
  ])('needs a daily budget under %s, unless that is prepaid and a total is set: %s', async (type, prepaid) => {
    const end_time = type === 'INSERTION_ORDER' ? '2040-01-01T00:00:00Z' : null;
    const { id } = await given.fundingInstrument({ account: advertiser.account, type, end_time });
    const own = { funding_instrument_id: id, [DAILY]: undefined };
    expect(refusal(await create(own))).toEqual(refusedAs('MISSING_PARAMETER', DAILY));
    const withTotal = await create({ ...own, [TOTAL]: 50_000 });
    if (prepaid) expect(withTotal).toMatchObject({ status: 201, body: { data: { [DAILY]: null, [TOTAL]: 50_000 } } });
    else expect(refusal(withTotal)).toEqual(refusedAs('MISSING_PARAMETER', DAILY));
  });

  it.each(['INSERTION_ORDER', 'PARTNER_MANAGED'] as FundingType[])(
    'asks for a daily budget or a total one where neither is sent under %s',
    async (type) => {
      const { id } = await given.fundingInstrument({
        account: advertiser.account,
        type,
        funded_amount_local_micro: 90_000_000,
        ...(type === 'INSERTION_ORDER' && { end_time: '2036-01-01T00:00:00Z' }),
      });
      const { status, body } = await create({ funding_instrument_id: id, [DAILY]: undefined });
      expect({ status, error: body.errors?.[0] }).toMatchObject({
        status: 400,
        error: { code: 'MISSING_PARAMETER', parameter: DAILY, details: expect.stringContaining(TOTAL) },
      });
    },
  );

  it('needs no budget of its own where the line items have the budgets', async () => {
    expect(await made({ budget_optimization: 'LINE_ITEM', [DAILY]: undefined })).toMatchObject({
      budget_optimization: 'LINE_ITEM',
      [DAILY]: null,
      standard_delivery: null,
    });
    expect(await made({ budget_optimization: 'LINE_ITEM' })).toMatchObject({ [DAILY]: 5_500_000 });
  });

  it('takes standard_delivery only where the campaign has the budget', async () => {
    for (const standard_delivery of [true, false]) {
      expect(refusal(await create({ budget_optimization: 'LINE_ITEM', standard_delivery }))).toEqual(
        refusedAs('INVALID_PARAMETER', 'standard_delivery'),
      );
    }
  });

  it('ignores what only reading answers', async () => {
    const campaign = await made({
      id: 'abc',
      created_at: '2020-01-01T00:00:00Z',
      deleted: 'true',
      currency: 'EUR',
      servable: 'true',
      effective_status: 'RUNNING',
    });
    expect(campaign).toMatchObject({ currency: 'USD', deleted: false, effective_status: 'UNKNOWN' });
    expect(campaign.id).not.toBe('abc');
  });
});

describe('the funding of a campaign', () => {
  const other = (params: Json) => given.fundingInstrument({ account: advertiser.account, ...params });

  it('has to be of the same account', async () => {
    const stranger = await given.advertiser();
    const theirs = await given.fundingInstrument({ account: stranger.account });
    for (const id of [theirs.id, NOBODY, 'x'.repeat(3_000)]) {
      const answer = await create({ funding_instrument_id: id });
      expect(refusal(answer)).toEqual(refusedAs('NOT_FOUND', 'funding_instrument_id', 404));
      expect(answer.body.errors[0].message).toBe(
        `Funding Instrument ${id.length > 100 ? `${id.slice(0, 97)}...` : id} was not found for Account ${advertiser.account.id}`,
      );
    }
  });

  it('takes no new campaigns when it has ended or was deleted, and does before it starts', async () => {
    const ended = await other({ end_time: '2026-02-01T00:00:00Z' });
    expect(refusal(await create({ funding_instrument_id: ended.id }))).toEqual(
      refusedAs('INVALID_FUNDING_INSTRUMENT', 'funding_instrument_id'),
    );
    const future = await other({ start_time: '2040-01-01T00:00:00Z' });
    expect((await made({ funding_instrument_id: future.id })).reasons_not_servable).toEqual([
      'INCOMPLETE',
      'FUNDING_PROBLEM',
    ]);
    await world().get(FundingInstrumentsService).delete(advertiser.account, funding.id);
    expect(refusal(await create())).toEqual(refusedAs('INVALID_FUNDING_INSTRUMENT', 'funding_instrument_id'));
  });

  it('has a problem in the campaigns that lost it', async () => {
    const campaign = await made();
    await world().get(FundingInstrumentsService).delete(advertiser.account, funding.id);
    await world().caughtUp();
    const { body } = await advertiser.api.get(path(campaign.id));
    expect(body.data.reasons_not_servable).toEqual(['INCOMPLETE', 'FUNDING_PROBLEM']);
    expect((await update(campaign.id, { name: 'Still mine' })).body.data.name).toBe('Still mine');
  });

  it('bounds the budgets by what is left of it', async () => {
    const line = await other({ type: 'CREDIT_LINE', credit_limit_local_micro: 1_000_000 });
    expect(await made({ funding_instrument_id: line.id, [DAILY]: 1_000_000 })).toMatchObject({ [DAILY]: 1_000_000 });
    expect(refusal(await create({ funding_instrument_id: line.id, [DAILY]: 1_010_000 }))).toEqual(
      refusedAs('FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT', DAILY, 403),
    );
    const order = await other({
      type: 'INSERTION_ORDER',
      end_time: '2040-01-01T00:00:00Z',
      funded_amount_local_micro: 1_000_000,
    });
    expect(refusal(await create({ funding_instrument_id: order.id, [DAILY]: 10_000, [TOTAL]: 1_010_000 }))).toEqual(
      refusedAs('SPEND_EXCEEDS_BUDGET', TOTAL),
    );
  });

  it('cannot be changed', async () => {
    const campaign = await made();
    const another = await other({ currency: 'EUR' });
    expect(refusal(await update(campaign.id, { funding_instrument_id: another.id }))).toEqual(
      refusedAs('INVALID_PARAMETER', 'funding_instrument_id'),
    );
    const { status, body } = await update(campaign.id, { funding_instrument_id: funding.id, currency: 'EUR' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ funding_instrument_id: funding.id, currency: 'USD' });
  });
});

describe('the status of a campaign', () => {
  it.each([
    ['ACTIVE', 'UNKNOWN', ['INCOMPLETE']],
    ['PAUSED', 'UNKNOWN', ['PAUSED_BY_ADVERTISER', 'INCOMPLETE']],
  ])('begins as %s', async (entity_status, effective_status, reasons_not_servable) => {
    expect(await made({ entity_status })).toMatchObject({
      entity_status,
      effective_status,
      servable: false,
      reasons_not_servable,
    });
  });

  it('can begin as DRAFT, which becomes ACTIVE or PAUSED and never again a draft', async () => {
    for (const entity_status of ['ACTIVE', 'PAUSED']) {
      const draft = await made({ entity_status: 'DRAFT' });
      expect(draft).toMatchObject({ entity_status: 'DRAFT', servable: false });
      expect((await update(draft.id, { entity_status: 'DRAFT' })).status).toBe(200);
      expect((await update(draft.id, { entity_status })).body.data.entity_status).toBe(entity_status);
      expect(refusal(await update(draft.id, { entity_status: 'DRAFT' }))).toEqual(
        refusedAs('INVALID_PARAMETER', 'entity_status'),
      );
    }
  });

  it('goes from ACTIVE to PAUSED and back', async () => {
    const { id } = await made();
    for (const entity_status of ['PAUSED', 'ACTIVE', 'PAUSED']) {
      expect((await update(id, { entity_status })).body.data.entity_status).toBe(entity_status);
    }
    expect(refusal(await update(id, { entity_status: 'DELETED' }))).toEqual(
      refusedAs('INVALID_PARAMETER', 'entity_status'),
    );
  });

  it('tells of an account under review', async () => {
    const campaign = await made();
    await world().sql(`UPDATE accounts SET "approvalStatus" = 'UNDER_REVIEW' WHERE id = $1`, advertiser.account.id);
    await given.member(advertiser.account, 'ANALYST');
    await world().caughtUp();
    expect((await advertiser.api.get(path(campaign.id))).body.data).toMatchObject({
      servable: false,
      reasons_not_servable: ['INCOMPLETE', 'ACCOUNT_UNDER_REVIEW'],
    });
  });

  it.each([
    ['serves when it is complete', undefined, undefined, 'RUNNING', []],
    ['is PAUSED', `"entityStatus" = 'PAUSED'`, undefined, 'PAUSED', ['PAUSED_BY_ADVERTISER']],
    ['is SCHEDULED', undefined, `"startTime" = '2040-01-01'`, 'SCHEDULED', ['STARTS_IN_FUTURE']],
    ['is EXPIRED', undefined, `"endTime" = '2026-01-01'`, 'EXPIRED', ['EXPIRED']],
    [
      'is EXHAUSTED',
      `"totalBudgetAmountLocalMicro" = 5500000, "spentLocalMicro" = 5500000`,
      undefined,
      'EXHAUSTED',
      ['BUDGET_EXHAUSTED'],
    ],
    ['is DRAFT', `"entityStatus" = 'DRAFT'`, undefined, 'DRAFT', ['PAUSED_BY_ADVERTISER']],
    ['is PAUSED with its line item', undefined, `"entityStatus" = 'PAUSED'`, 'PAUSED', ['PAUSED_BY_ADVERTISER']],
    ['lacks what a draft has', undefined, `"entityStatus" = 'DRAFT'`, 'UNKNOWN', ['INCOMPLETE']],
  ])('%s', async (_, ofCampaign, ofItem, effective_status, reasons_not_servable) => {
    const { account } = advertiser;
    const { id } = await made();
    const item = await given.lineItem({ account, campaign_id: id });
    await given.promotedPost({ account, lineItemId: item.id });
    if (ofCampaign) await world().sql(`UPDATE campaigns SET ${ofCampaign} WHERE id = $1`, id);
    if (ofItem) await world().sql(`UPDATE line_items SET ${ofItem} WHERE id = $1`, item.id);
    const shown = {
      effective_status,
      reasons_not_servable,
      servable: reasons_not_servable.length === 0,
    };
    expect((await advertiser.api.get(path(id))).body.data).toMatchObject(shown);
    const { body } = await advertiser.api.get(path(), { query: { campaign_ids: id, with_draft: true } });
    expect(body.data).toMatchObject([shown]);
  });

  it('serves only through one line item that is active, complete and within its flight', async () => {
    const { account } = advertiser;
    const { id } = await made();
    const now = world().clock.now().getTime();
    const day = (n: number) => `${new Date(now + n * 86_400_000).toISOString().slice(0, 19)}Z`;
    const add = async (start: number, end: number, entity_status: 'ACTIVE' | 'PAUSED' | 'DRAFT', shows: boolean) => {
      const flight = { start_time: day(start), end_time: day(end) };
      const item = await given.lineItem({ account, campaign_id: id, entity_status, ...flight });
      if (shows) await given.promotedPost({ account, lineItemId: item.id });
    };
    const state = async () => {
      const { effective_status, servable, reasons_not_servable } = (await advertiser.api.get(path(id))).body.data;
      return [effective_status, servable, reasons_not_servable.join()];
    };
    await add(-1, 100, 'DRAFT', true);
    expect(await state()).toEqual(['UNKNOWN', false, 'INCOMPLETE']);
    await add(-1, 5, 'PAUSED', true);
    expect(await state()).toEqual(['PAUSED', false, 'PAUSED_BY_ADVERTISER']);
    // it runs, but has nothing to show
    await add(-1, 3, 'ACTIVE', false);
    expect(await state()).toEqual(['UNKNOWN', false, 'INCOMPLETE']);
    // it has something to show, but does not run yet
    await add(2, 4, 'ACTIVE', true);
    expect(await state()).toEqual(['SCHEDULED', false, 'STARTS_IN_FUTURE']);
    // time alone begins and ends its flight
    world().clock.advance(2 * 86_400_000 + 1_000);
    expect(await state()).toEqual(['RUNNING', true, '']);
    world().clock.advance(2 * 86_400_000);
    expect(await state()).toEqual(['PAUSED', false, 'PAUSED_BY_ADVERTISER']);
    world().clock.advance(86_400_000);
    expect(await state()).toEqual(['EXPIRED', false, 'EXPIRED']);
  });
});

describe('updating a campaign', () => {
  it('changes what is sent, in the query or in a form, and echoes it', async () => {
    const before = await made({ [TOTAL]: 9_000_000, purchase_order_number: 'PO' });
    const { status, body } = await update(before.id, { name: 'Summer' });
    expect(status).toBe(200);
    expect(body.request.params).toEqual({ account_id: advertiser.account.id, campaign_id: before.id, name: 'Summer' });
    expect(body.data).toEqual({ ...before, name: 'Summer', updated_at: expect.any(String) });
    const params = {
      name: 'Autumn',
      budget_optimization: 'CAMPAIGN',
      [DAILY]: 1_000_000,
      [TOTAL]: 2_000_000,
      entity_status: 'PAUSED',
      purchase_order_number: 'other',
      standard_delivery: false,
    };
    const form = await advertiser.api.put(path(before.id), { form: params });
    expect(form.body.data).toMatchObject(params);
    expect((await advertiser.api.get(path(before.id))).body.data).toEqual(form.body.data);
  });

  it('changes nothing when nothing is sent', async () => {
    const campaign = await made();
    expect((await update(campaign.id, {})).body.data).toEqual(campaign);
  });

  it('unsets an optional field by an empty value', async () => {
    const { id } = await made({ [TOTAL]: 9_000_000, purchase_order_number: 'PO', standard_delivery: false });
    const { status, body } = await update(id, { [TOTAL]: '', purchase_order_number: '', standard_delivery: '' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ [TOTAL]: null, purchase_order_number: null, standard_delivery: true });
    expect(body.request.params).toMatchObject({ [TOTAL]: null });
  });

  it('does not unset what is needed', async () => {
    const { id } = await made();
    expect(refusal(await update(id, { [DAILY]: '' }))).toEqual(refusedAs('MISSING_PARAMETER', DAILY));
    expect(refusal(await update(id, { name: '' }))).toEqual(refusedAs('INVALID_PARAMETER', 'name'));
  });

  it('keeps to the rules of budgets', async () => {
    const { id } = await made({ [DAILY]: 10_000, [TOTAL]: 20_000 });
    expect(refusal(await update(id, { [DAILY]: 30_000 }))).toEqual(refusedAs('INVALID_PARAMETER', DAILY));
    expect(refusal(await update(id, { [DAILY]: 10_001 }))).toEqual(refusedAs('INVALID_DENOMINATION', DAILY));
    expect((await update(id, { [DAILY]: 30_000, [TOTAL]: 40_000 })).status).toBe(200);
    await world().sql(`UPDATE campaigns SET "spentLocalMicro" = 35000 WHERE id = $1`, id);
    expect(refusal(await update(id, { [DAILY]: 10_000, [TOTAL]: 30_000 }))).toEqual(
      refusedAs('SPEND_EXCEEDS_BUDGET', TOTAL),
    );
  });

  it('keeps budgets at or above those of its line items, and names these', async () => {
    const { account } = advertiser;
    const { id } = await made({ [DAILY]: 5_000_000, [TOTAL]: 9_000_000, budget_optimization: 'LINE_ITEM' });
    const small = await given.lineItem({ account, campaign_id: id, [DAILY]: 1_000_000 });
    const daily = await given.lineItem({ account, campaign_id: id, [DAILY]: 4_000_000 });
    const both = await given.lineItem({ account, campaign_id: id, [DAILY]: 2_000_000, [TOTAL]: 8_000_000 });
    const bids = await given.lineItem({
      account,
      campaign_id: id,
      [DAILY]: 3_500_000,
      bid_amount_local_micro: 3_000_000,
    });
    const gone = await given.lineItem({ account, campaign_id: id, [DAILY]: 5_000_000 });
    await advertiser.api.delete(`/12/accounts/${account.id}/line_items/${gone.id}`);

    const lowerTotal = await update(id, { [TOTAL]: 7_000_000 });
    expect(refusal(lowerTotal)).toEqual(refusedAs('INVALID_PARAMETER', TOTAL));
    expect(lowerTotal.body.errors[0]).toMatchObject({
      message: expect.stringContaining(both.id),
      details: `line item ${both.id} has ${TOTAL}=8000000`,
      value: 7_000_000,
    });
    const lowerDaily = await update(id, { [DAILY]: 2_500_000 });
    expect(refusal(lowerDaily)).toEqual(refusedAs('INVALID_PARAMETER', DAILY));
    expect(lowerDaily.body.errors[0].message).toContain(`: ${daily.id}, ${bids.id}`);
    expect(lowerDaily.body.errors[0].message).not.toContain(small.id);
    // other parameters that were refused do not hide it, nor does a batch
    const beside = await update(id, { [DAILY]: 2_500_000, entity_status: 'x' });
    expect(refusal(beside).errors).toEqual([
      ['INVALID_PARAMETER', 'entity_status'],
      ['INVALID_PARAMETER', DAILY],
    ]);
    const batch = await advertiser.api.post(`/12/batch/accounts/${account.id}/campaigns`, {
      json: [
        { operation_type: 'Update', params: { campaign_id: id, [TOTAL]: 7_000_000 } },
        { operation_type: 'Update', params: { campaign_id: id, [DAILY]: 2_500_000, entity_status: 'x' } },
      ],
    });
    expect(batch.status).toBe(400);
    expect(batch.body.operation_errors.map((errors: Json[]) => errors.map(({ parameter }: Json) => parameter))).toEqual(
      [[TOTAL], ['entity_status', DAILY]],
    );
    expect((await update(id, { [DAILY]: 4_000_000, [TOTAL]: 8_000_000 })).status).toBe(200);
  });

  it('keeps a budget at or above the bids of its line items', async () => {
    const { account } = advertiser;
    const { id } = await made({ [DAILY]: 5_000_000, [TOTAL]: 9_000_000 });
    const item = await given.lineItem({ account, campaign_id: id, bid_amount_local_micro: 4_000_000 });
    const { body, status } = await update(id, { [DAILY]: 3_000_000 });
    expect({ status, error: body.errors?.[0] }).toMatchObject({
      status: 400,
      error: { parameter: DAILY, details: `line item ${item.id} has bid_amount_local_micro=4000000` },
    });
    expect(refusal(await update(id, { [DAILY]: 1_000_000, [TOTAL]: 2_000_000 }))).toEqual({
      status: 400,
      errors: [
        ['INVALID_PARAMETER', DAILY],
        ['INVALID_PARAMETER', TOTAL],
      ],
    });
    expect((await update(id, { [DAILY]: 4_000_000 })).status).toBe(200);
  });

  it('lowers a budget, or lets a line item be made above it, but not both at once', async () => {
    const { account } = advertiser;
    const campaigns = await Promise.all(Array.from({ length: 6 }, () => made({ [DAILY]: 5_000_000 })));
    await Promise.all(
      campaigns.flatMap(({ id }) => [
        update(id, { [DAILY]: 1_000_000 }),
        advertiser.api.post(`/12/accounts/${account.id}/line_items`, {
          query: {
            campaign_id: id,
            objective: 'ENGAGEMENTS',
            product_type: 'PROMOTED_POSTS',
            placements: 'ALL_ON_PLATFORM',
            start_time: '2026-01-01T00:00:00Z',
            end_time: '2036-01-01T00:00:00Z',
            bid_amount_local_micro: 3_000_000,
          },
        }),
      ]),
    );
    const above = await world().sql(
      `SELECT c.id FROM campaigns c JOIN line_items l ON l."campaignId" = c.id
        WHERE c.id = ANY($1) AND l."bidAmountLocalMicro" > c."dailyBudgetAmountLocalMicro"`,
      campaigns.map(({ id }) => id),
    );
    expect(above).toEqual([]);
  });

  it('blames the budget that was sent', async () => {
    const { id } = await made({ [DAILY]: 10_000_000, [TOTAL]: 20_000_000 });
    const { status, body } = await update(id, { [TOTAL]: 5_000_000 });
    expect({ status, error: body.errors[0] }).toMatchObject({
      status: 400,
      error: { parameter: TOTAL, value: 5_000_000, message: `${TOTAL} must be at least ${DAILY}` },
    });
    expect(refusal(await update(id, { [DAILY]: 9_000_000, [TOTAL]: 5_000_000 }))).toEqual(
      refusedAs('INVALID_PARAMETER', DAILY),
    );
  });

  it('moves the budgets to the line items and back', async () => {
    const { id } = await made({ standard_delivery: false });
    const away = await update(id, { budget_optimization: 'LINE_ITEM' });
    expect(away.body.data).toMatchObject({ budget_optimization: 'LINE_ITEM', standard_delivery: null });
    expect((await update(id, { [DAILY]: '' })).body.data).toMatchObject({ [DAILY]: null });
    expect(refusal(await update(id, { standard_delivery: true }))).toEqual(
      refusedAs('INVALID_PARAMETER', 'standard_delivery'),
    );
    expect(refusal(await update(id, { budget_optimization: 'CAMPAIGN' }))).toEqual(
      refusedAs('MISSING_PARAMETER', DAILY),
    );
    const back = await update(id, { budget_optimization: 'CAMPAIGN', [DAILY]: 10_000 });
    expect(back.body.data).toMatchObject({ budget_optimization: 'CAMPAIGN', standard_delivery: true });
  });

  it.each([
    ['ACTIVE', {}],
    ['DRAFT', { entity_status: 'DRAFT' }],
    ['LINE_ITEM', { budget_optimization: 'LINE_ITEM', [DAILY]: undefined }],
  ])('takes back all that reading answered (%s)', async (_, params) => {
    const read = await made(params);
    const { reasons_not_servable, ...rest } = read;
    const sent = { ...rest, reasons_not_servable: reasons_not_servable.join(','), name: 'Sent back' };
    const { status, body } = await update(read.id, sent);
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    expect(body.data).toEqual({ ...read, name: 'Sent back', updated_at: expect.any(String) });
  });

  it('takes back whatever it showed, a value that may not be changed to among it', async () => {
    const campaign = await made({ standard_delivery: true });
    const shown = (await advertiser.api.get(path(campaign.id))).body.data;
    const answer = await update(campaign.id, shown);
    expect({ status: answer.status, data: answer.body.data }).toEqual({ status: 200, data: shown });
    // read with the campaign's budget, sent back with that of its line items: equal to what is stored, so no change
    const moved = await update(campaign.id, { standard_delivery: true, budget_optimization: 'LINE_ITEM' });
    expect({ status: moved.status, delivery: moved.body.data.standard_delivery }).toEqual({
      status: 200,
      delivery: null,
    });
    expect(refusal(await update(campaign.id, { standard_delivery: true }))).toEqual(
      refusedAs('INVALID_PARAMETER', 'standard_delivery'),
    );
  });

  it('makes every change later than the one before', async () => {
    const { id } = await made();
    world().clock.set(new Date('2027-03-01T10:00:00.000Z'));
    await update(id, { name: 'one' });
    await update(id, { name: 'two' });
    const [{ at }] = await world().sql<{ at: string }>(`SELECT "updatedAt" AS at FROM campaigns WHERE id = $1`, id);
    expect(at).toContain('10:00:00.001');
  });

  it('does not find what is not there', async () => {
    const stranger = await given.advertiser();
    const theirs = await given.campaign({ account: stranger.account });
    for (const id of [theirs.id, NOBODY]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await advertiser.api.call(method, path(id));
        expect(refusal(answer)).toEqual(refusedAs('NOT_FOUND', 'campaign_id', 404));
        expect(answer.body.errors[0].message).toBe(`Campaign ${id} was not found for Account ${advertiser.account.id}`);
      }
    }
  });
});

describe('deleting a campaign', () => {
  it('answers the campaign marked deleted, and 404 ever after', async () => {
    const campaign = await made();
    const { status, body } = await advertiser.api.delete(path(campaign.id));
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...campaign,
      deleted: true,
      servable: null,
      reasons_not_servable: [],
      updated_at: expect.any(String),
    });
    for (const method of ['DELETE', 'GET', 'PUT']) {
      expect(refusal(await advertiser.api.call(method, path(campaign.id)))).toEqual(
        refusedAs('NOT_FOUND', 'campaign_id', 404),
      );
    }
  });

  it('waits for whoever holds a line item of it, without holding it before them', async () => {
    const { account, api } = await given.advertiser();
    const item = await given.lineItem({ account });
    let answering: Promise<Answer>;
    await world()
      .get(DataSource)
      .transaction(async (tx) => {
        await rows(tx, LineItem).where('id', item.id).setLock('for_no_key_update').getMany();
        answering = api.delete(`/12/accounts/${account.id}/campaigns/${item.campaignId}`);
        await setTimeout(300);
        // were it held by now, both would wait for each other
        await rows(tx, Campaign).where('id', item.campaignId).setLock('for_no_key_update').getMany();
      });
    expect((await answering!).status).toBe(200);
  });

  it('leaves it to be read with with_deleted', async () => {
    const { id } = await made();
    const { body } = await advertiser.api.delete(path(id));
    const read = await advertiser.api.get(path(id), { query: { with_deleted: true } });
    expect(read.body.data).toEqual(body.data);
    expect(read.body.request.params).toEqual({
      account_id: advertiser.account.id,
      campaign_id: id,
      with_deleted: true,
    });
  });

  it('happens once, however many ask at once', async () => {
    const { id } = await made();
    const answers = await Promise.all(Array.from({ length: 20 }, () => advertiser.api.delete(path(id))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(404)]);
    const [{ n }] = await world().sql<{ n: number }>(
      `SELECT count(*) AS n FROM account_changes WHERE "entityId" = $1 AND "changeType" = 'DELETE'`,
      id,
    );
    expect(n).toBe(1);
  });
});
