import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { SEGMENTATION_TYPES } from '../../../src/statistics/account-statistics/segmentation.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import { useApp, world } from '../../support/app.js';
import { Api, type Params } from '../../support/api.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { connect, oauth2App, signedIn } from '../auth/oauth2-client.js';
import { refusal } from '../creatives/refusal.js';
import { Assistant } from '../mcp/assistant.js';

const AS_OF = 'x-marquee-as-of';
const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';
const OPEN_END = '9999-12-30T00:00:00Z';

let advertiser: Advertiser;
let own: string;
let funding_instrument_id: string;

async function prepare(of: { application?: Application } = {}): Promise<void> {
  advertiser = await given.advertiser(of);
  own = `/12/accounts/${advertiser.account.id}`;
  funding_instrument_id = (await given.fundingInstrument({ account: advertiser.account })).id;
}

async function ownerOf({ id, consumer }: Application): Promise<{ owner: Api; ownerId: string }> {
  const { ownerId } = (await world().get(ApplicationQueries).findById(id))!;
  const token = await world().get(AccessTokensService).issue(ownerId, id, 'write');
  return { owner: new Api({ consumer, token }), ownerId };
}

const at = (date: string | undefined): Record<string, string> => (date === undefined ? {} : { [AS_OF]: date });
const get = (path: string, query: Params = {}, date?: string) =>
  advertiser.api.get(`${own}/${path}`, { query, headers: at(date) });
const post = (path: string, query: Params, date?: string) =>
  advertiser.api.post(`${own}/${path}`, { query, headers: at(date) });
const put = (path: string, query: Params, date?: string) =>
  advertiser.api.put(`${own}/${path}`, { query, headers: at(date) });
const batch = (path: string, json: Json, date?: string) =>
  advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/${path}`, { json, headers: at(date) });
const data = ({ status, body }: Answer, expected: number): Json => {
  expect({ status, errors: body.errors }).toEqual({ status: expected });
  return body.data;
};
const refusedAs = (code: string, parameter: string) => ({ status: 400, errors: [[code, parameter]] });

const campaign = (more: Params = {}): Params => ({
  funding_instrument_id,
  name: 'Winter',
  [DAILY]: 5_000_000,
  ...more,
});
const item = (campaign_id: string, more: Params = {}): Params => ({
  campaign_id,
  objective: 'ENGAGEMENTS',
  product_type: 'PROMOTED_POSTS',
  placements: 'ALL_ON_PLATFORM',
  start_time: '2026-01-01T00:00:00Z',
  ...more,
});
const END = { end_time: '2036-01-01T00:00:00Z' };

describe('the date of a request', () => {
  useApp();
  beforeEach(() => prepare());

  it('is that of the header, which the answer repeats, and none without it', async () => {
    expect((await get('campaigns')).headers[AS_OF]).toBeUndefined();
    expect((await get('campaigns', {}, '2026-06-26')).headers[AS_OF]).toBe('2026-06-26');
    // errors of guards and of rules, too
    expect((await get('campaigns/0zzzz', {}, '2031-01-01')).headers[AS_OF]).toBe('2031-01-01');
  });

  it.each(['2026-02-30', '2026-1-1', 'today', '', '2026-11-01T00:00:00Z'])('is 400 if it is "%s"', async (date) => {
    const answer = await get('campaigns', {}, date);
    expect(refusal(answer)).toEqual(refusedAs('INVALID_PARAMETER', AS_OF));
    expect(answer.body.errors[0].message).toBe(`Expected a date such as 2026-11-01 for ${AS_OF}, got "${date}"`);
    expect(answer.headers[AS_OF]).toBeUndefined();
  });

  it('belongs to what an Idempotency-Key repeats', async () => {
    const headers = { 'idempotency-key': 'one' };
    const send = (date?: string) =>
      advertiser.api.post(`${own}/campaigns`, { form: campaign(), headers: { ...headers, ...at(date) } });
    const first = await send('2026-11-01');
    expect(data(first, 201)).toMatchObject({ budget_optimization: 'LINE_ITEM' });
    expect((await send('2026-11-01')).body).toEqual(first.body);
    for (const date of [undefined, '2026-11-02'])
      expect(refusal(await send(date))).toEqual({
        status: 422,
        errors: [['IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key']],
      });
  });

  it('does not matter for a cursor: rows are sorted by what is stored', async () => {
    for (const standard_delivery of [true, false]) await post('campaigns', campaign({ standard_delivery }));
    const query = { count: 1, sort_by: 'standard_delivery-asc' };
    const first = await get('campaigns', query, '2026-11-01');
    const cursor = first.body.next_cursor;
    expect(cursor).not.toBeNull();
    const second = await get('campaigns', { ...query, cursor });
    const ids = [...first.body.data, ...second.body.data].map(({ id }: Json) => id);
    expect(new Set(ids).size).toBe(2);
    expect(first.body.data[0].standard_delivery).toBeNull();
    expect(second.body.data[0].standard_delivery).toBe(true);
  });

  it('is in the commands that repeat a request of the journal', async () => {
    const application = await given.application();
    await prepare({ application });
    const { headers } = await get('campaigns', {}, '2026-11-01');
    const { owner } = await ownerOf(application);
    const { body } = await owner.get(`/workbench/requests/${headers['x-request-id'] as string}`);
    const { cli, curl, node, python } = body.data.commands;
    for (const command of [cli, curl, node, python]) expect(command).toMatch(/x-marquee-as-of.{2,6}2026-11-01/);
  });

  it('is that of the transport for tools of assistants', async () => {
    const session = await signedIn();
    const app = await oauth2App();
    const token = (await connect(app, undefined, session)).tokens.access_token;
    const account = await given.account({ userId: session.user.id });
    const { id } = await given.campaign({ account });
    const args = { account_id: account.id, campaign_id: id };
    for (const [date, optimization] of [
      ['2026-06-26', 'CAMPAIGN'],
      ['2026-06-27', 'LINE_ITEM'],
    ]) {
      const assistant = await Assistant.connect(token, { path: '/mcp', headers: at(date) });
      expect(await assistant.data('getCampaign', args)).toMatchObject({ budget_optimization: optimization });
    }
  });
});

describe('from 2026-06-27 on, line items have the budgets', () => {
  useApp();
  beforeEach(() => prepare());
  const BEFORE = '2026-06-26';
  const AFTER = '2026-06-27';

  it('of new campaigns', async () => {
    expect(data(await post('campaigns', campaign(), BEFORE), 201)).toMatchObject({ budget_optimization: 'CAMPAIGN' });
    const made = data(await post('campaigns', campaign({ standard_delivery: false }), AFTER), 201);
    expect(made).toMatchObject({ budget_optimization: 'LINE_ITEM', standard_delivery: null, [DAILY]: 5_000_000 });
    // stored as it is shown
    expect(data(await get(`campaigns/${made.id}`), 200)).toEqual(made);
    expect(data(await post('campaigns', campaign({ [DAILY]: '' }), AFTER), 201)).toMatchObject({ [DAILY]: null });
    expect(refusal(await post('campaigns', campaign({ [DAILY]: '' }), BEFORE))).toEqual(
      refusedAs('MISSING_PARAMETER', DAILY),
    );
    const refused = await post('campaigns', campaign({ budget_optimization: 'CAMPAIGN' }), AFTER);
    expect(refusal(refused)).toEqual(refusedAs('INVALID_PARAMETER', 'budget_optimization'));
    expect(refused.body.errors[0].message).toContain('Expected LINE_ITEM, got "CAMPAIGN"');
  });

  it('of campaigns with CAMPAIGN, which keep it and their budget', async () => {
    const old = data(await post('campaigns', campaign({ standard_delivery: false })), 201);
    expect(old).toMatchObject({ budget_optimization: 'CAMPAIGN', standard_delivery: false });
    const path = `campaigns/${old.id}`;
    const shown = { ...old, budget_optimization: 'LINE_ITEM', standard_delivery: null };
    expect(data(await get(path, {}, AFTER), 200)).toEqual(shown);
    expect(data(await get('campaigns', {}, AFTER), 200)).toEqual([shown]);
    expect(refusal(await put(path, { budget_optimization: 'CAMPAIGN' }, AFTER))).toEqual(
      refusedAs('INVALID_PARAMETER', 'budget_optimization'),
    );
    expect(data(await put(path, { name: 'Spring', standard_delivery: true }, AFTER), 200)).toMatchObject({
      name: 'Spring',
      standard_delivery: null,
    });
    // what was read can be sent back, and changes nothing
    for (const budget_optimization of ['', 'LINE_ITEM'])
      expect(data(await put(path, { budget_optimization }, AFTER), 200)).toMatchObject({
        budget_optimization: 'LINE_ITEM',
      });
    expect(data(await get(path), 200)).toMatchObject({ budget_optimization: 'CAMPAIGN', standard_delivery: false });
  });

  it('which a campaign gives up only if its line items have some', async () => {
    const { id } = data(await post('campaigns', campaign()), 201);
    const { id: itemId } = data(await post('line_items', item(id, END)), 201);
    const refused = refusedAs('INVALID_PARAMETER', DAILY);
    expect(refusal(await put(`campaigns/${id}`, { [DAILY]: '' }, AFTER))).toEqual(refused);
    const toItems = { budget_optimization: 'LINE_ITEM', [DAILY]: '' };
    const answer = await put(`campaigns/${id}`, toItems);
    expect(refusal(answer)).toEqual(refused);
    expect(answer.body.errors[0].message).toContain(itemId);
    data(await put(`campaigns/${id}`, { budget_optimization: 'LINE_ITEM' }), 200);
    data(await put(`line_items/${itemId}`, { [DAILY]: 1_000_000 }), 200);
    data(await put(`campaigns/${id}`, { [DAILY]: '' }), 200);

    const other = data(await post('campaigns', campaign({ name: 'Empty' })), 201);
    data(await put(`campaigns/${other.id}`, { [DAILY]: '' }, AFTER), 200);
    expect(data(await get(`campaigns/${other.id}`), 200)).toMatchObject({ budget_optimization: 'LINE_ITEM' });
    expect(refusal(await post('line_items', item(other.id, END)))).toEqual(refusedAs('MISSING_PARAMETER', DAILY));
  });

  it('of line items in both kinds of campaigns', async () => {
    const old = data(await post('campaigns', campaign({ standard_delivery: false })), 201);
    expect(refusal(await post('line_items', item(old.id, { ...END, [DAILY]: 1_000_000 }), BEFORE))).toEqual(
      refusedAs('INVALID_PARAMETER', DAILY),
    );
    expect(refusal(await post('line_items', item(old.id, END), AFTER))).toEqual(refusedAs('MISSING_PARAMETER', DAILY));
    const made = data(await post('line_items', item(old.id, { ...END, [DAILY]: 1_000_000 }), AFTER), 201);
    expect(made).toMatchObject({ standard_delivery: true, [DAILY]: 1_000_000 });
    const path = `line_items/${made.id}`;
    expect(data(await get(path), 200)).toMatchObject({ standard_delivery: null, [DAILY]: 1_000_000 });
    // an old line item spends as its campaign does, and takes back what it shows
    const earlier = data(await post('line_items', item(old.id, END)), 201);
    expect(earlier.standard_delivery).toBeNull();
    const form = { standard_delivery: 'false', [TOTAL]: '' };
    expect(data(await put(`line_items/${earlier.id}`, form, AFTER), 200)).toMatchObject({ standard_delivery: false });
  });

  it('in a batch', async () => {
    const create = (more: Params) => ({ operation_type: 'Create', params: campaign(more) });
    const refused = await batch('campaigns', [create({}), create({ budget_optimization: 'CAMPAIGN' })], AFTER);
    expect(refused.status).toBe(400);
    expect(refused.body.operation_errors.map((errors: Json[]) => errors.map(({ parameter }) => parameter))).toEqual([
      [],
      ['budget_optimization'],
    ]);
    const [one, other] = data(await batch('campaigns', [create({}), create({ [DAILY]: null })], AFTER), 200);
    expect([one, other]).toMatchObject([{ budget_optimization: 'LINE_ITEM' }, { [DAILY]: null }]);
  });

  it('with the names of X', async () => {
    const headers = { 'x-marquee-names': 'x', ...at(AFTER) };
    const { body } = await advertiser.api.post(`${own}/campaigns`, { query: campaign(), headers });
    expect(body.data).toMatchObject({ budget_optimization: 'LINE_ITEM', standard_delivery: null });
  });
});

describe('from 2026-06-27 on, line items need no end', () => {
  useApp();
  beforeEach(() => prepare());
  const BEFORE = '2026-06-26';
  const AFTER = '2026-06-27';
  let campaign_id: string;
  beforeEach(async () => {
    campaign_id = data(await post('campaigns', campaign({ budget_optimization: 'LINE_ITEM' })), 201).id;
  });
  const own_budget = { [DAILY]: 1_000_000 };

  it('which is null in answers, and far away before', async () => {
    for (const date of [undefined, BEFORE])
      for (const [end, code] of [[{}, 'MISSING_PARAMETER'] as const, [{ end_time: '' }, 'INVALID_PARAMETER'] as const])
        expect(refusal(await post('line_items', item(campaign_id, { ...own_budget, ...end }), date))).toEqual(
          refusedAs(code, 'end_time'),
        );
    const made = data(await post('line_items', item(campaign_id, own_budget), AFTER), 201);
    expect(made.end_time).toBeNull();
    const path = `line_items/${made.id}`;
    expect(data(await get(path, {}, AFTER), 200)).toEqual(made);
    expect(data(await get(path), 200)).toEqual({ ...made, end_time: OPEN_END });
    // what either answer shows can be sent back
    for (const [end_time, date] of [
      [OPEN_END, BEFORE],
      ['', AFTER],
    ])
      expect(data(await put(path, { end_time, name: 'Still open' }, date), 200).name).toBe('Still open');
    expect(made.reasons_not_servable).not.toContain('EXPIRED');
  });

  it('gets one, and loses it', async () => {
    const { id } = data(await post('line_items', item(campaign_id, { ...own_budget, ...END })), 201);
    const path = `line_items/${id}`;
    expect(data(await get(path, {}, AFTER), 200)).toMatchObject(END);
    expect(refusal(await put(path, { end_time: '' }))).toEqual(refusedAs('INVALID_PARAMETER', 'end_time'));
    expect(data(await put(path, { end_time: '' }, AFTER), 200).end_time).toBeNull();
    expect(data(await put(path, END, AFTER), 200)).toMatchObject(END);
  });

  it('unless a total budget is spread over the flight', async () => {
    const refused = refusedAs('MISSING_PARAMETER', 'end_time');
    expect(refusal(await post('line_items', item(campaign_id, { [TOTAL]: 9_000_000 }), AFTER))).toEqual(refused);
    const both = { ...own_budget, [TOTAL]: 9_000_000 };
    const { id } = data(await post('line_items', item(campaign_id, both), AFTER), 201);
    expect(refusal(await put(`line_items/${id}`, { [DAILY]: '' }, AFTER))).toEqual(refused);
    expect(data(await put(`line_items/${id}`, { [DAILY]: '', ...END }, AFTER), 200)).toMatchObject(END);
  });

  it('also in a batch, with null', async () => {
    const operation = { operation_type: 'Create', params: item(campaign_id, { ...own_budget }) };
    operation.params.placements = ['ALL_ON_PLATFORM'] as never;
    const [made] = data(await batch('line_items', [operation], AFTER), 200);
    expect(made.end_time).toBeNull();
    const update = { operation_type: 'Update', params: { line_item_id: made.id, end_time: null, name: 'Open' } };
    expect(data(await batch('line_items', [update], AFTER), 200)).toMatchObject([{ end_time: null, name: 'Open' }]);
    expect((await batch('line_items', [update])).body.operation_errors[0]).toMatchObject([{ parameter: 'end_time' }]);
  });
});

describe('from other days on', () => {
  useApp();
  beforeEach(() => prepare());

  const statistics = async (more: Params) => ({
    entity: 'LINE_ITEM',
    entity_ids: (await given.lineItem({ account: advertiser.account })).id,
    start_time: '2026-03-01T08:00:00Z',
    end_time: '2026-03-02T08:00:00Z',
    granularity: 'DAY',
    metric_groups: 'ENGAGEMENT',
    placement: 'ALL_ON_PLATFORM',
    ...more,
  });

  it('posts are for ads only', async () => {
    const params = (nullcast: boolean) => ({ as_user_id: advertiser.account.userId, text: 'Hello', nullcast });
    expect((await post('post', params(false), '2025-12-31')).status).toBe(201);
    expect((await post('post', { ...params(true), text: 'Again' }, '2026-01-01')).status).toBe(201);
    const refused = await post('post', params(false), '2026-01-01');
    expect(refusal(refused)).toEqual(refusedAs('INVALID_PARAMETER', 'nullcast'));
    const headers = { 'x-marquee-names': 'x', ...at('2026-01-01') };
    const atX = await advertiser.api.post(`${own}/tweet`, { query: params(false), headers });
    expect(refusal(atX)).toEqual(refusedAs('INVALID_PARAMETER', 'nullcast'));
  });

  it.each(SEGMENTATION_TYPES)('segments of %s stay or go', async (segmentation_type) => {
    const groups = segmentation_type === 'CONVERSION_TAGS' ? 'WEB_CONVERSION' : 'ENGAGEMENT';
    const places = { country: '96683cc9126741d1', platform: '0' };
    const query = await statistics({ segmentation_type, metric_groups: groups, ...places });
    const send = (date?: string) =>
      advertiser.api.post(`/12/stats/jobs/accounts/${advertiser.account.id}`, { query, headers: at(date) });
    expect((await send('2026-04-30')).status).toBe(201);
    const stays = ['AGE', 'CONVERSION_TAGS', 'GENDER', 'METROS', 'PLATFORMS'].includes(segmentation_type);
    const answer = await send('2026-05-01');
    if (stays) expect(answer.status).toBe(201);
    else expect(refusal(answer)).toEqual(refusedAs('INVALID_PARAMETER', 'segmentation_type'));
  });

  it('statistics know no partner network', async () => {
    for (const placement of ['PUBLISHER_NETWORK', 'SPOTLIGHT', 'TREND', 'ALL_ON_PLATFORM']) {
      const query = await statistics({ placement });
      for (const path of ['stats', 'stats/jobs']) {
        const send = (date: string) =>
          advertiser.api.call(path === 'stats' ? 'GET' : 'POST', `/12/${path}/accounts/${advertiser.account.id}`, {
            query,
            headers: at(date),
          });
        expect((await send('2026-06-17')).status).toBeLessThan(300);
        const answer = await send('2026-06-18');
        if (placement !== 'PUBLISHER_NETWORK') expect(answer.status).toBeLessThan(300);
        else expect(refusal(answer)).toEqual(refusedAs('INVALID_PARAMETER', 'placement'));
      }
    }
  });
});

describe('the date of the setting', () => {
  useApp({ AS_OF: '2026-11-01' });
  beforeEach(() => prepare());

  it('counts for all requests without the header', async () => {
    const listed = await get('campaigns');
    expect(listed.headers[AS_OF]).toBe('2026-11-01');
    const made = data(await post('campaigns', campaign()), 201);
    expect(made).toMatchObject({ budget_optimization: 'LINE_ITEM', standard_delivery: null });
    expect(refusal(await post('campaigns', campaign({ budget_optimization: 'CAMPAIGN' })))).toEqual(
      refusedAs('INVALID_PARAMETER', 'budget_optimization'),
    );
    const open = data(await post('line_items', item(made.id, { [DAILY]: 1_000_000 })), 201);
    expect(open.end_time).toBeNull();
    expect(refusal(await post('post', { as_user_id: advertiser.account.userId, text: 'Hi', nullcast: false }))).toEqual(
      refusedAs('INVALID_PARAMETER', 'nullcast'),
    );
  });

  it('decides about what is delivered: the budgets of line items, and views', async () => {
    const account = await given.account({ userId: advertiser.account.userId, environment: 'sandbox' });
    const funding = await given.fundingInstrument({ account });
    // a campaign of before
    const campaign = await given.campaign({
      account,
      funding_instrument_id: funding.id,
      daily_budget_amount_local_micro: 500_000_000,
    });
    expect(campaign).toMatchObject({ budgetOptimization: 'CAMPAIGN', standardDelivery: true });
    const [slow, fast] = await Promise.all(
      [true, false].map((standard_delivery) =>
        given.lineItem({
          account: { ...account, asOf: '2026-11-01' },
          campaign_id: campaign.id,
          ...{ objective: 'VIDEO_VIEWS', goal: 'VIDEO_VIEW', pay_by: 'VIEW', standard_delivery },
          daily_budget_amount_local_micro: 5_000_000,
          end_time: null,
        }),
      ),
    );
    const video = await given.libraryMedia(account, { category: 'AMPLIFY_VIDEO' });
    const post = await given.post({ account, media_keys: [video.mediaKey] });
    for (const { id } of [slow, fast]) await given.promotedPost({ account, lineItemId: id, postId: post.id });
    // from midnight in the time zone of the account on
    for (let hour = 8; hour < 19; hour++)
      await world()
        .get(SimulatedDelivery)
        .deliverHour(account.id, new Date(Date.UTC(2027, 0, 10, hour)));
    const delivered = await world().sql<Json>(
      `SELECT "lineItemId" AS id, sum(impressions)::int AS impressions, sum("videoTotalViews")::int AS views,
        sum("video3s100pctViews")::int AS long, sum("billedChargeLocalMicro")::int AS charge
        FROM delivery_facts WHERE "accountId" = $1 GROUP BY 1`,
      account.id,
    );
    const [of, other] = [slow, fast].map((each) => delivered.find(({ id }) => id === each.id));
    // by the definition of before it would be 0.338
    expect((of.views + other.views) / (of.impressions + other.impressions)).toBeLessThan(0.315);
    expect(other.views).toBeGreaterThan(other.long);
    // its own choice counts, not that of the campaign
    expect(other.charge / of.charge).toBeGreaterThan(2);
  });

  it('does not matter for the world of a reset', async () => {
    const { owner, ownerId } = await ownerOf(await given.application());
    const { id } = await given.account({ userId: ownerId, environment: 'sandbox' });
    const reset = await owner.post('/workbench/reset', { form: { account_ids: id, to: 'DEMO' } });
    expect({ status: reset.status, errors: reset.body?.errors }).toEqual({ status: 200 });
    const { body } = await owner.get(`/sandbox/12/accounts/${id}/line_items`);
    expect(body.data.length).toBeGreaterThan(1);
  });

  it('gives way to the header', async () => {
    const old = data(await post('campaigns', campaign(), '2020-01-01'), 201);
    expect(old).toMatchObject({ budget_optimization: 'CAMPAIGN', standard_delivery: true });
    expect(data(await get(`campaigns/${old.id}`), 200)).toMatchObject({ budget_optimization: 'LINE_ITEM' });
  });
});
