import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { CURRENCY_RATES } from '../../../src/measurement/attribution/currency-rates.js';
import { MATCHED_BY } from '../../../src/measurement/conversions/conversion.entity.js';
import { ConversionsUpkeepJob } from '../../../src/measurement/conversions/conversions-upkeep.job.js';
import { EngagementsService, type NewEngagement } from '../../../src/measurement/engagements/engagements.service.js';
import { pixelIdOf } from '../../../src/measurement/entities/pixel-id.js';
import { PixelTokensService } from '../../../src/measurement/pixel-tokens/pixel-tokens.service.js';
import { StatisticsReader } from '../../../src/statistics/account-statistics/statistics-reader.service.js';
import { presentStatistics } from '../../../src/statistics/account-statistics/account-statistics.presenter.js';
import { DeliveryRollups } from '../../../src/statistics/facts/delivery-rollups.service.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import { Api } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { conversionsMatched } from '../../support/conversions.js';
import { given } from '../../support/given.js';
import { send, type Json } from '../../support/http.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2027, 2, 10, 8);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('attribution', () => {
  useApp({ SANDBOX: 'true', DELIVERY: 'simulated', RATE_LIMITS: 'off' });

  let owner: Api;
  let account: ActingAccount;
  let token: string;
  let people = 0;
  beforeEach(async () => {
    world().clock.set(new Date(START));
    const application = await given.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    owner = new Api({
      consumer: application.consumer,
      token: await world().get(AccessTokensService).issue(ownerId, application.id, 'write'),
    });
    account = await given.account({ userId: ownerId, environment: 'sandbox', timezone: 'Europe/Berlin' });
    ({ token } = await world().get(PixelTokensService).create(account, 'Server'));
  });
  afterEach(() => world().clock.set(null));

  /** A user of the directory with an e-mail address and a telephone number. */
  async function person() {
    const { user } = await given.client();
    const [email, phone] = [`${user.username.toLowerCase()}@example.com`, `+4930${1_000_000 + ++people}`];
    const directory = world().get(DirectoryImportService);
    await directory.store([directory.read({ username: user.username, email, phone_number: phone })]);
    return { id: user.id, hashed_email: sha256(email), hashed_phone_number: sha256(phone) };
  }

  async function shownItem(params: object = {}) {
    const campaign = await given.campaign({ account, daily_budget_amount_local_micro: 4_000_000_000 });
    const item = await given.lineItem({ account, objective: 'WEBSITE_CLICKS', campaign_id: campaign.id, ...params });
    const { id: postId } = await given.post({ account, text: 'Beans: https://example.com/beans' });
    const promoted = await given.promotedPost({ account, lineItemId: item.id, postId });
    return { ...item, promotedId: promoted.id, campaignId: campaign.id };
  }

  async function engage(form: Record<string, string>): Promise<Json> {
    const { status, body } = await owner.post('/workbench/engagements', { form: { account_id: account.id, ...form } });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.data;
  }

  /** Sends conversions and waits until they are matched. */
  async function convert(...conversions: Json[]): Promise<void> {
    const answer = await send(world().url, `/sandbox/12/measurement/conversions/${pixelIdOf(account.id)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pixel-token': token },
      body: JSON.stringify({ conversions }),
    });
    expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200 });
    await conversionsMatched(account.id);
  }

  const at = (ms: number) => new Date(ms).toISOString();
  const dayOf = (ms: number) => new Date(ms + HOUR_MS).toISOString().slice(0, 10);

  async function stats(entity: string, id: string, from: string, to: string, granularity = 'DAY'): Promise<Json> {
    const { status, body } = await owner.in('sandbox').get(`/12/stats/accounts/${account.id}`, {
      query: {
        ...{ entity, entity_ids: id, start_time: from, end_time: to, granularity },
        ...{ metric_groups: 'WEB_CONVERSION', placement: 'ALL_ON_PLATFORM' },
      },
    });
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body.data[0].id_data[0].metrics;
  }

  it('counts a conversion in the hour of the click of its twclid, at all levels, and by tag', async () => {
    const item = await shownItem();
    const { id: tag } = await given.webEventTag({ account, name: 'Bought' });
    const ann = await person();
    const clicked = START - 30 * HOUR_MS;
    const { twclid } = await engage({ line_item_id: item.id, user_id: ann.id, time: at(clicked) });
    await convert({
      ...{
        conversion_time: at(START),
        event_id: tag,
        identifiers: [{ twclid }],
        value: '20.00',
        price_currency: 'EUR',
      },
      ...{ number_items: 3, conversion_id: 'order 1' },
    });
    const [from, to] = [dayOf(START - 2 * DAY_MS), dayOf(START + DAY_MS)];
    const usd = Math.floor((20_000_000 * CURRENCY_RATES.EUR) / 1_000_000 + 0.5);
    const day = 2 - Math.round((Date.parse(dayOf(START)) - Date.parse(dayOf(clicked))) / DAY_MS);
    const only = (n: number) => [0, 1, 2].map((i) => (i === day ? n : 0));
    const expected = {
      ...{ metric: only(1), post_view: null, post_engagement: only(1), assisted: null },
      ...{ order_quantity: only(3_000_000), order_quantity_view: null, order_quantity_engagement: only(3_000_000) },
      ...{ sale_amount: only(usd), sale_amount_view: null, sale_amount_engagement: only(usd) },
    };
    for (const [entity, id] of [
      ['LINE_ITEM', item.id],
      ['CAMPAIGN', item.campaignId],
      ['PROMOTED_POST', item.promotedId],
    ])
      // prettier-ignore
      expect((await stats(entity, id, from, to)).conversion_purchases).toEqual(expected);
    const hours = await stats('LINE_ITEM', item.id, from, to, 'HOUR');
    expect(hours.conversion_purchases.metric.filter((n: number) => n > 0)).toEqual([1]);
    // the local day begins at 23:00 UTC
    expect(hours.conversion_purchases.metric.indexOf(1)).toBe(
      (clicked - Date.parse(`${from}T00:00Z`) + HOUR_MS) / HOUR_MS,
    );
    expect(await tagged(item.id, from, to)).toEqual([
      [{ segment_name: 'Bought', segment_value: tag }, only(1), only(usd)],
    ]);
    expect(await divided(item.id, from, to)).toEqual([only(1), only(usd)]);
    // the same request again
    await convert({ conversion_time: at(START), event_id: tag, identifiers: [{ twclid }], conversion_id: 'order 1' });
    expect((await stats('LINE_ITEM', item.id, from, to)).conversion_purchases).toEqual(expected);
  });

  const segments = async (id: string, from: string, to: string, type: 'CONVERSION_TAGS' | 'PLATFORMS') => {
    const { metrics, series } = await world()
      .get(StatisticsReader)
      .read(
        account,
        {
          ...{ entity: 'LINE_ITEM', entity_ids: [id], metric_groups: ['WEB_CONVERSION'], placement: 'ALL_ON_PLATFORM' },
          ...{ start_time: from, end_time: to, granularity: 'DAY', segmentation: { type } },
        },
        { timezone: account.timezone, now: world().clock.now() },
      );
    return presentStatistics(metrics)(series[0]).id_data as Json[];
  };
  const tagged = async (id: string, from: string, to: string) =>
    (await segments(id, from, to, 'CONVERSION_TAGS')).map(({ segment, metrics: { conversion_purchases: bought } }) => [
      segment,
      bought.metric,
      bought.sale_amount,
    ]);
  /** The sums over the segments of platforms. */
  const divided = async (id: string, from: string, to: string) => {
    const parts = await segments(id, from, to, 'PLATFORMS');
    const added = (name: string) =>
      parts
        .map(({ metrics }) => metrics.conversion_purchases[name] ?? [0, 0, 0])
        .reduce((sums, each) => sums.map((sum: number, i: number) => sum + each[i]));
    return [added('metric'), added('sale_amount')];
  };

  it('matches by all identifiers, in windows of the tag, and only line items that fit', async () => {
    const { id: tag } = await given.webEventTag({ account, type: 'SIGN_UP', click_window: 7, view_through_window: 1 });
    const site = await shownItem();
    const other = await given.lineItem({ account, objective: 'ENGAGEMENTS' });
    await given.promotedPost({ account, lineItemId: other.id });
    const [ann, ben, eve, zoe] = [await person(), await person(), await person(), await person()];
    const visitor = { ip_address: '203.0.113.9', user_agent: 'Agent 1' };
    await engage({ line_item_id: site.id, user_id: ann.id, time: at(START - 6 * DAY_MS) });
    await engage({ line_item_id: site.id, user_id: ben.id, type: 'VIEW', time: at(START - 20 * HOUR_MS) });
    await engage({ line_item_id: site.id, user_id: eve.id, time: at(START - 3 * HOUR_MS), ...visitor });
    await engage({ line_item_id: other.id, user_id: zoe.id, time: at(START - HOUR_MS) });
    const by = (...identifiers: Json[]) => ({ conversion_time: at(START), event_id: tag, identifiers });
    await convert(
      by({ hashed_email: ann.hashed_email }),
      by({ hashed_phone_number: ben.hashed_phone_number }),
      by({ ip_address: visitor.ip_address }, { user_agent: visitor.user_agent }),
      by({ hashed_email: zoe.hashed_email }),
      by({ hashed_email: sha256('nobody@example.com') }),
      { ...by({ hashed_email: ann.hashed_email }), conversion_time: at(START + 60_000 - 14 * DAY_MS) },
      { ...by({ hashed_email: ben.hashed_email }), conversion_time: at(START - 21 * HOUR_MS) },
    );
    const rows = await world().sql<Json>(
      `SELECT "lineItemId", "matchedBy", "isAfterClick" FROM conversions WHERE "accountId" = $1 ORDER BY id`,
      account.id,
    );
    const [none, to] = [{ lineItemId: null, matchedBy: null, isAfterClick: null }, { lineItemId: site.id }];
    expect(rows).toEqual([
      { ...to, matchedBy: MATCHED_BY.indexOf('hashed_email'), isAfterClick: true },
      { ...to, matchedBy: MATCHED_BY.indexOf('hashed_phone_number'), isAfterClick: false },
      { ...to, matchedBy: MATCHED_BY.indexOf('ip_address'), isAfterClick: true },
      ...[none, none, none, none],
    ]);
    const sums = await stats('LINE_ITEM', site.id, dayOf(START - 6 * DAY_MS), dayOf(START + DAY_MS), 'TOTAL');
    expect(sums.conversion_sign_ups).toMatchObject({
      metric: [3],
      post_view: [1],
      post_engagement: [2],
      sale_amount: null,
    });
  });

  it('changes past days exactly once for late conversions, whether they are summed by day or not', async () => {
    const item = await shownItem();
    const { id: tag } = await given.webEventTag({ account, click_window: 30 });
    const ann = await person();
    const clicked = START - 89 * DAY_MS;
    const { twclid } = await engage({ line_item_id: item.id, user_id: ann.id, time: at(clicked) });
    await given.facts(
      { ...item, accountId: account.id },
      { hour: at(clicked - HOUR_MS), impressions: 9, promotedId: item.promotedId },
    );
    await world().get(DeliveryRollups).rollUp(account.id, account.timezone, world().clock.now());
    const [from, to] = [dayOf(clicked), dayOf(clicked + DAY_MS)];
    expect((await stats('LINE_ITEM', item.id, from, to)).conversion_purchases.metric).toBeNull();
    const late = {
      conversion_time: at(clicked + DAY_MS),
      event_id: tag,
      identifiers: [{ twclid }],
      conversion_id: 'late',
    };
    for (let i = 0; i < 3; i++) {
      await convert(late);
      expect((await stats('LINE_ITEM', item.id, from, to)).conversion_purchases.metric).toEqual([1]);
    }
    await world().get(DeliveryRollups).rollUp(account.id, account.timezone, world().clock.now());
    expect((await stats('LINE_ITEM', item.id, from, to)).conversion_purchases.metric).toEqual([1]);
    expect(await tagged(item.id, from, to)).toMatchObject([[{ segment_value: tag }, [1], null]]);
    const hour = Math.floor(START / HOUR_MS) * HOUR_MS;
    const query = { entity: 'LINE_ITEM', start_time: at(hour), end_time: at(hour + HOUR_MS) };
    const { body } = await owner.in('sandbox').get(`/12/stats/accounts/${account.id}/active_entities`, { query });
    expect(body.data).toMatchObject([{ entity_id: item.id, placements: ['ALL_ON_PLATFORM'] }]);
    expect(Date.parse(body.data[0].activity_start_time)).toBeLessThanOrEqual(clicked);
  });

  it('lets the simulation invent no conversions from the first accepted one on; earlier hours stay', async () => {
    const item = await shownItem();
    const { id: tag } = await given.webEventTag({ account, type: 'SITE_VISIT' });
    const deliver = (hour: number) =>
      world()
        .get(SimulatedDelivery)
        .deliverHour(account.id, new Date(START + hour * HOUR_MS));
    const visits = async () =>
      (
        await world().sql<{ visits: number | null }>(
          `SELECT sum("webSiteVisitsAfterEngagement")::int AS visits FROM delivery_facts WHERE "lineItemId" = $1 GROUP BY hour ORDER BY hour`,
          item.id,
        )
      ).map(({ visits: each }) => each);
    await deliver(0);
    world().clock.set(new Date(START + HOUR_MS + 1));
    await convert({ conversion_time: at(START), event_id: tag, identifiers: [{ twclid: 'unknown' }] });
    await deliver(1);
    expect(await visits()).toEqual([expect.any(Number), null]);
  });

  it('follows the test clock of the account, also with a late conversion', async () => {
    const item = await shownItem({ entity_status: 'PAUSED' });
    const { id: tag } = await given.webEventTag({ account, click_window: 30 });
    const ann = await person();
    const form = { name: 'Clock', frozen_time: at(START + DAY_MS), account_ids: account.id };
    const clock = (await owner.post('/workbench/clocks', { form })).body.data;
    await world().caughtUp();
    const click = await engage({ line_item_id: item.id, user_id: ann.id });
    expect(Date.parse(click.time)).toBe(START + DAY_MS);
    const advance = async (days: number) => {
      const frozen_time = at(START + days * DAY_MS);
      await owner.post(`/workbench/clocks/${clock.id}/advance`, { form: { frozen_time } });
      while ((await owner.get(`/workbench/clocks/${clock.id}`)).body.data.status === 'advancing') await pause(50);
      await world().caughtUp();
    };
    await advance(4);
    const bought = (days: number, id: string) =>
      convert({ conversion_time: at(START + days * DAY_MS), event_id: tag, identifiers: [{ twclid: click.twclid }], conversion_id: id }); // prettier-ignore
    const counted = async () =>
      (await stats('LINE_ITEM', item.id, dayOf(START), dayOf(START + 3 * DAY_MS))).conversion_purchases.metric;
    await bought(4, 'in time');
    expect(await counted()).toEqual([0, 1, 0]);
    await advance(12);
    await bought(2, 'late');
    await bought(2, 'late');
    expect(await counted()).toEqual([0, 2, 0]);
    expect(await tagged(item.id, dayOf(START), dayOf(START + 3 * DAY_MS))).toMatchObject([[{ segment_value: tag }, [0, 2, 0], null]]); // prettier-ignore
    const { body } = await owner.get('/workbench/conversions', { query: { account_id: account.id } });
    expect(body.data.map(({ state, window_days }: Json) => [state, window_days])).toEqual([
      ['ATTRIBUTED', 30],
      ['ATTRIBUTED', 30],
    ]);
    // the service is far ahead of the account
    world().clock.set(new Date(START + 40 * DAY_MS));
    await world().get(ConversionsUpkeepJob).clearKeys();
    world().clock.set(new Date(START));
    await bought(2, 'late');
    expect((await owner.get('/workbench/conversions', { query: { account_id: account.id } })).body.data).toHaveLength(
      2,
    );
    // and the other way round: what arrived in its future is no duplicate once the clock is gone
    await advance(40);
    const ahead = { event_id: tag, identifiers: [{ twclid: click.twclid }], conversion_id: 'ahead' };
    await convert({ ...ahead, conversion_time: at(START + 39 * DAY_MS) });
    await owner.delete(`/workbench/clocks/${clock.id}`);
    await convert({ ...ahead, conversion_time: at(START) });
    expect((await owner.get('/workbench/conversions', { query: { account_id: account.id } })).body.data).toHaveLength(
      4,
    );
  });

  it('matches conversions again when an engagement of an earlier time is stored, and counts each once', async () => {
    const item = await shownItem();
    const { id: tag } = await given.webEventTag({ account, click_window: 7 });
    const [ann, ben] = [await person(), await person()];
    const by = (who: { hashed_email: string }, hours: number) => ({
      ...{
        conversion_time: at(START - hours * HOUR_MS),
        event_id: tag,
        identifiers: [{ hashed_email: who.hashed_email }],
      },
    });
    await convert(by(ann, 1), by(ann, 5), by(ben, 1));
    const bought = async () =>
      (await stats('LINE_ITEM', item.id, dayOf(START - DAY_MS), dayOf(START + DAY_MS), 'TOTAL')).conversion_purchases
        .metric;
    const clicked = (hours: number) =>
      engage({ line_item_id: item.id, user_id: ann.id, time: at(START - hours * HOUR_MS) });
    expect(await bought()).toBeNull();
    await clicked(3);
    await conversionsMatched(account.id);
    expect(await bought()).toEqual([1]);
    await Promise.all([clicked(6), clicked(3), clicked(2), clicked(8)]);
    await conversionsMatched(account.id);
    expect(await bought()).toEqual([2]);
    // what arrived more than a day ago stays as it is
    world().clock.set(new Date(START + 3 * DAY_MS));
    await engage({ line_item_id: item.id, user_id: ben.id, time: at(START - 2 * HOUR_MS) });
    await conversionsMatched(account.id);
    expect(await bought()).toEqual([2]);
  });

  it('keeps nothing of the visitor, and all is removed with the account', async () => {
    const { id: tag } = await given.webEventTag({ account });
    const visitor = { ip_address: '203.0.113.9', user_agent: 'Agent 1' };
    await convert({ conversion_time: at(START), event_id: tag, identifiers: [visitor] });
    const [{ text }] = await world().sql<{ text: string }>(
      `SELECT string_agg(c::text, ' ') AS text FROM conversions c WHERE "accountId" = $1`,
      account.id,
    );
    expect(text).not.toContain(sha256('203.0.113.9\nAgent 1'));
    await world().get(ConversionsUpkeepJob).removeOf(account.id);
    expect(await world().sql(`SELECT FROM conversions WHERE "accountId" = $1`, account.id)).toEqual([]);
  });

  describe('for any world', () => {
    const HOURS = 24 * 12;
    const engagementOf = fc.record({
      who: fc.nat(2),
      hour: fc.nat(HOURS),
      isClick: fc.boolean(),
      item: fc.nat(2),
    });
    const conversionOf = fc.record({
      hour: fc.nat(HOURS),
      tag: fc.nat(1),
      by: fc.uniqueArray(
        fc.tuple(fc.constantFrom('twclid', 'hashed_email', 'hashed_phone_number', 'ip_address'), fc.nat(3)),
        {
          minLength: 1,
          maxLength: 3,
          selector: ([kind, who]) => `${kind} ${who}`,
        },
      ),
      value: fc.option(fc.nat(1_000_000)),
      currency: fc.constantFrom('USD', 'JPY', 'KWD', 'VND'),
      items: fc.option(fc.integer({ min: 1, max: 5 })),
    });
    type Engaged = Readonly<{ who: number; hour: number; isClick: boolean; item: number }>;
    type Converted = Readonly<{ hour: number; tag: number; by: [string, number][]; value: number | null; currency: string; items: number | null }>; // prettier-ignore

    it('attributes as the rules say, and neither order nor repetition changes a sum', async () => {
      const crowd = [await person(), await person(), await person()];
      const begin = START - (HOURS + 1) * HOUR_MS;
      await fc.assert(
        fc.asyncProperty(
          fc.array(engagementOf, { maxLength: 12 }),
          fc.array(conversionOf, { minLength: 1, maxLength: 12 }),
          fc.constantFrom([7, 1], [1, 0], [30, 7]),
          async (engaged: Engaged[], converted: Converted[], windows) => {
            const first = await attributed(crowd, engaged, converted, windows, begin);
            expect(first.found).toEqual(first.expected);
            const shuffled = [...converted, ...converted].sort((one, other) => sha256(JSON.stringify(one)) < sha256(JSON.stringify(other)) ? -1 : 1); // prettier-ignore
            const second = await attributed(crowd, engaged, shuffled, windows, begin, converted);
            expect(second.sums).toEqual(first.sums);
          },
        ),
        { numRuns: 12 },
      );
    });

    /** Attributes in an account of its own; also what a slow reading of the rules says. */
    async function attributed(
      crowd: Awaited<ReturnType<typeof person>>[],
      engaged: readonly Engaged[],
      sent: readonly Converted[],
      [clickWindow, viewWindow]: readonly number[],
      begin: number,
      ids: readonly Converted[] = sent,
    ) {
      account = await given.account({ userId: account.userId, environment: 'sandbox' });
      ({ token } = await world().get(PixelTokensService).create(account, 'Server'));
      const window = { click_window: clickWindow as 7, view_through_window: viewWindow as 1 };
      const tags = [
        await given.webEventTag({ account, ...window, type: 'PURCHASE' }),
        await given.webEventTag({ account, ...window, type: 'START_TRIAL' }),
      ].map(({ id }) => id);
      // a line item for websites, one with the second tag, and one that nothing fits
      const items = [
        { lineItemId: 'a', isForWebsite: true, tagId: null, currency: 'USD' },
        { lineItemId: 'b', isForWebsite: false, tagId: tags[1], currency: 'EUR' },
        { lineItemId: 'c', isForWebsite: false, tagId: null, currency: 'USD' },
      ];
      const visitor = (who: number) => ({ address: `192.0.2.${who}`, agent: 'Agent' });
      const stored = await world()
        .get(EngagementsService)
        .store(
          world().get(DataSource).manager,
          account,
          engaged.map(({ who, hour, isClick, item }, i): NewEngagement => ({
            ...{ userId: crowd[who].id, at: at(begin + hour * HOUR_MS + i), isClick, visitor: visitor(who) },
            ...{ placement: 'ALL_ON_PLATFORM', promotedId: 'p', promotedKind: 'PROMOTED_POST', audienceId: '' },
            ...items[item],
          })),
        );
      const clickOf = (who: number) =>
        stored.find(({ userId, twclid }) => userId === crowd[who]?.id && twclid !== null);
      const identifier = ([kind, who]: [string, number]): Json => {
        if (kind === 'twclid') return { twclid: clickOf(who)?.twclid ?? `unknown ${who}` };
        if (kind === 'ip_address') return { ip_address: `192.0.2.${who}`, user_agent: 'Agent' };
        return { [kind]: (crowd[who] as Json)?.[kind] ?? sha256(`unknown ${who}`) };
      };
      for (const each of sent)
        await convert({
          conversion_time: at(begin + each.hour * HOUR_MS + 30 * 60_000),
          event_id: tags[each.tag],
          identifiers: each.by.map(identifier),
          ...(each.value !== null && { value: each.value, price_currency: each.currency }),
          ...(each.items !== null && { number_items: each.items }),
          conversion_id: `${ids.indexOf(each)}`,
        });
      const rows = await world().sql<Json>(
        `SELECT "conversionId" AS id, "lineItemId" AS item, "engagedAt" AS at, "isAfterClick" AS click, "matchedBy" AS by
          FROM conversions WHERE "accountId" = $1`,
        account.id,
      );
      const found = Object.fromEntries(
        rows.map(({ id, item, at: time, click, by }) => [id, item && [item, Date.parse(time), click, by]]),
      );
      const expected = Object.fromEntries(sent.map((conversion, i) => [String(i), reference(conversion)]));
      function reference({ hour, tag, by }: Converted): Json {
        const time = begin + hour * HOUR_MS + 30 * 60_000;
        for (const [rank, kind] of MATCHED_BY.entries()) {
          let named = by.filter(([each]) => each === kind).map(([, who]) => who);
          if (kind === 'ip_address') named = named.slice(0, 1);
          const whos = named.filter((who) =>
            kind === 'twclid'
              ? clickOf(who) !== undefined
              : kind === 'ip_address'
                ? engaged.some((each, i) => each.who === who && begin + each.hour * HOUR_MS + i <= time)
                : who < crowd.length,
          );
          for (const isClick of [true, false]) {
            const window = (isClick ? clickWindow : viewWindow) * DAY_MS;
            const fitting = engaged
              .map((each, i) => ({ ...each, ms: begin + each.hour * HOUR_MS + i }))
              .filter(
                ({ who, isClick: clicked, item, ms }) =>
                whos.includes(who) && clicked === isClick && window > 0 && ms <= time && ms >= time - window &&
                (items[item].isForWebsite || items[item].tagId === tags[tag]), // prettier-ignore
              )
              .sort((one, other) => other.ms - one.ms);
            if (fitting.length > 0) return [items[fitting[0].item].lineItemId, fitting[0].ms, isClick, rank];
          }
        }
        return null;
      }
      const sums = await world().sql<Json>(
        `SELECT "lineItemId", hour, type, "isClick", conversions, items, amount FROM conversion_facts WHERE "accountId" = $1
          ORDER BY 1, 2, 3, 4`,
        account.id,
      );
      const byHour = new Map<string, [number, number, number]>();
      for (const [i, conversion] of sent.entries()) {
        const to = expected[i];
        if (!to || ids !== sent) continue;
        const [item, ms, click] = to as [string, number, boolean];
        const key = [
          item,
          at(Math.floor(ms / HOUR_MS) * HOUR_MS),
          ['PURCHASE', 'START_TRIAL'][conversion.tag],
          click,
        ].join();
        const known = byHour.get(key) ?? [0, 0, 0];
        const own = items.find(({ lineItemId }) => lineItemId === item)!.currency;
        byHour.set(key, [known[0] + 1, known[1] + (conversion.items ?? 0), known[2] + worth(conversion, own)]);
      }
      if (ids === sent)
        expect(
          new Map(
            sums.map((each) => [
              [each.lineItemId, new Date(each.hour as string).toISOString(), each.type, each.isClick].join(),
              [each.conversions, each.items, each.amount],
            ]),
          ),
        ).toEqual(byHour);
      return { found, expected, sums };
    }

    function worth({ value, currency }: Converted, own: string): number {
      if (value === null) return 0;
      const micro = BigInt(value) * 1_000_000n;
      if (currency === own) return Number(micro);
      const [from, to] = [CURRENCY_RATES[currency], CURRENCY_RATES[own]];
      return from === undefined ? 0 : Number((2n * micro * BigInt(from) + BigInt(to)) / (2n * BigInt(to)));
    }
  });
});
