import fc from 'fast-check';
import { FeaturesService } from '../../../src/accounts/features/features.service.js';
import { StatisticsView } from '../../../src/statistics/account-statistics/account-statistics.presenter.js';
import { ActiveEntityView } from '../../../src/statistics/active-entities/active-entities.presenter.js';
import { ReachView } from '../../../src/statistics/reach/reach.presenter.js';
import type { Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Json } from '../../support/http.js';
import { unlike } from '../../support/list-conventions.js';
import { refusal } from '../creatives/refusal.js';

describe('statistics', () => {
  useApp({ RATE_LIMITS: 'faithful', RATE_LIMIT_STATISTICS: '120/900' });

  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  /** Midnight in Los Angeles on the first of March 2026; clocks change on the eighth. */
  const START = Date.parse('2026-03-01T08:00:00Z');

  let advertiser: Advertiser;
  let item: Awaited<ReturnType<typeof given.lineItem>>;

  beforeEach(async () => {
    advertiser = await given.advertiser();
    item = await given.lineItem({ account: advertiser.account });
  });

  const ask = (params: Params = {}, by = advertiser) =>
    by.api.get(`/12/stats/accounts/${advertiser.account.id}`, {
      query: {
        entity: 'LINE_ITEM',
        entity_ids: item.id,
        start_time: iso(START),
        end_time: iso(START + 2 * DAY),
        granularity: 'DAY',
        metric_groups: 'ENGAGEMENT',
        placement: 'ALL_ON_PLATFORM',
        ...params,
      },
    });
  const found = async (params: Params = {}): Promise<Json> => {
    const { status, body } = await ask(params);
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body;
  };
  /** The values of a metric, by entity, in the order of the answer. */
  const metric = async (name: string, params: Params = {}): Promise<(number[] | null)[]> =>
    (await found(params)).data.map(({ id_data: [{ metrics }] }: Json) => metrics[name]);
  const range = (from: number, to: number) => ({ start_time: iso(from), end_time: iso(to) });

  it('answers what was counted, with the request as it was understood', async () => {
    await given.facts(
      item,
      { hour: iso(START), impressions: 100, engagements: 3, billedChargeLocalMicro: 9_000_000_000 },
      { hour: iso(START + 5 * HOUR), impressions: 20 },
      { hour: iso(START + DAY), impressions: 87, placement: 'PUBLISHER_NETWORK' },
      { hour: iso(START + DAY), impressions: 7 },
    );
    const body = await found({ metric_groups: 'ENGAGEMENT,BILLING,WEB_CONVERSION', country: 'x' });
    expect(unlike(StatisticsView, body.data[0])).toEqual([]);
    const [{ id, id_data: [{ segment, metrics }, ...others] }] = body.data; // prettier-ignore
    expect([id, segment, others]).toEqual([item.id, null, []]);
    expect(metrics).toMatchObject({
      impressions: [120, 7],
      engagements: [3, 0],
      likes: null,
      posts_send: null,
      billed_charge_local_micro: [9_000_000_000, 0],
      billed_engagements: null,
      conversion_purchases: { metric: null, post_view: null, assisted: null, sale_amount_engagement: null },
      auto_created_conversion_session: null,
    });
    expect(Object.keys(metrics.conversion_purchases)).toHaveLength(10);
    expect(metrics).not.toHaveProperty('video_total_views');
    const { data, ...envelope } = body;
    expect(data).toHaveLength(1);
    expect(envelope).toEqual({
      data_type: 'stats',
      time_series_length: 2,
      request: {
        params: {
          account_id: advertiser.account.id,
          entity: 'LINE_ITEM',
          entity_ids: [item.id],
          ...range(START, START + 2 * DAY),
          granularity: 'DAY',
          metric_groups: ['ENGAGEMENT', 'BILLING', 'WEB_CONVERSION'],
          placement: 'ALL_ON_PLATFORM',
          segmentation_type: null,
          country: null,
          platform: null,
        },
      },
    });
    expect(await metric('impressions', { placement: 'PUBLISHER_NETWORK' })).toEqual([[0, 87]]);
    expect(await metric('impressions', { placement: 'TREND' })).toEqual([null]);
  });

  it('has all groups of what line items show, and the first engagements of accounts', async () => {
    const { id_data } = (
      await found({
        metric_groups:
          'BILLING,ENGAGEMENT,LIFE_TIME_VALUE_MOBILE_CONVERSION,MEDIA,MOBILE_CONVERSION,VIDEO,WEB_CONVERSION',
      })
    ).data[0];
    const { metrics } = id_data[0];
    expect(Object.keys(metrics)).toHaveLength(2 + 15 + 15 + 2 + 23 + 10 + 15);
    expect(metrics.mobile_conversion_key_page_views).toEqual({ post_view: null, post_engagement: null });
    const ofAccount = await found({ entity: 'ACCOUNT', entity_ids: advertiser.account.id });
    expect(Object.keys(ofAccount.data[0].id_data[0].metrics).sort()).toEqual(
      ['engagements', 'follows', 'impressions', 'likes', 'replies', 'retweets'].sort(),
    );
  });

  it('parents are the sums of their line items, deleted ones included; nothing of other accounts counts', async () => {
    const { account } = advertiser;
    const sibling = await given.lineItem({ account, campaign_id: item.campaignId });
    const elsewhere = await given.lineItem({ account });
    const foreign = await given.lineItem({ account: (await given.advertiser()).account });
    const hour = iso(START + HOUR);
    for (const [each, impressions] of [
      [item, 1],
      [sibling, 10],
      [elsewhere, 100],
      [foreign, 1_000],
    ] as const)
      // prettier-ignore
      await given.facts(each, { hour, impressions, promotedId: `p${impressions}` });
    await advertiser.api.delete(`/12/accounts/${account.id}/line_items/${sibling.id}`);
    const of = (entity: string, ...ids: string[]) => metric('impressions', { entity, entity_ids: ids.join() });
    expect(await of('LINE_ITEM', elsewhere.id, item.id, sibling.id)).toEqual([[100, 0], [1, 0], [10, 0]]); // prettier-ignore
    expect(await of('CAMPAIGN', elsewhere.campaignId, item.campaignId)).toEqual([[100, 0], [11, 0]]); // prettier-ignore
    expect(await of('FUNDING_INSTRUMENT', item.fundingInstrumentId)).toEqual([[11, 0]]);
    expect(await of('ACCOUNT', account.id)).toEqual([[111, 0]]);
  });

  it('what a line item shows has its own part; organic posts have none', async () => {
    const { account } = advertiser;
    const promoted = await given.promotedPost({ account, lineItemId: item.id });
    const [hour, counted] = [iso(START), { impressions: 4 }];
    await given.facts(item, { hour, promotedId: promoted.id, ...counted }, { hour, promotedId: 'other', ...counted });
    const of = (entity: string, id: string) => metric('impressions', { entity, entity_ids: id });
    expect(await of('PROMOTED_POST', promoted.id)).toEqual([[4, 0]]);
    expect(await of('LINE_ITEM', item.id)).toEqual([[8, 0]]);
    expect(await of('ORGANIC_POST', promoted.postId)).toEqual([null]);
    for (const [entity, id] of [
      ['PROMOTED_ACCOUNT', promoted.id],
      ['MEDIA_CREATIVE', promoted.id],
      ['ORGANIC_POST', '1000000000000000'],
    ])
      expect(refusal(await ask({ entity, entity_ids: id }))).toEqual({ status: 404, errors: [['NOT_FOUND', 'entity_ids']] }); // prettier-ignore
  });

  it('days have 23 and 25 hours where clocks change', async () => {
    const spring = Date.parse('2026-03-08T08:00:00Z');
    const autumn = Date.parse('2026-11-01T07:00:00Z');
    await given.facts(
      item,
      { hour: iso(spring), impressions: 1 },
      { hour: iso(spring + 22 * HOUR), impressions: 2 },
      { hour: iso(spring + 23 * HOUR), impressions: 4 },
      { hour: iso(autumn + 24 * HOUR), impressions: 8 },
      { hour: iso(autumn + 25 * HOUR), impressions: 16 },
    );
    expect(await metric('impressions', range(spring, spring + 47 * HOUR))).toEqual([[3, 4]]);
    expect(await metric('impressions', range(autumn, autumn + 49 * HOUR))).toEqual([[8, 16]]);
    const { time_series_length: hours } = await found({ ...range(autumn, autumn + 25 * HOUR), granularity: 'HOUR' });
    expect(hours).toBe(25);
    const week = await found({ ...range(autumn, autumn + 7 * DAY + HOUR) });
    expect(week.time_series_length).toBe(7);
  });

  it('dates begin at midnight in the time zone of the account, and are echoed in UTC', async () => {
    await given.facts(item, { hour: iso(START - HOUR), impressions: 1 }, { hour: iso(START), impressions: 2 });
    const dates = { start_time: '2026-03-01', end_time: '2026-03-02' };
    for (const granularity of ['DAY', 'TOTAL']) {
      const { request, data } = await found({ ...dates, granularity });
      expect(request.params).toMatchObject(range(START, START + DAY));
      expect(data[0].id_data[0].metrics.impressions).toEqual([2]);
    }
    expect(await metric('impressions', { start_time: '2026-03-01T00:00:00-08:00', end_time: '2026-03-02' })).toEqual([
      [2],
    ]);
  });

  it('the sums of any parts of a range are the sum of the range, in hours, days and total', async () => {
    const facts = Array.from({ length: 60 }, (_, i) => ({ hour: iso(START + ((i * 37) % 96) * HOUR), impressions: i }));
    await given.facts(item, ...facts.map((fact, i) => ({ ...fact, promotedId: `p${i}` })));
    const sum = async (granularity: string, from: number, to: number) =>
      (
        (await metric('impressions', { granularity, ...range(START + from * HOUR, START + to * HOUR) }))[0] ?? []
      ).reduce((total, count) => total + count, 0);
    const whole = facts.reduce((total, { impressions }) => total + impressions, 0);
    expect([await sum('HOUR', 0, 96), await sum('DAY', 0, 96), await sum('TOTAL', 0, 96)]).toEqual([
      whole,
      whole,
      whole,
    ]);
    const cut = fc.tuple(fc.integer({ min: 1, max: 95 }), fc.constantFrom('HOUR', 'TOTAL'));
    await fc.assert(
      fc.asyncProperty(cut, async ([at, granularity]) => {
        expect((await sum(granularity, 0, at)) + (await sum(granularity, at, 96))).toBe(whole);
      }),
      { numRuns: 10 },
    );
  });

  describe('active entities', () => {
    const list = (params: Params = {}) =>
      advertiser.api.get(`/12/stats/accounts/${advertiser.account.id}/active_entities`, {
        query: { entity: 'LINE_ITEM', ...range(START, START + DAY), ...params },
      });

    it('are those with facts in the range, with their hours and placements', async () => {
      const { account } = advertiser;
      const other = await given.lineItem({ account });
      const promotedId = (await given.promotedPost({ account, lineItemId: item.id })).id;
      await given.facts(
        item,
        { hour: iso(START + 2 * HOUR), impressions: 1, promotedId },
        { hour: iso(START + 4 * HOUR), impressions: 1, promotedId, placement: 'PUBLISHER_NETWORK' },
        { hour: iso(START + DAY), impressions: 1, promotedId },
      );
      await given.facts(other, { hour: iso(START), impressions: 1, promotedKind: 'MEDIA_CREATIVE', promotedId: 'm' });
      const { status, body } = await list();
      expect(status).toBe(200);
      expect(unlike(ActiveEntityView, body.data[0])).toEqual([]);
      expect(body).toEqual({
        data_type: 'active_entities',
        request: { params: { account_id: account.id, entity: 'LINE_ITEM', ...range(START, START + DAY) } },
        data: [
          {
            entity_id: item.id,
            activity_start_time: iso(START + 2 * HOUR),
            activity_end_time: iso(START + 5 * HOUR),
            placements: ['ALL_ON_PLATFORM', 'PUBLISHER_NETWORK'],
          },
          {
            entity_id: other.id,
            activity_start_time: iso(START),
            activity_end_time: iso(START + HOUR),
            placements: ['ALL_ON_PLATFORM'],
          },
        ],
      });
      const ids = async (params: Params) => (await list(params)).body.data.map(({ entity_id: id }: Json) => id);
      expect(await ids({ entity: 'CAMPAIGN' })).toEqual([item.campaignId, other.campaignId].sort());
      expect(await ids({ entity: 'PROMOTED_POST' })).toEqual([promotedId]);
      expect(await ids({ entity: 'MEDIA_CREATIVE' })).toEqual(['m']);
      expect(await ids({ entity: 'PROMOTED_ACCOUNT' })).toEqual([]);
      expect(await ids({ entity: 'MEDIA_CREATIVE', campaign_ids: item.campaignId })).toEqual([]);
      expect(await ids({ entity: 'PROMOTED_POST', line_item_ids: item.id })).toEqual([promotedId]);
      expect(await ids({ funding_instrument_ids: other.fundingInstrumentId })).toEqual([other.id]);
    });

    it('may be asked for by the quarter of an hour, and by dates of UTC', async () => {
      const hour = START + 2 * HOUR;
      await given.facts(item, { hour: iso(hour), impressions: 1 });
      const ids = async (params: Params) => (await list(params)).body.data.map(({ entity_id: id }: Json) => id);
      const minutes = (from: number, to: number) => range(hour + from * 60_000, hour + to * 60_000);
      expect(await ids(minutes(15, 30))).toEqual([item.id]);
      expect(await ids(minutes(45, 75))).toEqual([item.id]);
      expect(await ids(minutes(-45, 15))).toEqual([item.id]);
      expect(await ids(minutes(-45, 0))).toEqual([]);
      expect(await ids(minutes(60, 75))).toEqual([]);
      const { body } = await list(minutes(15, 30));
      expect(body.request.params).toMatchObject(minutes(15, 30));

      const midnight = Math.floor(START / DAY) * DAY;
      const { account, api } = await given.advertiser({ timezone: 'America/Los_Angeles' });
      const own = await given.lineItem({ account });
      await given.facts(own, { hour: iso(midnight + 5 * DAY + 23 * HOUR), impressions: 1 });
      const dates = async (start: number) => {
        const [start_time, end_time] = [start, start + DAY].map((ms) => iso(ms).slice(0, 10));
        const query = { entity: 'LINE_ITEM', start_time, end_time };
        const { body, headers } = await api.get(`/12/stats/accounts/${account.id}/active_entities`, { query });
        expect(headers['x-marquee-hint']).toBe(
          'A date without a time zone is midnight in UTC: start_time and end_time.',
        );
        return body;
      };
      expect(await dates(midnight + 5 * DAY)).toMatchObject({
        data: [{ entity_id: own.id }],
        request: { params: { start_time: iso(midnight + 5 * DAY), end_time: iso(midnight + 6 * DAY) } },
      });
      expect((await dates(midnight + 6 * DAY)).data).toEqual([]);
    });

    it('reject several filters, other entities, fractions of quarters and more than 90 days', async () => {
      for (const [params, expected] of [
        [{ campaign_ids: 'a', line_item_ids: 'b' }, ['EXCLUSIVE_PARAMETERS', 'line_item_ids']],
        [{ entity: 'ACCOUNT' }, ['INVALID_PARAMETER', 'entity']],
        [range(START + 60_000, START + DAY), ['INVALID_TIME_WINDOW', 'start_time']],
        [range(START, START + DAY + 1_000), ['INVALID_TIME_WINDOW', 'end_time']],
        [range(START, START + 90 * DAY + 2 * HOUR), ['INVALID_TIME_WINDOW', 'end_time']],
      ] as const)
        expect(refusal(await list(params))).toEqual({ status: 400, errors: [expected] });
      expect((await list(range(START, START + 90 * DAY + HOUR))).status).toBe(200);
    });
  });

  describe('reach', () => {
    const ask = (of: 'campaigns' | 'funding_instruments', query: Params, by = advertiser) =>
      by.api.get(`/12/stats/accounts/${advertiser.account.id}/reach/${of}`, {
        query: { ...range(START, START + DAY), ...query },
      });
    const enable = () =>
      world()
        .get(FeaturesService)
        .add(advertiser.account, ['REACH_AND_FREQUENCY_ANALYTICS'])
        .then(() => world().caughtUp());
    /** Users and frequency of each entity. */
    const reached = async (...asked: Parameters<typeof ask>) =>
      (await ask(...asked)).body.data.map((each: Json) => [each.id, each.total_audience_reach, each.average_frequency]);

    it('counts each user once, over line items, audiences and placements, in the range only', async () => {
      await enable();
      const { account } = advertiser;
      const sibling = await given.lineItem({ account, campaign_id: item.campaignId });
      const idle = await given.campaign({ account });
      await given.deliveryAudience(account, 'small', { users: 1_000 });
      const hour = iso(START);
      const small = { hour, audienceId: 'small', impressions: 50_000 };
      await given.facts(
        item,
        small,
        { ...small, placement: 'PUBLISHER_NETWORK' },
        { ...small, hour: iso(START + DAY) },
      );
      await given.facts(sibling, small, { hour, impressions: 1_000, promotedId: 'q' });
      const campaign_ids = [idle.id, item.campaignId].join();
      const { status, body } = await ask('campaigns', { campaign_ids });
      expect({ status, errors: body.errors }).toEqual({ status: 200 });
      expect(unlike(ReachView, body.data[0])).toEqual([]);
      // the small audience and 1,000 users of 10,000,000
      expect(body).toEqual({
        data_type: 'reach',
        request: {
          params: { account_id: account.id, campaign_ids: campaign_ids.split(','), ...range(START, START + DAY) },
        },
        data: [
          { id: idle.id, total_audience_reach: 0, average_frequency: 0 },
          { id: item.campaignId, total_audience_reach: 2_000, average_frequency: 75.5 },
        ],
      });
      const funding_instrument_ids = item.fundingInstrumentId;
      expect(
        await reached('funding_instruments', {
          funding_instrument_ids,
          start_time: '2026-02-28',
          end_time: '2026-03-03',
        }),
      ).toEqual([[funding_instrument_ids, 2_000, 100.5]]);
    });

    it('rejects accounts without the feature, ids of others, wrong times and roles that see no paid statistics', async () => {
      const campaign_ids = item.campaignId;
      const without = await ask('campaigns', { campaign_ids });
      expect([without.status, without.body.errors[0].code]).toEqual([400, 'FEATURE_NOT_AVAILABLE']);
      await enable();
      expect((await ask('campaigns', { campaign_ids, ...range(START, START + 90 * DAY + HOUR) })).status).toBe(200);
      const foreign = await given.campaign({ account: (await given.advertiser()).account });
      for (const [params, status, expected] of [
        [{}, 400, ['MISSING_PARAMETER', 'campaign_ids']],
        [
          { campaign_ids: Array.from({ length: 21 }, (_, i) => `a${i}`).join() },
          400,
          ['INVALID_PARAMETER', 'campaign_ids'],
        ],
        [{ campaign_ids, ...range(START, START + HOUR / 2) }, 400, ['INVALID_TIME_WINDOW', 'end_time']],
        [{ campaign_ids, ...range(START, START + 90 * DAY + 2 * HOUR) }, 400, ['INVALID_TIME_WINDOW', 'end_time']],
        [{ campaign_ids: foreign.id }, 404, ['NOT_FOUND', 'campaign_ids']],
      ] as const)
        expect(refusal(await ask('campaigns', params))).toEqual({ status, errors: [expected] });
      const unknown = await ask('funding_instruments', { funding_instrument_ids: 'nothing' });
      expect(refusal(unknown)).toEqual({ status: 404, errors: [['NOT_FOUND', 'funding_instrument_ids']] });
      const analyst = await given.member(advertiser.account, 'ANALYST');
      expect((await ask('campaigns', { campaign_ids }, analyst)).status).toBe(403);
    });
  });

  describe('rejects', () => {
    const WINDOW = 'INVALID_TIME_WINDOW';
    const INVALID = 'INVALID_PARAMETER';
    const rejected = async (params: Params) => refusal(await ask(params)).errors;
    const messages = async (params: Params) =>
      (await ask(params)).body.errors.map(({ code, message, parameter }: Json) => [code, message, parameter]);

    it('requests without parameters, naming each', async () => {
      const { status, body } = await advertiser.api.get(`/12/stats/accounts/${advertiser.account.id}`);
      expect(refusal({ status, body } as Parameters<typeof refusal>[0])).toEqual({
        status: 400,
        errors: ['entity', 'entity_ids', 'start_time', 'end_time', 'granularity', 'metric_groups', 'placement'].map(
          (name) => ['MISSING_PARAMETER', name],
        ),
      });
    });

    it('values that do not exist, too many ids, groups that the entity lacks, and segments', async () => {
      const wrong: [Params, string][] = [
        [{ entity: 'AD' }, 'entity'],
        [{ entity_ids: Array.from({ length: 21 }, (_, i) => `a${i}`).join() }, 'entity_ids'],
        [{ granularity: 'WEEK' }, 'granularity'],
        [{ metric_groups: 'ENGAGEMENT,COST' }, 'metric_groups'],
        [{ placement: 'TIMELINE' }, 'placement'],
        [{ placement: 'ALL_ON_PLATFORM,PUBLISHER_NETWORK' }, 'placement'],
        [{ start_time: 'yesterday' }, 'start_time'],
        [{ end_time: '2026-02-30' }, 'end_time'],
        [{ segmentation_type: 'GENDER' }, 'segmentation_type'],
        [{ entity: 'ACCOUNT', entity_ids: 'a', metric_groups: 'BILLING' }, 'metric_groups'],
        [{ entity: 'ORGANIC_POST', metric_groups: 'MEDIA' }, 'metric_groups'],
      ];
      for (const [params, parameter] of wrong)
        expect([params, await rejected(params)]).toEqual([params, [[INVALID, parameter]]]);
    });

    it('ranges that are too long, that end before they start, and fractional hours', async () => {
      const longest = { ...range(START, START + 7 * DAY + HOUR), granularity: 'HOUR' };
      expect((await found(longest)).time_series_length).toBe(169);
      const end_time = iso(START + 7 * DAY + 2 * HOUR);
      expect((await ask({ ...longest, end_time })).body.errors).toEqual([
        {
          code: WINDOW,
          message: 'The end_time can be a maximum of 7.days+1.hours after the start_time',
          parameter: 'end_time',
          details: `POST /12/stats/jobs/accounts/${advertiser.account.id} takes up to 90 days`,
          value: end_time,
        },
      ]);
      expect(await rejected({ ...range(START, START), granularity: 'TOTAL' })).toEqual([[WINDOW, 'end_time']]);
      expect(await messages({ ...range(START + 1_000, START + HOUR), granularity: 'HOUR' })).toEqual([
        [WINDOW, 'Time cannot be fractional hours', 'start_time'],
      ]);
    });

    it('days that do not begin at midnight of the account, each time, with a time that does', async () => {
      const { timezone } = advertiser.account;
      const message = (time: number) =>
        `Expect time to be midnight in the account's local timezone for day granularity: in ${timezone}, such as ${iso(time)}`;
      const [from, to] = [START - HOUR, START + DAY - 2 * HOUR];
      const expected = [
        [WINDOW, message(START - DAY), 'start_time'],
        [WINDOW, message(START + DAY), 'end_time'],
      ];
      expect(await messages(range(from, to))).toEqual(expected);
      expect((await ask(range(START - DAY, START + DAY))).status).toBe(200);
      // the days around a change of clocks
      const spring = [Date.parse('2026-03-08T00:00:00Z'), Date.parse('2026-03-09T00:00:00Z')] as const;
      expect((await messages(range(...spring))).map(([, each]: string[]) => each.slice(-20))).toEqual([
        '2026-03-07T08:00:00Z',
        '2026-03-09T07:00:00Z',
      ]);
    });

    it('without a hint for times with a time zone; the hint for dates names the zone that decides', async () => {
      const { timezone } = advertiser.account;
      const hint = async (params: Params) => (await ask(params)).headers['x-marquee-hint'];
      expect(await hint({})).toBeUndefined();
      expect(await hint({ start_time: '2026-03-01', end_time: '2026-03-02' })).toBe(
        `A date without a time zone is midnight in the time zone of the account, ${timezone}: start_time and end_time.`,
      );
      expect(await hint({ start_time: '2026-03-01', end_time: '2026-03-02T08:00:00' })).toBe(
        `A date without a time zone is midnight in the time zone of the account, ${timezone}: start_time. ` +
          'A time without a time zone is in UTC: end_time.',
      );
      // the answer has them all the same, as null
      expect(await hint({ country: 'US', platform: '0' })).toBe(
        'country, platform are not parameters of this endpoint and were ignored.',
      );
    });

    it('ids of nothing and of other accounts, each', async () => {
      const foreign = await given.lineItem({ account: (await given.advertiser()).account });
      const { status, body } = await ask({ entity_ids: [item.id, foreign.id, 'nothing'].join() });
      expect([status, body.errors.map(({ code, parameter, value }: Json) => [code, parameter, value])]).toEqual([
        404,
        [
          ['NOT_FOUND', 'entity_ids', foreign.id],
          ['NOT_FOUND', 'entity_ids', 'nothing'],
        ],
      ]);
      const other = await ask({ entity: 'ACCOUNT', entity_ids: foreign.accountId });
      expect(refusal(other)).toEqual({ status: 404, errors: [['NOT_FOUND', 'entity_ids']] });
    });

    it('roles that do not see statistics; analysts see organic posts only', async () => {
      const { account } = advertiser;
      const statusFor = async (role: Parameters<typeof given.member>[1], params: Params = {}) =>
        (await ask(params, await given.member(account, role))).status;
      expect(await statusFor('CAMPAIGN_ANALYST')).toBe(200);
      expect(await statusFor('CREATIVE_MANAGER')).toBe(403);
      expect(await statusFor('ANALYST')).toBe(403);
      const post = await given.post({ account });
      expect(await statusFor('ANALYST', { entity: 'ORGANIC_POST', entity_ids: post.id })).toBe(200);
    });

    it('more requests than the rate limit of a user token, in a window of its own', async () => {
      const headers = (await ask()).headers;
      expect([headers['x-rate-limit-limit'], headers['x-rate-limit-remaining']]).toEqual(['120', '119']);
      expect(headers['x-account-rate-limit-limit']).toBeUndefined();
      expect(headers.ratelimit).toMatch(/^"statistics";r=119;/);
      const others = await given.member(advertiser.account, 'AD_MANAGER');
      expect((await ask({}, others)).headers['x-rate-limit-remaining']).toBe('119');
    });
  });
});
