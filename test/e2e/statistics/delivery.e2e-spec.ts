import { setTimeout as pause } from 'node:timers/promises';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import { SimulateDeliveryJob } from '../../../src/statistics/delivery/simulate-delivery.job.js';
import { Api, type Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2027, 0, 10, 9);
/** Some days after the beginning. */
const day = (days: number): string => new Date(START + days * 24 * HOUR_MS).toISOString();

let ownerId: string;
let owner: Api;

async function prepare(): Promise<void> {
  const application = await given.application();
  ownerId = (await world().get(ApplicationQueries).findById(application.id))!.ownerId;
  const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
  owner = new Api({ consumer: application.consumer, token });
}

const sandboxAccount = (): Promise<ActingAccount> => given.account({ userId: ownerId, environment: 'sandbox' });

/** A line item with a promoted post. */
async function shownItem(account: ActingAccount, params: Parameters<typeof given.lineItem>[0]) {
  const item = await given.lineItem(params);
  await given.promotedPost({ account, lineItemId: item.id });
  return item;
}

/** A clock for the account at the beginning. */
async function clockFor(account: ActingAccount): Promise<string> {
  const form = { name: 'Clock', frozen_time: day(0), account_ids: account.id };
  const { status, body } = await owner.post('/workbench/clocks', { form });
  expect({ status, body }).toMatchObject({ status: 201 });
  await world().caughtUp();
  return body.data.id;
}

async function advance(id: string, days: number): Promise<void> {
  const { status, body } = await owner.post(`/workbench/clocks/${id}/advance`, { form: { frozen_time: day(days) } });
  expect({ status, body }).toMatchObject({ status: 200 });
  for (;;) {
    const { data } = (await owner.get(`/workbench/clocks/${id}`)).body;
    if (data.status === 'ready') return;
    expect(data).toMatchObject({ status: 'advancing' });
    await pause(100);
  }
}

interface Sums {
  facts: number;
  billed: number;
  items: number;
  campaigns: number;
  funding: number;
}

/** What was billed, and what the line items, campaigns and funding instruments of the account spent. */
async function sums({ id }: ActingAccount): Promise<Sums> {
  const spent = (table: string) =>
    `(SELECT COALESCE(sum("spentLocalMicro"), 0)::bigint FROM ${table} WHERE "accountId" = $1)`;
  const [found] = await world().sql<Sums>(
    `SELECT count(*)::int AS facts, COALESCE(sum("billedChargeLocalMicro"), 0)::bigint AS billed, ${spent('line_items')} AS items,
      ${spent('campaigns')} AS campaigns, ${spent('funding_instruments')} AS funding
      FROM delivery_facts WHERE "accountId" = $1`,
    id,
  );
  return found;
}

/** The charge of each day in UTC, and the hours with facts, of a line item. */
const served = (lineItemId: string): Promise<{ hour: string; billed: number }[]> =>
  world().sql(
    `SELECT hour, sum("billedChargeLocalMicro")::bigint AS billed FROM delivery_facts WHERE "lineItemId" = $1 GROUP BY hour ORDER BY hour`,
    lineItemId,
  );

describe('simulated delivery', () => {
  useApp({ SANDBOX: 'true', DELIVERY: 'simulated' });
  beforeEach(prepare);

  it('serves 30 days, spends the budgets at all levels, and ends with them', async () => {
    const account = await sandboxAccount();
    const budgets = { daily_budget_amount_local_micro: 10_000_000, total_budget_amount_local_micro: 100_000_000 };
    const campaign = await given.campaign({ account, ...budgets });
    const item = await shownItem(account, { account, campaign_id: campaign.id });
    const open = await given.campaign({ account, daily_budget_amount_local_micro: 5_000_000 });
    const paused = await shownItem(account, { account, campaign_id: open.id, entity_status: 'PAUSED' });
    const flight = { start_time: day(3), end_time: day(4) };
    const short = await shownItem(account, { account, campaign_id: open.id, ...flight });
    const clockId = await clockFor(account);
    await advance(clockId, 30);

    const { facts, billed, items, campaigns, funding } = await sums(account);
    expect(facts).toBeGreaterThan(0);
    expect([items, campaigns, funding]).toEqual([billed, billed, billed]);

    expect(await served(paused.id)).toEqual([]);
    const hours = await served(short.id);
    expect(hours.length).toBeGreaterThan(12);
    expect(hours.every(({ hour }) => new Date(hour) >= new Date(day(3)) && new Date(hour) < new Date(day(4)))).toBe(
      true,
    );

    const charges = await served(item.id);
    expect(charges.reduce((sum, each) => sum + each.billed, 0)).toBe(100_000_000);
    const byDay = new Map<string, number>();
    for (const { hour, billed: charge } of charges) {
      const local = new Date(hour).toLocaleDateString('en-CA', { timeZone: account.timezone });
      byDay.set(local, (byDay.get(local) ?? 0) + charge);
    }
    expect(Math.max(...byDay.values())).toBeLessThanOrEqual(10_000_000);
    const { body } = await owner.in('sandbox').get(`/12/accounts/${account.id}/campaigns/${campaign.id}`);
    expect(body.data).toMatchObject({ servable: false, reasons_not_servable: ['BUDGET_EXHAUSTED'] });

    const before: Json = await sums(account);
    await advance(clockId, 31);
    expect(await sums(account)).toEqual(before);
  });

  it('counts and spends an hour once, however often and by whom it is simulated', async () => {
    const account = await sandboxAccount();
    const campaign = await given.campaign({ account, daily_budget_amount_local_micro: 50_000_000 });
    await shownItem(account, { account, campaign_id: campaign.id });
    const delivery = world().get(SimulatedDelivery);
    const twice = () => Promise.all([1, 2, 3].map(() => delivery.deliverHour(account.id, new Date(START))));
    await twice();
    const once = await sums(account);
    expect(once.billed).toBeGreaterThan(0);
    expect(once.funding).toBe(once.billed);
    await world().sql('DELETE FROM delivery_positions WHERE "accountId" = $1', account.id);
    await twice();
    expect(await sums(account)).toEqual(once);
  });

  it('uses up the funding, which webhooks hear from the history', async () => {
    const account = await sandboxAccount();
    const funding = await given.fundingInstrument({
      account,
      type: 'INSERTION_ORDER',
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2036-01-01T00:00:00Z',
      funded_amount_local_micro: 3_000_000,
    });
    const campaign = await given.campaign({
      account,
      funding_instrument_id: funding.id,
      daily_budget_amount_local_micro: 2_500_000,
    });
    await shownItem(account, { account, campaign_id: campaign.id });
    const delivery = world().get(SimulatedDelivery);
    for (let hours = 0; hours < 50; hours++) await delivery.deliverHour(account.id, new Date(START + hours * HOUR_MS));
    expect(await sums(account)).toMatchObject({ funding: 3_000_000, billed: 3_000_000 });
    const changes = await world().sql<{ changes: Json }>(
      `SELECT changes FROM account_changes WHERE "accountId" = $1 AND "entityId" = $2 AND "changeType" = 'UPDATE'`,
      account.id,
      funding.id,
    );
    expect(changes.map((each) => each.changes)).toContainEqual(
      expect.objectContaining({ able_to_fund: { old: true, new: false } }),
    );
  });

  it('continues after a downtime, in accounts without a test clock', async () => {
    const account = await sandboxAccount();
    const campaign = await given.campaign({ account });
    await shownItem(account, { account, campaign_id: campaign.id });
    const job = world().get(SimulateDeliveryJob);
    world().clock.set(new Date(START));
    await job.deliverDue();
    expect((await sums(account)).facts).toBe(0);
    world().clock.set(new Date(START + 30 * HOUR_MS));
    await job.deliverDue();
    const [{ hour }] = await world().sql<{ hour: string }>(
      'SELECT hour FROM delivery_positions WHERE "accountId" = $1',
      account.id,
    );
    expect(new Date(hour)).toEqual(new Date(START + 24 * HOUR_MS));
    await job.deliverDue();
    const { facts, billed, items } = await sums(account);
    expect(facts).toBeGreaterThan(20);
    expect(items).toBe(billed);
  });

  it('counts conversions on websites and in tracked apps, which hours, days and parents add up alike', async () => {
    const account = await sandboxAccount();
    const rich = { account, daily_budget_amount_local_micro: 4_000_000_000 };
    const campaigns = [await given.campaign(rich), await given.campaign(rich), await given.campaign(rich)];
    const apps = [await given.accountApp(account, { conversion_tracking_enabled: true }), await given.accountApp(account)]; // prettier-ignore
    const link = await given.post({ account, text: 'Offers: https://example.com/offers' });
    const appPost = await postOfApp(account);
    const shown = async (campaign: number, postId: string, params: object) => {
      const item = await given.lineItem({ account, campaign_id: campaigns[campaign].id, ...params });
      await given.promotedPost({ account, lineItemId: item.id, postId });
      return item.id;
    };
    const sites = [0, 0].map(() => shown(0, link.id, { objective: 'WEBSITE_CLICKS' }));
    const [tracked, untracked] = apps.map(({ appStoreIdentifier }, i) =>
      shown(1 + i, appPost.id, { objective: 'APP_INSTALLS', android_app_store_identifier: appStoreIdentifier }),
    );
    const items = await Promise.all([...sites, tracked, untracked]);
    const delivery = world().get(SimulatedDelivery);
    // from midnight to midnight in Los Angeles, and the first hour of the next day
    for (let hours = -1; hours < 24; hours++) await delivery.deliverHour(account.id, new Date(START + hours * HOUR_MS));

    const totals = async (entity: string, ids: readonly string[], granularity: string): Promise<Json[]> => {
      const query = {
        ...{ entity, entity_ids: ids.join(), granularity, start_time: '2027-01-10', end_time: '2027-01-12' },
        metric_groups: 'ENGAGEMENT,WEB_CONVERSION,MOBILE_CONVERSION,LIFE_TIME_VALUE_MOBILE_CONVERSION',
        placement: 'ALL_ON_PLATFORM',
      };
      const { body } = await owner.in('sandbox').get(`/12/stats/accounts/${account.id}`, { query });
      return body.data.map(({ id_data: [{ metrics }] }: Json) => totalOf(metrics));
    };
    const ofItems = await totals('LINE_ITEM', items, 'TOTAL');
    const parents = campaigns.map(({ id }) => id);
    const ofCampaigns = await totals('CAMPAIGN', parents, 'TOTAL');
    for (const granularity of ['HOUR', 'DAY']) {
      expect(await totals('LINE_ITEM', items, granularity)).toEqual(ofItems);
      expect(await totals('CAMPAIGN', parents, granularity)).toEqual(ofCampaigns);
    }
    expect(ofCampaigns).toEqual([added(ofItems[0], ofItems[1]), ofItems[2], ofItems[3]]);

    const nothing = (metric: Json) => Object.values(metric).every((member) => member === null);
    const [site, , app, otherApp] = ofItems;
    const { post_view: view, post_engagement: engagement, ...sold } = site.conversion_purchases;
    expect(Math.min(view, engagement)).toBeGreaterThan(0);
    const price = sold.sale_amount_view / view;
    expect(price % 10_000).toBe(0);
    expect(sold).toEqual({
      metric: view + engagement,
      assisted: null,
      order_quantity: (view + engagement) * 1_000_000,
      order_quantity_view: view * 1_000_000,
      order_quantity_engagement: engagement * 1_000_000,
      sale_amount: (view + engagement) * price,
      sale_amount_view: view * price,
      sale_amount_engagement: engagement * price,
    });
    expect(site.conversion_site_visits).toMatchObject({ order_quantity: null, sale_amount: null });
    expect(site.conversion_site_visits.post_engagement).toBeLessThanOrEqual(site.url_clicks);
    expect(site.conversion_sign_ups.metric).toBeGreaterThan(0);
    expect([site.conversion_downloads, site.mobile_conversion_purchases].every(nothing)).toBe(true);

    const bought = app.mobile_conversion_purchases;
    const purchases = bought.post_view + bought.post_engagement;
    expect(bought).toMatchObject({ assisted: null, order_quantity: purchases * 1_000_000 });
    expect(bought.sale_amount % purchases).toBe(0);
    expect(app.mobile_conversion_lifetime_value_purchases).toEqual({
      metric: purchases,
      order_quantity: purchases * 1_000_000,
      sale_amount: bought.sale_amount,
    });
    expect(app.mobile_conversion_lifetime_value_sign_ups).toMatchObject({ order_quantity: null, sale_amount: null });
    expect(app.mobile_conversion_installs.post_engagement).toBeLessThanOrEqual(app.app_clicks);
    expect([app.conversion_purchases, app.mobile_conversion_re_engages].every(nothing)).toBe(true);
    expect(otherApp.app_clicks).toBeGreaterThan(0);
    expect([otherApp.mobile_conversion_installs, otherApp.mobile_conversion_lifetime_value_purchases].every(nothing)).toBe(true); // prettier-ignore
  });
});

/** A post with a card that leads to an app. */
async function postOfApp(account: ActingAccount) {
  const { mediaKey } = await given.libraryMedia(account);
  const destination = { type: 'APP', country_code: 'US', googleplay_app_id: 'com.example.coffee' } as const;
  const button = { type: 'BUTTON', label: { type: 'ENUM', value: 'INSTALL' }, destination } as const;
  const { id } = await given.card(account, { components: [{ type: 'MEDIA', media_key: mediaKey }, button] });
  return given.post({ account, card_uri: `card://${id}` });
}

/** The sum of each series of numbers, in objects, too. */
const totalOf = (metric: Json): Json =>
  Array.isArray(metric)
    ? metric.reduce((total, count) => total + count, 0)
    : metric && Object.fromEntries(Object.entries(metric).map(([name, each]) => [name, totalOf(each)]));

/** The sums of two objects of totals. */
const added = (one: Json, other: Json): Json =>
  one !== null && typeof one === 'object'
    ? Object.fromEntries(Object.entries(one).map(([name, each]) => [name, added(each, other[name])]))
    : one === null && other === null
      ? null
      : one + other;
