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
});
