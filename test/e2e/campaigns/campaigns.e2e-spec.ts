import { setTimeout } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Campaign } from '../../../src/campaigns/entities/campaign.entity.js';
import { LineItem } from '../../../src/campaigns/entities/line-item.entity.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { FundingInstrumentsService } from '../../../src/campaigns/funding-instruments/funding-instruments.service.js';
import type { FundingType } from '../../../src/campaigns/funding-instruments/funding-instrument.entity.js';
import { CampaignView } from '../../../src/campaigns/campaigns/campaign.presenter.js';
import { useSharedApp, world } from '../../support/app.js';
import type { Answer, Json } from '../../support/http.js';
import type { Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { unlike, listConventions } from '../../support/list-conventions.js';
import { CampaignLimitService } from '../../../src/campaigns/campaigns/campaign-limit.service.js';
import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';

useSharedApp();

describe('campaigns', () => {
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
      expect(refusal(await create({ [DAILY]: 30_000, [TOTAL]: 20_000 }))).toEqual(
        refusedAs('INVALID_PARAMETER', DAILY),
      );
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

    it.each(['PAUSED', 'DRAFT', 'ACTIVE'])('is activated as by an update, if it is %s', async (entity_status) => {
      const { id, updated_at } = await made({ entity_status });
      const hour = (offset: number) => `${new Date(Date.now() + offset * 3_600_000).toISOString().slice(0, 13)}:00:00Z`;
      const history = async (): Promise<Json[]> => {
        const query = { entity_type: 'CAMPAIGN', entity_id: id, start_time: hour(-1), end_time: hour(2) };
        return (await advertiser.api.get(`/12/accounts/${advertiser.account.id}/account_history`, { query })).body.data;
      };
      const before = await history();
      const activate = () => advertiser.api.put(`${path(id)}/activate`);
      const { status, body } = await activate();
      expect({ status, params: body.request.params }).toEqual({
        status: 200,
        params: { account_id: advertiser.account.id, campaign_id: id },
      });
      expect(body.data).toMatchObject({ id, entity_status: 'ACTIVE' });
      if (entity_status === 'ACTIVE') expect(body.data.updated_at).toBe(updated_at);
      expect(unlike(CampaignView, body.data)).toEqual([]);
      expect((await activate()).body.data).toEqual(body.data);
      const after = await history();
      expect(after.length - before.length).toBe(entity_status === 'ACTIVE' ? 0 : 1);
      await advertiser.api.delete(path(id));
      expect((await activate()).status).toBe(404);
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
      expect(body.request.params).toEqual({
        account_id: advertiser.account.id,
        campaign_id: before.id,
        name: 'Summer',
      });
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

    it('names an amount that the currency cannot express, whatever else is unreadable', async () => {
      const { id } = await made({ [DAILY]: 10_000, [TOTAL]: 20_000 });
      const namedIn = ({ body }: Answer) => body.errors.map(({ code, parameter }: Json) => [code, parameter]).sort();
      for (const [name, value] of [
        ['budget_optimization', 'BOTH'],
        [TOTAL, 'much'],
      ])
        for (const answer of [
          await create({ [DAILY]: 15, [name]: value }),
          await update(id, { [DAILY]: 15, [name]: value }),
        ])
          expect(namedIn(answer)).toEqual([
            ['INVALID_DENOMINATION', DAILY],
            ['INVALID_PARAMETER', name],
          ]);
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
      expect(
        batch.body.operation_errors.map((errors: Json[]) => errors.map(({ parameter }: Json) => parameter)),
      ).toEqual([[TOTAL], ['entity_status', DAILY]]);
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
      for (const total of [2_000_000, 0]) {
        const { status: refused, body: said } = await update(id, { [DAILY]: 1_000_000, [TOTAL]: total });
        const parameters = said.errors.map(({ parameter }: Json) => parameter as string);
        expect([refused, parameters.sort()]).toEqual([400, [DAILY, TOTAL]]);
      }
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
          expect(answer.body.errors[0].message).toBe(
            `Campaign ${id} was not found for Account ${advertiser.account.id}`,
          );
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
          await rows(tx, LineItem).ofAllAccounts().where('id', item.id).setLock('for_no_key_update').getMany();
          answering = api.delete(`/12/accounts/${account.id}/campaigns/${item.campaignId}`);
          await setTimeout(300);
          // were it held by now, both would wait for each other
          await rows(tx, Campaign).ofAllAccounts().where('id', item.campaignId).setLock('for_no_key_update').getMany();
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
});

describe('campaigns batch', () => {
  const DAILY = 'daily_budget_amount_local_micro';
  const TOTAL = 'total_budget_amount_local_micro';

  let advertiser: Advertiser;
  let funding: { id: string };
  beforeEach(async () => {
    advertiser = await given.advertiser();
    funding = await given.fundingInstrument({ account: advertiser.account });
  });

  const batch = (json: Json) => advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, { json });
  const list = async (query: Json = {}): Promise<Json[]> =>
    (await advertiser.api.get(`/12/accounts/${advertiser.account.id}/campaigns`, { query })).body.data;
  const creation = (params: Json = {}) => ({
    operation_type: 'Create',
    params: { funding_instrument_id: funding.id, name: 'Spring', [DAILY]: 5_500_000, ...params },
  });
  const change = (campaign_id: string, params: Json) => ({
    operation_type: 'Update',
    params: { campaign_id, ...params },
  });
  const deletion = (campaign_id: string) => ({ operation_type: 'Delete', params: { campaign_id } });
  const codes = ({ operation_errors }: Json) =>
    operation_errors?.map((own: Json[]) => own.map(({ code, parameter }) => `${code} ${parameter}`));

  describe('a batch of campaigns', () => {
    it('answers 200 with the results in the order of the request', async () => {
      const names = Array.from({ length: 40 }, (_, i) => `Number ${i}`);
      const { status, body } = await batch(names.map((name) => creation({ name })));
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual(['data', 'request']);
      expect(body.data.map(({ name }: Json) => name)).toEqual(names);
      expect(body.request[7]).toEqual({
        operation_type: 'Create',
        params: {
          account_id: advertiser.account.id,
          funding_instrument_id: funding.id,
          name: 'Number 7',
          [DAILY]: 5_500_000,
        },
      });
      expect((await list()).map(({ name }) => name)).toEqual([...names].reverse());
    });

    it('mixes operations', async () => {
      const [kept, gone] = await given.campaigns({ account: advertiser.account, count: 2 });
      const { status, body } = await batch([
        deletion(gone.id),
        creation({ name: 'New' }),
        change(kept.id, { name: 'Changed', entity_status: 'PAUSED' }),
      ]);
      expect(status).toBe(200);
      expect(body.data).toMatchObject([
        { id: gone.id, deleted: true },
        { name: 'New', entity_status: 'ACTIVE', deleted: false },
        { id: kept.id, name: 'Changed', entity_status: 'PAUSED' },
      ]);
      expect((await list()).map(({ name }) => name)).toEqual(['New', 'Changed']);
    });

    it('compares budgets with those of line items, also beside a parameter that was refused', async () => {
      const { id } = await given.campaign({ account: advertiser.account, [DAILY]: 5_500_000 });
      await given.lineItem({ account: advertiser.account, campaign_id: id, bid_amount_local_micro: 3_000_000 });
      const { status, body } = await batch([change(id, { [DAILY]: 1_000_000, entity_status: 'RUNNING' })]);
      expect({ status, codes: codes(body) }).toEqual({
        status: 400,
        codes: [['INVALID_PARAMETER entity_status', `INVALID_PARAMETER ${DAILY}`]],
      });
    });

    it('lets operations on one campaign see each other', async () => {
      const { id } = await given.campaign({ account: advertiser.account, purchase_order_number: 'PO' });
      const { status, body } = await batch([
        change(id, { name: 'First', purchase_order_number: null }),
        change(id, { name: 'Second' }),
        deletion(id),
      ]);
      expect(status).toBe(200);
      expect(body.data).toMatchObject([
        { name: 'First', purchase_order_number: null, deleted: false },
        { name: 'Second', purchase_order_number: null, deleted: false },
        { name: 'Second', deleted: true },
      ]);
      const changes = await world().sql<{ type: string }>(
        `SELECT "changeType" AS type FROM account_changes WHERE "entityId" = $1 ORDER BY id`,
        id,
      );
      expect(changes.map(({ type }) => type)).toEqual(['CREATE', 'UPDATE', 'UPDATE', 'DELETE']);
    });

    it('does not find what an operation before has deleted', async () => {
      const { id } = await given.campaign({ account: advertiser.account });
      const { status, body } = await batch([deletion(id), change(id, { name: 'Late' }), deletion(id)]);
      expect({ status, codes: codes(body) }).toEqual({
        status: 400,
        codes: [[], ['NOT_FOUND campaign_id'], ['NOT_FOUND campaign_id']],
      });
      expect(await list()).toHaveLength(1);
    });

    it('names what is wrong by index, and stores nothing', async () => {
      const { id } = await given.campaign({ account: advertiser.account, name: 'Before' });
      const { status, body } = await batch([
        creation({ name: 'fine' }),
        { operation_type: 'Create', params: { name: 'no funding' } },
        change(id, { name: 'not kept' }),
        deletion('0nobody'),
        creation({ [DAILY]: 1, [TOTAL]: 'x', name: '' }),
        creation({ [DAILY]: 30_000, [TOTAL]: 20_000 }),
        { operation_type: 'Upsert', params: {} },
        { params: {} },
        'nonsense',
        { operation_type: 'Delete' },
        creation({ funding_instrument_id: '0nofunding' }),
        { operation_type: 'Create', params: [] },
      ]);
      expect(status).toBe(400);
      expect(Object.keys(body).sort()).toEqual(['operation_errors', 'request']);
      expect(codes(body).map((own: string[]) => [...own].sort())).toEqual([
        [],
        ['MISSING_PARAMETER funding_instrument_id'],
        [],
        ['NOT_FOUND campaign_id'],
        [`INVALID_DENOMINATION ${DAILY}`, 'INVALID_PARAMETER name', `INVALID_PARAMETER ${TOTAL}`],
        [`INVALID_PARAMETER ${DAILY}`],
        ['INVALID_PARAMETER operation_type'],
        ['MISSING_PARAMETER operation_type'],
        ['INVALID_PARAMETER operation'],
        ['MISSING_PARAMETER campaign_id'],
        ['NOT_FOUND funding_instrument_id'],
        ['INVALID_PARAMETER params'],
      ]);
      expect(body.request).toHaveLength(12);
      expect(body.request[3]).toEqual({
        operation_type: 'Delete',
        params: { campaign_id: '0nobody', account_id: advertiser.account.id },
      });
      expect((await list()).map(({ name }) => name)).toEqual(['Before']);
      const [{ n }] = await world().sql<{ n: number }>(
        `SELECT count(*) AS n FROM account_changes WHERE "accountId" = $1 AND "entityType" = 'CAMPAIGN'`,
        advertiser.account.id,
      );
      expect(n).toBe(1);
    });

    it('takes 40 operations, not 41 and not none', async () => {
      const { status, body } = await batch(Array.from({ length: 41 }, () => creation()));
      expect(status).toBe(400);
      expect(body.operation_errors).toBeUndefined();
      expect(body.errors).toMatchObject([
        { code: 'INVALID_PARAMETER', message: 'Batch size exceeds the maximum of 40' },
      ]);
      expect((await batch([])).status).toBe(400);
      expect(await list()).toEqual([]);
    });

    it('takes an array only', async () => {
      for (const body of [{}, creation(), 'x', 1, null, true]) {
        expect(await batch(body)).toMatchObject({
          status: 400,
          body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'body' }] },
        });
      }
    });

    it('takes JSON only, and says so', async () => {
      const target = `/12/batch/accounts/${advertiser.account.id}/campaigns`;
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'text/json', 'application/xml']) {
        const answer = await advertiser.api.post(target, {
          ...(type.includes('form') ? { form: { a: 'b' } } : { json: [creation()] }),
          headers: { 'content-type': type },
        });
        expect(answer).toMatchObject({
          status: 415,
          body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'Content-Type' }] },
        });
      }
      expect(
        (
          await advertiser.api.post(target, {
            json: [creation()],
            headers: { 'content-type': 'application/json; charset=UTF-8' },
          })
        ).status,
      ).toBe(200);
      expect((await advertiser.api.post(target)).status).toBe(400);
    });

    it('takes booleans and numbers as strings too', async () => {
      const { status, body } = await batch([
        creation({ standard_delivery: 'false', [DAILY]: '10000', [TOTAL]: 20_000 }),
        creation({ standard_delivery: 'True' }),
        creation({ standard_delivery: false }),
      ]);
      expect(status).toBe(200);
      expect(body.data).toMatchObject([
        { standard_delivery: false, [DAILY]: 10_000, [TOTAL]: 20_000 },
        { standard_delivery: true },
        { standard_delivery: false },
      ]);
      expect(body.request[0].params).toMatchObject({ standard_delivery: false, [DAILY]: 10_000 });
    });

    it('unsets by null and by an empty text', async () => {
      const made = await given.campaigns({
        account: advertiser.account,
        count: 2,
        [TOTAL]: 9_000_000,
        purchase_order_number: 'PO',
      });
      const { status, body } = await batch([
        change(made[0].id, { [TOTAL]: null, purchase_order_number: null }),
        change(made[1].id, { [TOTAL]: '', purchase_order_number: '' }),
      ]);
      expect(status).toBe(200);
      const unset = { [TOTAL]: null, purchase_order_number: null };
      expect(body.data).toMatchObject([unset, unset]);
    });

    it('takes back all that reading answered', async () => {
      await given.campaigns({ account: advertiser.account, count: 2 });
      const read = await list();
      const { status, body } = await batch(
        read.map((campaign) => change(campaign.id, { ...campaign, entity_status: 'PAUSED' })),
      );
      expect({ status, errors: codes(body) }).toEqual({ status: 200 });
      expect(body.data.map(({ id }: Json) => id)).toEqual(read.map(({ id }) => id));
    });

    it('does not reach campaigns of other accounts', async () => {
      const stranger = await given.advertiser();
      const theirs = await given.campaign({ account: stranger.account });
      const { status, body } = await batch([change(theirs.id, { name: 'Mine' }), deletion(theirs.id)]);
      expect({ status, codes: codes(body) }).toEqual({
        status: 400,
        codes: [['NOT_FOUND campaign_id'], ['NOT_FOUND campaign_id']],
      });
    });
  });
});

describe('campaigns list', () => {
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
      expect({ status, data: body.data }).toMatchObject({
        status: 200,
        data: { id: draft.id, entity_status: 'DRAFT' },
      });
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
});

describe('campaign limit', () => {
  const DAILY = 'daily_budget_amount_local_micro';

  let advertiser: Advertiser;
  let funding: { id: string };
  beforeEach(async () => {
    advertiser = await given.advertiser();
    funding = await given.fundingInstrument({ account: advertiser.account });
  });

  const path = (id?: string) => `/12/accounts/${advertiser.account.id}/campaigns${id ? `/${id}` : ''}`;
  const create = (entity_status = 'ACTIVE') =>
    advertiser.api.post(path(), {
      query: { funding_instrument_id: funding.id, name: 'One of many', [DAILY]: 10_000, entity_status },
    });
  const seed = (count: number, entity_status: 'ACTIVE' | 'PAUSED' | 'DRAFT') =>
    given.campaigns({ account: advertiser.account, count, entity_status, funding_instrument_id: funding.id });

  /** Does all of it, at most 64 at a time. */
  async function by64<R>(count: number, work: (n: number) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    let next = 0;
    const worker = async () => {
      while (next < count) results.push(await work(next++));
    };
    await Promise.all(Array.from({ length: 64 }, worker));
    return results;
  }

  function tally(answers: Answer[]): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status, body } of answers) {
      const error: Json = body.errors?.[0] ?? body.operation_errors?.flat()[0];
      const key = error ? `${status} ${error.code}` : String(status);
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }

  /** What the account's counter says beside what there is. */
  async function counted(): Promise<{ counter: number; stored: number }> {
    const [counts] = await world().sql<{ counter: number; stored: number }>(
      `SELECT n.value AS counter, (SELECT count(*)::int FROM campaigns c
        WHERE c."accountId" = n."ownerId" AND c."entityStatus" = 'ACTIVE' AND c."deletedAt" IS NULL) AS stored
      FROM counters n WHERE n."ownerId" = $1 AND n.kind = 'active campaigns'`,
      advertiser.account.id,
    );
    return counts;
  }

  describe('the limit of 200 active campaigns', () => {
    it('holds exactly when 300 are created by 64 at once', async () => {
      const answers = await by64(300, () => create());
      expect(tally(answers)).toEqual({ '201': 200, '400 TOO_MANY_CAMPAIGNS': 100 });
      expect(await counted()).toEqual({ counter: 200, stored: 200 });
      const { body } = await advertiser.api.get(path(), { query: { with_total_count: true } });
      expect(body.total_count).toBe(200);
    }, 60_000);

    it('holds exactly when 300 are un-paused by 64 at once', async () => {
      const paused = await seed(300, 'PAUSED');
      const answers = await by64(300, (n) =>
        advertiser.api.put(path(paused[n].id), { query: { entity_status: 'ACTIVE' } }),
      );
      expect(tally(answers)).toEqual({ '200': 200, '400 TOO_MANY_CAMPAIGNS': 100 });
      expect(await counted()).toEqual({ counter: 200, stored: 200 });
    }, 60_000);

    it('holds for batches, of which one is stored whole or not at all', async () => {
      const operation = {
        operation_type: 'Create',
        params: { funding_instrument_id: funding.id, name: 'In a batch', [DAILY]: 10_000 },
      };
      const answers = await by64(10, () =>
        advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, {
          json: Array<Json>(30).fill(operation),
        }),
      );
      expect(tally(answers)).toEqual({ '200': 6, '400 TOO_MANY_CAMPAIGNS': 4 });
      expect(await counted()).toEqual({ counter: 180, stored: 180 });
      const refused = answers.find(({ status }) => status === 400)!;
      expect(refused.body.operation_errors).toHaveLength(30);
      const { status } = await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, {
        json: Array<Json>(20).fill(operation),
      });
      expect(status).toBe(200);
      expect(await counted()).toEqual({ counter: 200, stored: 200 });
    }, 60_000);

    it('holds for a batch that trades active campaigns for others', async () => {
      const active = await seed(200, 'ACTIVE');
      const created = {
        operation_type: 'Create',
        params: { funding_instrument_id: funding.id, name: 'In its place', [DAILY]: 10_000 },
      };
      const trade = (count: number) => [
        ...Array<Json>(count).fill(created),
        { operation_type: 'Delete', params: { campaign_id: active[0].id } },
        { operation_type: 'Update', params: { campaign_id: active[1].id, entity_status: 'PAUSED' } },
      ];
      const target = `/12/batch/accounts/${advertiser.account.id}/campaigns`;
      const { status, body } = await advertiser.api.post(target, { json: trade(3) });
      expect(status).toBe(400);
      expect(body.operation_errors.map((own: Json[]) => own.map(({ code }) => code))).toEqual([
        // what the batch gives up makes room for the first two
        [],
        [],
        ['TOO_MANY_CAMPAIGNS'],
        [],
        [],
      ]);
      expect((await advertiser.api.post(target, { json: trade(2) })).status).toBe(200);
      expect(await counted()).toEqual({ counter: 200, stored: 200 });
    }, 60_000);

    it('concerns neither paused ones nor drafts', async () => {
      await seed(200, 'ACTIVE');
      expect((await create('PAUSED')).status).toBe(201);
      expect((await create('DRAFT')).status).toBe(201);
      const refused = await create();
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ code: 'TOO_MANY_CAMPAIGNS' }] } });
      await seed(201, 'PAUSED');
      expect(await counted()).toEqual({ counter: 200, stored: 200 });
    }, 60_000);

    it('has room again when one is paused or deleted', async () => {
      const active = await seed(200, 'ACTIVE');
      const draft = (await create('DRAFT')).body.data;
      await advertiser.api.put(path(active[0].id), { query: { entity_status: 'PAUSED' } });
      expect((await create()).status).toBe(201);
      expect((await advertiser.api.put(path(draft.id), { query: { entity_status: 'ACTIVE' } })).status).toBe(400);
      await advertiser.api.delete(path(active[1].id));
      expect((await advertiser.api.put(path(draft.id), { query: { entity_status: 'ACTIVE' } })).status).toBe(200);
      expect((await advertiser.api.put(path(active[2].id), { query: { name: 'Still renamed' } })).status).toBe(200);
      expect(await counted()).toEqual({ counter: 200, stored: 200 });
    }, 60_000);

    it('can be raised for an account', async () => {
      await seed(200, 'ACTIVE');
      await world().get(CampaignLimitService).set(advertiser.account.id, 201);
      expect((await create()).status).toBe(201);
      expect((await create()).status).toBe(400);
    }, 60_000);

    it.each([0, 8_001, 1.5])('cannot become %d', async (limit) => {
      const set = world().get(CampaignLimitService).set(advertiser.account.id, limit);
      await expect(set).rejects.toThrow('Expected a whole number from 1 to 8000 for limit');
    });

    it('is not counted down twice by deletes at once', async () => {
      const [campaign] = await seed(5, 'ACTIVE');
      await Promise.all(Array.from({ length: 20 }, () => advertiser.api.delete(path(campaign.id))));
      expect(await counted()).toEqual({ counter: 4, stored: 4 });
    });

    it('stays right under everything at once', async () => {
      const campaigns = await seed(40, 'ACTIVE');
      const answers = await by64(200, (n) => {
        const id = campaigns[(n * 7) % campaigns.length].id;
        if (n % 4 === 0) return create(n % 8 ? 'PAUSED' : 'ACTIVE');
        if (n % 4 === 1)
          return advertiser.api.put(path(id), { query: { entity_status: n % 8 === 1 ? 'PAUSED' : 'ACTIVE' } });
        if (n % 20 === 3) return advertiser.api.delete(path(id));
        return advertiser.api.put(path(id), { query: { name: `Round ${n}` } });
      });
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const { counter, stored } = await counted();
      expect(counter).toBe(stored);
    }, 60_000);
  });
});
