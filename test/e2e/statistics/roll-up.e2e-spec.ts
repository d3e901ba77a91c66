import fc from 'fast-check';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import type {
  Counts,
  FactColumn,
  Series,
  StatisticsEntity,
} from '../../../src/statistics/account-statistics/metrics.js';
import type { Segmentation } from '../../../src/statistics/account-statistics/segmentation.js';
import {
  SegmentedStatistics,
  type ReadLimits,
} from '../../../src/statistics/account-statistics/segmented-statistics.service.js';
import { StatisticsReader } from '../../../src/statistics/account-statistics/statistics-reader.service.js';
import { DeliveryRollups } from '../../../src/statistics/facts/delivery-rollups.service.js';
import { RollUpDeliveryJob } from '../../../src/statistics/facts/roll-up-delivery.job.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import { firstHourOf, startOfDay } from '../../../src/common/time/time-zones.js';
import { Api, type Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { fresh } from '../../support/given/fresh.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Json } from '../../support/http.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

type Item = Awaited<ReturnType<typeof given.lineItem>>;

/** An account in a time zone with two line items in one campaign, and one in another. */
async function arranged(timezone: string): Promise<{ advertiser: Advertiser; items: Item[] }> {
  const advertiser = await given.advertiser({ environment: 'sandbox', timezone });
  const { account } = advertiser;
  const first = await given.lineItem({ account });
  const sibling = await given.lineItem({ account, campaign_id: first.campaignId });
  return { advertiser, items: [first, sibling, await given.lineItem({ account })] };
}

const PLACEMENTS = ['ALL_ON_PLATFORM', 'PUBLISHER_NETWORK'] as const;

interface Counted {
  item: number;
  hour: number;
  placement: number;
  promoted: number;
  audience: number;
  impressions: number;
  charge: number;
}

/** Stores facts whose hours are counted from `start`; of equal keys only the first counts. */
async function store(items: readonly Item[], start: number, counted: readonly Counted[]): Promise<void> {
  const byKey = new Map(
    counted.map((each) => [[each.item, each.hour, each.placement, each.promoted].join(), each] as const).reverse(),
  );
  for (const [i, item] of items.entries()) {
    const own = [...byKey.values()].filter((each) => each.item === i);
    const facts = own.map(({ hour, placement, promoted, audience, impressions, charge }) => ({
      hour: iso(start + hour * HOUR),
      placement: PLACEMENTS[placement],
      promotedId: `${item.id}p${promoted}`,
      audienceId: `a${audience}`,
      impressions,
      engagements: impressions % 7,
      billedChargeLocalMicro: charge,
    }));
    await given.facts(item, ...facts);
  }
}

const api = ({ api: own }: Advertiser) => own.in('sandbox');

async function found({ status, body }: { status: number; body: Json }): Promise<Json> {
  expect({ status, errors: body.errors }).toEqual({ status: 200 });
  return body.data;
}

/** The impressions and charges of entities, by id. */
async function statistics(advertiser: Advertiser, params: Params): Promise<Record<string, Json>> {
  const query = { metric_groups: 'ENGAGEMENT,BILLING', placement: 'ALL_ON_PLATFORM', ...params };
  const data = await found(await api(advertiser).get(`/12/stats/accounts/${advertiser.account.id}`, { query }));
  return Object.fromEntries(
    data.map(({ id, id_data: [{ metrics }] }: Json) => [
      id,
      { impressions: metrics.impressions, engagements: metrics.engagements, charge: metrics.billed_charge_local_micro },
    ]),
  );
}

const activity = async (advertiser: Advertiser, params: Params): Promise<Json> =>
  found(
    await api(advertiser).get(`/12/stats/accounts/${advertiser.account.id}/active_entities`, {
      query: { entity: 'LINE_ITEM', ...params },
    }),
  );

const days = (accountId: string): Promise<{ start: string; impressions: number }[]> =>
  world().sql(
    'SELECT start, sum(impressions)::int AS impressions FROM delivery_days WHERE "accountId" = $1 GROUP BY start ORDER BY start',
    accountId,
  );
const until = async (accountId: string): Promise<string | undefined> => {
  const [row] = await world().sql<{ until: string }>(
    'SELECT until FROM delivery_rollups WHERE "accountId" = $1',
    accountId,
  );
  return row && iso(Date.parse(row.until));
};

describe('the roll-up to days', () => {
  useApp({ SANDBOX: 'true', DELIVERY: 'simulated' });

  const rollUp = ({ id, timezone }: ActingAccount, before: number) =>
    world().get(DeliveryRollups).rollUp(id, timezone, new Date(before));

  /** Clocks change in each of these ranges, but in Kolkata, where days begin at half past. */
  const RANGES = [
    ['America/Los_Angeles', '2026-03-05'],
    ['America/Santiago', '2026-09-03'],
    ['Asia/Kolkata', '2026-03-05'],
    ['Australia/Lord_Howe', '2026-04-02'],
  ] as const;
  const LENGTH = 7;

  const counted: fc.Arbitrary<Counted> = fc.record({
    item: fc.nat(2),
    hour: fc.nat(LENGTH * 24 - 2),
    placement: fc.constantFrom(0, 0, 0, 1),
    promoted: fc.nat(1),
    audience: fc.nat(1),
    impressions: fc.integer({ min: 1, max: 10_000 }),
    charge: fc.integer({ min: 0, max: 10_000_000_000 }),
  });
  const cuts = fc.uniqueArray(fc.nat(LENGTH * 24), { minLength: 2, maxLength: 2 });

  it.each(RANGES)('answers the same wherever it ends, in %s from %s', async (timezone, date) => {
    const first = Date.parse(date) / DAY;
    const start = startOfDay(timezone, first);
    const end = startOfDay(timezone, first + LENGTH);
    const firstHour = firstHourOf(timezone, first);
    const sample = fc.record({
      facts: fc.array(counted, { minLength: 60, maxLength: 120 }),
      windows: fc.array(cuts, { minLength: 4, maxLength: 4 }),
      rollUps: fc.uniqueArray(fc.nat(LENGTH * 24), { minLength: 3, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(sample, async ({ facts, windows, rollUps }) => {
        const { advertiser, items } = await arranged(timezone);
        const { account } = advertiser;
        await store(items, firstHour, facts);
        const ids = items.map(({ id }) => id).join();
        const parents = [...new Set(items.map(({ campaignId }) => campaignId))].join();
        const answers = async () => ({
          days: await statistics(advertiser, { entity: 'LINE_ITEM', entity_ids: ids, granularity: 'DAY', start_time: iso(start), end_time: iso(end) }), // prettier-ignore
          ranges: await Promise.all(
            windows.map(async ([one, other]) => {
              const [from, to] = [Math.min(one, other), Math.max(one, other)].map((hours) => iso(start + hours * HOUR));
              const range = { start_time: from, end_time: to };
              return [
                await statistics(advertiser, { entity: 'CAMPAIGN', entity_ids: parents, granularity: 'TOTAL', ...range }), // prettier-ignore
                await statistics(advertiser, { entity: 'ACCOUNT', entity_ids: account.id, granularity: 'HOUR', metric_groups: 'ENGAGEMENT', ...range }), // prettier-ignore
                await statistics(advertiser, { entity: 'LINE_ITEM', entity_ids: ids, granularity: 'TOTAL', placement: 'PUBLISHER_NETWORK', ...range }), // prettier-ignore
                await activity(advertiser, range),
              ];
            }),
          ),
        });
        const before = await answers();
        for (const hours of rollUps.sort((a, b) => a - b)) {
          const [during] = await Promise.all([answers(), rollUp(account, firstHour + hours * HOUR)]);
          expect(during).toEqual(before);
          expect(await answers()).toEqual(before);
        }
        await rollUp(account, end + DAY);
        expect(await answers()).toEqual(before);
        const total = facts.length === 0 ? 0 : (await days(account.id)).reduce((sum, each) => sum + each.impressions, 0); // prettier-ignore
        expect(total).toBeGreaterThan(0);
        await consistent(advertiser, items, { start, end });
      }),
      { numRuns: 2 },
    );
  });

  /** Hours add up to days and totals, line items to campaigns, funding instruments and the account. */
  async function consistent(advertiser: Advertiser, items: readonly Item[], range: { start: number; end: number }) {
    const times = { start_time: iso(range.start), end_time: iso(range.end) };
    const sum = async (params: Params) => {
      const found = await statistics(advertiser, { ...times, ...params });
      const series = Object.values(found).flatMap(({ impressions }) => (impressions ?? []) as number[]);
      return series.reduce((total, count) => total + count, 0);
    };
    const ids = (of: (item: Item) => string) => [...new Set(items.map(of))].join();
    const entities = {
      LINE_ITEM: ids(({ id }) => id),
      CAMPAIGN: ids(({ campaignId }) => campaignId),
      FUNDING_INSTRUMENT: ids(({ fundingInstrumentId }) => fundingInstrumentId),
    };
    const totals = new Set<number>();
    for (const [entity, entity_ids] of Object.entries(entities))
      for (const granularity of ['HOUR', 'DAY', 'TOTAL']) totals.add(await sum({ entity, entity_ids, granularity }));
    const account = { entity: 'ACCOUNT', entity_ids: advertiser.account.id, metric_groups: 'ENGAGEMENT' };
    totals.add(await sum({ ...account, granularity: 'DAY' }));
    expect(totals.size).toBe(1);
  }

  describe('segments', () => {
    const ZONE = 'America/Los_Angeles';
    const first = Date.parse('2026-03-05') / DAY;
    const range = { start_time: '2026-03-05', end_time: '2026-03-12' };
    const METROS: Segmentation = { type: 'METROS', country: '96683cc9126741d1' };

    interface Asking {
      account: ActingAccount;
      entity: StatisticsEntity;
      ids: string[];
      granularity?: 'HOUR' | 'DAY' | 'TOTAL';
      segmentation?: Segmentation;
    }
    const read = async ({ account, entity, ids, granularity = 'DAY', segmentation }: Asking) => {
      const groups = { metric_groups: ['ENGAGEMENT', 'BILLING'] as const, placement: 'ALL_ON_PLATFORM' };
      const asked = { entity, entity_ids: ids, granularity, ...groups, ...range, segmentation };
      const { series } = await world().get(StatisticsReader).read(account, asked, { timezone: ZONE, now: new Date() });
      return new Map(series.map(({ id, parts }) => [id, parts]));
    };
    /** The counts of a column, of all segments together or of one. */
    const unitsOf = (parts: readonly Counts[], column: FactColumn, value?: string | null): number[] => {
      const own = parts.filter(({ segment }) => value === undefined || segment?.value === value);
      const lists = own.flatMap(({ counts }) => counts.get(column) ?? []);
      const length = own.flatMap(({ counts }) => [...counts.values()])[0]?.length ?? 1;
      return Array.from({ length }, (_, unit) =>
        lists.reduce((sum, count, i) => sum + (i % length === unit ? count : 0), 0),
      );
    };

    it('add up to the whole, of line items and their parents, whatever is rolled up', async () => {
      const { advertiser, items } = await arranged(ZONE);
      const { account } = advertiser;
      const facts = fc.sample(fc.array(counted, { minLength: 150, maxLength: 150 }), { numRuns: 1, seed: 7 })[0];
      await store(items, firstHourOf(ZONE, first), facts);
      await given.deliveryAudience(account, 'a0', { criteria: [['GENDER', '1', 'EQ']] });
      const ids = items.map(({ id }) => id);
      const campaigns = [...new Set(items.map(({ campaignId }) => campaignId))];
      const ask = async (segmentation?: Segmentation) => ({
        items: await read({ account, entity: 'LINE_ITEM', ids, segmentation }),
        hours: await read({ account, entity: 'LINE_ITEM', ids, segmentation, granularity: 'HOUR' }),
        total: await read({ account, entity: 'CAMPAIGN', ids: campaigns, segmentation, granularity: 'TOTAL' }),
        account: await read({ account, entity: 'ACCOUNT', ids: [account.id], segmentation, granularity: 'TOTAL' }),
      });
      const whole = await ask();
      const before = { GENDER: await ask({ type: 'GENDER' }), METROS: await ask(METROS) };
      for (const [id, parts] of before.GENDER.items)
        for (const column of ['impressions', 'engagements', 'billedChargeLocalMicro'] as const)
          expect(unitsOf(parts, column)).toEqual(unitsOf(whole.items.get(id)!, column));
      const values = [...before.GENDER.account.values()][0].map(({ segment }) => segment!);
      expect(values).toEqual([
        { name: 'Male', value: '1' },
        { name: 'Female', value: '2' },
        { name: null, value: null },
      ]);
      for (const { value } of values) {
        const of = (answer: Map<string, Counts[]>) =>
          [...answer.values()]
            .flatMap((parts) => unitsOf(parts, 'impressions', value))
            .reduce((sum, each) => sum + each);
        const { items: byDay, hours, total, account: all } = before.GENDER;
        expect(new Set([of(byDay), of(hours), of(total), of(all)]).size).toBe(1);
      }
      for (const hours of [30, 70, 400]) {
        await rollUp(account, firstHourOf(ZONE, first) + hours * HOUR);
        expect({ GENDER: await ask({ type: 'GENDER' }), METROS: await ask(METROS) }).toEqual(before);
      }
      expect([...before.METROS.account.values()][0].length).toBeGreaterThan(100);
    });

    it('are read in pieces that are small enough', async () => {
      const { advertiser, items } = await arranged(ZONE);
      const { account } = advertiser;
      const facts = fc.sample(fc.array(counted, { minLength: 150, maxLength: 150 }), { numRuns: 1, seed: 8 })[0];
      await store(items, firstHourOf(ZONE, first), facts);
      await rollUp(account, firstHourOf(ZONE, first + 3));
      const bounds = [first, first + 2, first + 7].map((day) => startOfDay(ZONE, day));
      const entities: [StatisticsEntity, string[]][] = [
        ['LINE_ITEM', items.map(({ id }) => id)],
        ['ACCOUNT', [account.id]],
        ['CAMPAIGN', [items[2].campaignId, items[0].campaignId]],
      ];
      for (const [entity, ids] of entities) {
        const asked = { entity, ids, placement: 'ALL_ON_PLATFORM', timezone: ZONE, bounds, hasDays: true, columns: ['impressions' as const], segmentation: { type: 'AGE' as const } }; // prettier-ignore
        const all = async (...limits: [ReadLimits?]) => {
          const series: Series[] = [];
          for await (const each of world()
            .get(SegmentedStatistics)
            .each(account, asked, ...limits))
            series.push(each);
          return series;
        };
        const found = await all();
        expect(found.map(({ id }) => id)).toEqual(ids);
        expect(found.every(({ parts }) => parts.length > 3)).toBe(true);
        for (const limits of [
          { list: 2, items: 1, rows: 1, profiles: 1 },
          { list: 3, items: 2, rows: 20, profiles: 1 },
        ])
          expect(await all(limits)).toEqual(found);
      }
    });

    it('of audiences and users have their names, those that are gone their ids', async () => {
      const { advertiser, items } = await arranged(ZONE);
      const { account } = advertiser;
      const audience = await given.customAudience({ account, name: 'Buyers' });
      const user = await world().get(UsersService).create(fresh('similar'));
      await given.deliveryAudience(account, 'targeted', {
        criteria: [
          ['CUSTOM_AUDIENCE', audience.id, 'EQ'],
          ['CUSTOM_AUDIENCE', 'gone', 'EQ'],
          ['SIMILAR_TO_FOLLOWERS_OF_USER', user.id, 'EQ'],
          ['SIMILAR_TO_FOLLOWERS_OF_USER', '1', 'EQ'],
        ],
      });
      const hour = iso(firstHourOf(ZONE, first));
      await given.facts(items[0], { hour, impressions: 1_000, audienceId: 'targeted' });
      const names = async (type: Segmentation['type']) =>
        [...(await read({ account, entity: 'LINE_ITEM', ids: [items[0].id], segmentation: { type } })).values()]
          .flat()
          .map(({ segment }) => segment)
          .sort((one, other) => (one!.name! < other!.name! ? -1 : 1));
      expect(await names('AUDIENCES')).toEqual([
        { name: 'Buyers', value: audience.id },
        { name: 'gone', value: 'gone' },
      ]);
      expect(await names('SIMILAR_TO_FOLLOWERS_OF_USER')).toEqual([
        { name: '1', value: '1' },
        { name: `@${user.username}`, value: user.id },
      ]);
      expect(await names('INTERESTS')).toEqual([]);
    });
  });

  const START = Date.parse('2026-03-01T08:00:00Z');
  const facts = (hours: readonly number[]) =>
    hours.map((hour) => ({ hour: iso(START + hour * HOUR), impressions: 10 }));

  it('sums each ended day once, however many processes do it', async () => {
    const { advertiser, items } = await arranged('America/Los_Angeles');
    const { account } = advertiser;
    await given.facts(items[0], ...facts([0, 23, 24, 30 * 24, 31 * 24, 31 * 24 + 22]));
    await Promise.all([40, 40, 31 * 24, 31 * 24 + 23].map((hours) => rollUp(account, START + hours * HOUR)));
    await rollUp(account, START + 40 * HOUR);
    // clocks changed in between: the last day begins and ends an hour earlier
    expect(await until(account.id)).toBe('2026-04-02T07:00:00Z');
    expect((await days(account.id)).map(({ start, impressions }) => [iso(Date.parse(start)), impressions])).toEqual([
      ['2026-03-01T08:00:00Z', 20],
      ['2026-03-02T08:00:00Z', 10],
      ['2026-03-31T07:00:00Z', 10],
      ['2026-04-01T07:00:00Z', 20],
    ]);
  });

  /** Midnight in Los Angeles, when the line items exist. */
  const LATER = Date.parse('2027-01-10T08:00:00Z');
  const position = (accountId: string, ms: number) =>
    world().sql(
      `INSERT INTO delivery_positions ("accountId", hour) VALUES ($1, $2)
        ON CONFLICT ("accountId") DO UPDATE SET hour = EXCLUDED.hour`,
      accountId,
      iso(ms),
    );

  /** An account with a line item that can serve. */
  async function serving(): Promise<{ account: ActingAccount; item: Item }> {
    const { account } = await given.advertiser({ environment: 'sandbox' });
    const { id: campaign_id } = await given.campaign({ account });
    const item = await given.lineItem({ account, campaign_id });
    await given.promotedPost({ account, lineItemId: item.id });
    return { account, item };
  }

  it('leaves days alone whose hours the simulation has not delivered, and days that it delivers again', async () => {
    const { account, item } = await serving();
    await given.facts(item, ...[0, 25, 49].map((hour) => ({ hour: iso(LATER + hour * HOUR), impressions: 10 })));
    await position(account.id, LATER + 47 * HOUR);
    await rollUp(account, LATER + 90 * HOUR);
    expect(await until(account.id)).toBe(iso(LATER + DAY));
    await position(account.id, LATER + 72 * HOUR);
    await rollUp(account, LATER + 90 * HOUR);
    expect(await days(account.id)).toHaveLength(3);

    // as after a test clock that was ahead
    await position(account.id, LATER + 30 * HOUR);
    await world()
      .get(SimulatedDelivery)
      .deliverHour(account.id, new Date(LATER + 30 * HOUR));
    expect(await until(account.id)).toBe(iso(LATER + DAY));
    expect(await days(account.id)).toHaveLength(1);
  });

  it('an account that is restored or reset answers as before, wherever its roll-up ended meanwhile', async () => {
    const application = await given.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    const owner = new Api({ consumer: application.consumer, token });
    const account = await given.account({ userId: ownerId, environment: 'sandbox' });
    const item = await given.lineItem({ account });
    await given.facts(item, ...facts([0, 30, 80]));
    await rollUp(account, START + 30 * HOUR);
    const answers = async () => {
      const query = {
        ...{ entity: 'LINE_ITEM', entity_ids: item.id, metric_groups: 'ENGAGEMENT', placement: 'ALL_ON_PLATFORM' },
        ...{ start_time: iso(START), end_time: iso(START + 5 * DAY) },
      };
      const path = `/12/stats/accounts/${account.id}`;
      const all = ['HOUR', 'DAY', 'TOTAL'].map((granularity) =>
        owner.in('sandbox').get(path, { query: { ...query, granularity } }),
      );
      return (await Promise.all(all)).map(({ body }) => body.data[0]?.id_data[0].metrics.impressions);
    };
    const saved = await answers();
    expect(saved.slice(1)).toEqual([[10, 10, 0, 10, 0], [30]]);
    const form = { account_ids: account.id };
    expect((await owner.put('/workbench/snapshots/days', { form })).status).toBe(201);

    await given.facts(item, ...facts([90]));
    await rollUp(account, START + 5 * DAY);
    expect(await answers()).not.toEqual(saved);
    for (const step of ['restore', 'roll up', 'reset', 'restore'])
      if (step === 'roll up') await rollUp(account, START + 5 * DAY);
      else if (step === 'restore') {
        expect((await owner.post('/workbench/snapshots/days/restore')).status).toBe(200);
        expect(await answers()).toEqual(saved);
        expect(await until(account.id)).toBe(iso(START + DAY));
      } else {
        expect((await owner.post('/workbench/reset', { form: { ...form, to: 'EMPTY' } })).status).toBe(200);
        expect([await until(account.id), await days(account.id)]).toEqual([undefined, []]);
      }
  });

  it('follows the delivery, and a job catches up', async () => {
    const { account } = await serving();
    const delivery = world().get(SimulatedDelivery);
    for (let hour = 22; hour < 49; hour++) await delivery.deliverHour(account.id, new Date(LATER + hour * HOUR));
    const summed = await days(account.id);
    expect(summed.map(({ start }) => iso(Date.parse(start)))).toEqual([iso(LATER), iso(LATER + DAY)]);
    await world().sql('DELETE FROM delivery_days WHERE "accountId" = $1', account.id);
    await world().sql('DELETE FROM delivery_rollups WHERE "accountId" = $1', account.id);
    world().clock.set(new Date(LATER + 3 * DAY));
    await world().get(RollUpDeliveryJob).rollUpAll();
    expect(await days(account.id)).toEqual(summed);
    expect(await until(account.id)).toBe(iso(LATER + 2 * DAY));
    world().clock.set(null);
  });
});
