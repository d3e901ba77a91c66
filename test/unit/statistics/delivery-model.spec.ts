import fc from 'fast-check';
import { GOALS, OBJECTIVES, PAY_BYS, PLACEMENTS } from '../../../src/campaigns/entities/line-item.tables.js';
import { deliver, type SimulatedFact, type SimulatedHour } from '../../../src/statistics/delivery/delivery.model.js';
import type { SimulatedLineItem } from '../../../src/statistics/delivery/simulated-line-item.js';
import { ITEM_PRICES, SHAPE_OF_DAY } from '../../../src/statistics/delivery/delivery.tables.js';
import type { ConversionColumn } from '../../../src/statistics/facts/delivery-counts.entity.js';
import { rounded, share, Draws } from '../../../src/statistics/delivery/draw.js';

const amount = fc.integer({ min: 0, max: 1_000_000_000_000 });
const id = fc.string({ minLength: 1, maxLength: 8 });
const thing = fc.record({
  id,
  kind: fc.constantFrom('PROMOTED_POST' as const, 'PROMOTED_ACCOUNT' as const, 'MEDIA_CREATIVE' as const),
  postId: fc.constant(null),
  isVideo: fc.boolean(),
  leadFormIds: fc.constant([]),
});
const lineItem: fc.Arbitrary<SimulatedLineItem> = fc.record({
  id,
  objective: fc.constantFrom(...OBJECTIVES),
  goal: fc.constantFrom(...GOALS),
  payBy: fc.constantFrom(...PAY_BYS),
  bidStrategy: fc.constantFrom('AUTO' as const, 'MAX' as const, 'TARGET' as const),
  bidAmountLocalMicro: fc.option(amount),
  placements: fc.uniqueArray(fc.constantFrom(...PLACEMENTS), { minLength: 1 }),
  denomination: fc.constantFrom(1_000, 10_000, 1_000_000),
  dailyLocalMicro: fc.option(amount),
  standardDelivery: fc.boolean(),
  dailyCap: fc.option(fc.integer({ min: 1, max: 10 })),
  audience: fc.integer({ min: 0, max: 10_000_000_000 }),
  things: fc.uniqueArray(thing, { maxLength: 4, selector: (each) => each.id }),
  isAppTracked: fc.boolean(),
  hasLongerViews: fc.boolean(),
});
const hour: fc.Arbitrary<SimulatedHour> = fc.record({
  start: fc.constantFrom('2027-01-10T09:00:00.000Z', '2027-01-10T10:00:00.000Z'),
  localHour: fc.integer({ min: 0, max: 23 }),
  inFlight: fc.integer({ min: 0, max: 1_000 }),
});
const input = fc.tuple(lineItem, hour, fc.array(fc.option(amount), { maxLength: 5 }), id);
const sum = (facts: SimulatedFact[], of: (fact: SimulatedFact) => number) =>
  facts.reduce((total, fact) => total + of(fact), 0);

const usual: SimulatedLineItem = {
  id: 'item',
  objective: 'ENGAGEMENTS',
  goal: 'ENGAGEMENT',
  payBy: 'ENGAGEMENT',
  bidStrategy: 'AUTO',
  bidAmountLocalMicro: null,
  placements: ['ALL_ON_PLATFORM'],
  denomination: 10_000,
  dailyLocalMicro: 100_000_000,
  standardDelivery: true,
  dailyCap: null,
  audience: 5_000_000,
  things: [{ id: 'post', kind: 'PROMOTED_POST', postId: '7', isVideo: false, leadFormIds: [] }],
  isAppTracked: true,
};
const noon: SimulatedHour = { start: '2027-01-10T12:00:00.000Z', localHour: 12, inFlight: 1_000 };
const hoursOfDay: SimulatedHour[] = SHAPE_OF_DAY.map((_, localHour) => ({
  ...noon,
  start: new Date(Date.UTC(2027, 0, 10, localHour)).toISOString(),
  localHour,
}));

describe('simulated delivery', () => {
  it('never charges more than is left', () => {
    fc.assert(
      fc.property(input, ([item, at, remaining, seed]) => {
        const charge = sum(deliver(item, at, remaining, seed), (fact) => fact.billedChargeLocalMicro);
        for (const limit of remaining) if (limit !== null) expect(charge).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('counts consistently, in whole numbers that are not negative', () => {
    fc.assert(
      fc.property(input, ([item, at, remaining, seed]) => {
        for (const fact of deliver(item, at, remaining, seed)) {
          const numbers = Object.values(fact).filter((each) => typeof each === 'number');
          expect(numbers.every((each) => Number.isSafeInteger(each) && each >= 0)).toBe(true);
          const falling = (...counts: number[]) =>
            expect(counts).toEqual([...counts].sort((one, other) => one - other));
          const { videoViews100, videoViews75, videoViews50, videoViews25, videoContentStarts } = fact;
          falling(videoViews100, videoViews75, videoViews50, videoViews25, videoContentStarts, fact.impressions);
          falling(fact.video15sViews, fact.video6sViews, fact.video3s100pctViews, fact.videoTotalViews);
          falling(fact.clicks, fact.engagements, fact.impressions);
          falling(fact.urlClicks + fact.appClicks + fact.likes + fact.retweets + fact.replies, fact.clicks);
          expect(fact.engagements).toBe(fact.clicks + fact.follows);
          expect(fact.billedEngagements).toBeLessThanOrEqual(fact.impressions);
          if (fact.billedEngagements === 0) expect(fact.billedChargeLocalMicro).toBe(0);
        }
      }),
    );
  });

  it.each([
    ['of currencies without cents', { payBy: 'LINK_CLICK', denomination: 1_000_000 }, 36_000_000, 54_000_000],
    [
      'of target bids',
      { payBy: 'LINK_CLICK', bidStrategy: 'TARGET', bidAmountLocalMicro: 20_000_000 },
      18_000_000,
      22_000_000,
    ],
  ] as const)('has prices %s as they are', (_, terms, least, most) => {
    const item = { ...usual, ...terms, objective: 'WEBSITE_CLICKS', dailyLocalMicro: 100_000_000_000 } as const;
    for (const hour of hoursOfDay)
      for (const { billedChargeLocalMicro, billedEngagements } of deliver(item, hour, [], 'seed')) {
        expect(billedChargeLocalMicro / billedEngagements).toBeGreaterThanOrEqual(least);
        expect(billedChargeLocalMicro / billedEngagements).toBeLessThanOrEqual(most);
      }
  });

  it('spends the budget of a day in any currency', () => {
    const daily = 30_000_000_000_000;
    const item = { ...usual, denomination: 1_000_000, dailyLocalMicro: daily, audience: 100_000_000 };
    const spent = hoursOfDay.flatMap((hour) => deliver(item, hour, [], 'seed'));
    expect(sum(spent, (fact) => fact.billedChargeLocalMicro) / daily).toBeGreaterThan(0.9);
  });

  it('converts views and clicks step by step, where a website or a tracked app is promoted', () => {
    const KINDS = { WEBSITE_CLICKS: 'web', APP_INSTALLS: 'mobile', APP_ENGAGEMENTS: 'mobile', REACH: 'none' } as const;
    const objectives = fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[]));
    const payments = fc.constantFrom('IMPRESSION' as const, 'ENGAGEMENT' as const);
    const falling = (...counts: number[]) => expect(counts).toEqual([...counts].sort((one, other) => one - other));
    let sold = 0;
    fc.assert(
      fc.property(input, objectives, payments, ([anyItem, at, remaining, seed], objective, payBy) => {
        const item = { ...anyItem, objective, payBy };
        const prices = new Set<number>();
        for (const fact of deliver(item, at, remaining, seed)) {
          for (const [column, count] of Object.entries(fact.conversions)) {
            expect(column.startsWith(KINDS[objective])).toBe(true);
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
          }
          if (KINDS[objective] === 'mobile') expect('mobileSales' in fact.conversions).toBe(item.isAppTracked);
          const of = (column: ConversionColumn) => fact.conversions[column] ?? 0;
          for (const [after, links, apps] of [
            ['AfterView', fact.impressions - fact.engagements, fact.impressions - fact.engagements],
            ['AfterEngagement', fact.urlClicks, fact.appClicks],
          ] as const) {
            const [purchases, visits] = [of(`webPurchases${after}`), of(`webSiteVisits${after}`)];
            falling(purchases, of(`webAddToCarts${after}`), of(`webContentViews${after}`), visits, links);
            falling(of(`webSignUps${after}`), visits);
            const [installs, reEngages] = [of(`mobileInstalls${after}`), of(`mobileReEngages${after}`)];
            falling(Math.max(of(`mobilePurchases${after}`), of(`mobileSignUps${after}`)), installs + reEngages, apps);
            if (objective !== 'APP_INSTALLS') expect(installs).toBe(0);
            if (objective !== 'APP_ENGAGEMENTS') expect(reEngages).toBe(0);
            if (purchases > 0) prices.add(of(`webSales${after}`) / purchases);
            else expect(of(`webSales${after}`)).toBe(0);
            sold += purchases;
          }
          const inApp = of('mobilePurchasesAfterView') + of('mobilePurchasesAfterEngagement');
          if (inApp > 0) prices.add(of('mobileSales') / inApp);
        }
        expect(prices.size).toBeLessThanOrEqual(1);
        for (const price of prices)
          falling(ITEM_PRICES.lowest * item.denomination, price, ITEM_PRICES.highest * item.denomination);
      }),
    );
    expect(sold).toBeGreaterThan(0);
  });

  it('gives the same facts for the same arguments, and others for another seed', () => {
    fc.assert(
      fc.property(input, ([item, at, remaining, seed]) => {
        expect(deliver(item, at, remaining, seed)).toEqual(deliver(item, at, remaining, seed));
      }),
    );
    expect(deliver(usual, noon, [], 'one')).not.toEqual(deliver(usual, noon, [], 'other'));
  });

  it('spends about the daily budget in the 24 hours of a day', () => {
    const facts = hoursOfDay.flatMap((each) => deliver(usual, each, [], 'seed'));
    const charge = sum(facts, (fact) => fact.billedChargeLocalMicro);
    expect(charge).toBeGreaterThan(85_000_000);
    expect(charge).toBeLessThan(115_000_000);
    expect(SHAPE_OF_DAY.reduce((one, other) => one + other)).toBe(1_000);
  });

  it('ends a budget to the last micro-unit', () => {
    const charge = sum(deliver(usual, noon, [null, 70_001], 'seed'), (fact) => fact.billedChargeLocalMicro);
    expect(charge).toBe(70_001);
    const day = hoursOfDay.map((each) => sum(deliver(usual, each, [1], 'seed'), (fact) => fact.billedChargeLocalMicro));
    expect(day.reduce((one, other) => one + other)).toBeGreaterThan(8);
  });

  it('divides the spend between the platform and the partner network, and views only for videos', () => {
    const network: SimulatedLineItem = { ...usual, placements: ['ALL_ON_PLATFORM', 'PUBLISHER_NETWORK'] };
    const facts = deliver(network, noon, [], 'seed');
    expect(facts.map(({ placement }) => placement)).toEqual(['ALL_ON_PLATFORM', 'PUBLISHER_NETWORK']);
    expect(facts[0].billedChargeLocalMicro).toBeGreaterThan(2 * facts[1].billedChargeLocalMicro);
    expect(facts[0].videoTotalViews).toBe(0);
    const views: SimulatedLineItem = { ...usual, objective: 'VIDEO_VIEWS', goal: 'VIDEO_VIEW', payBy: 'VIEW' };
    expect(deliver(views, noon, [], 'seed')).toEqual([]);
    const [video] = deliver({ ...views, things: [{ ...usual.things[0], isVideo: true }] }, noon, [], 'seed');
    expect(video.billedEngagements).toBe(video.videoTotalViews);
    expect(video.videoViews100).toBeGreaterThan(0);
  });

  it('counts fewer views if they have to last longer, and bills these', () => {
    const item = { ...usual, objective: 'VIDEO_VIEWS', goal: 'VIDEO_VIEW', payBy: 'VIEW' } as const;
    const things = [{ ...usual.things[0], isVideo: true }];
    const of = (hasLongerViews: boolean) => deliver({ ...item, things, hasLongerViews }, noon, [], 'seed')[0];
    const [before, after] = [of(false), of(true)];
    const perImpression = (fact: SimulatedFact) => fact.videoTotalViews / fact.impressions;
    expect(perImpression(before)).toBeCloseTo(0.338, 3);
    expect(perImpression(after)).toBeCloseTo(0.2873, 3);
    expect(after.videoTotalViews).toBeGreaterThan(after.video3s100pctViews);
    expect(after.billedEngagements).toBe(after.videoTotalViews);
    // the same spend needs more impressions
    expect(after.impressions).toBeGreaterThan(before.impressions);
    expect(after.billedChargeLocalMicro / before.billedChargeLocalMicro).toBeCloseTo(1, 1);
  });

  it.each([
    ['1,000 users', 1_000, 1 / 7, 142],
    ['a hundred users', 100, 1 / 7, 14],
    ['several impressions in several days', 1_000, 5 / 7, 714],
    ['no cap', 1_000, null, 4_000],
  ])('shows each user as much as the frequency cap allows: %s', (_, audience, dailyCap, most) => {
    const item = { ...usual, audience, dailyCap };
    const impressions = sum(
      hoursOfDay.flatMap((hour) => deliver(item, hour, [], 'seed')),
      (fact) => fact.impressions,
    );
    expect(impressions).toBe(most);
  });

  it('shows nothing outside the flight, without things, and without money', () => {
    expect(deliver(usual, { ...noon, inFlight: 0 }, [], 'seed')).toEqual([]);
    expect(deliver({ ...usual, things: [] }, noon, [], 'seed')).toEqual([]);
    expect(deliver(usual, noon, [null, 0], 'seed')).toEqual([]);
  });

  it('has the same figures in each process and release', () => {
    const [fact] = deliver(usual, noon, [], 'seed');
    expect(fact).toMatchObject({ impressions: 1_361, engagements: 40, likes: 15, billedChargeLocalMicro: 5_596_800 });
  });

  it('draws the numbers of earlier releases, by all words', () => {
    // other numbers would change the figures of every seed
    expect([
      Draws.of('seed', 'item').draw('spend'),
      Draws.of('seed').and('item', 7).between(800, 1_200, 'price'),
    ]).toEqual([2_685_269_488, 1_160]);
    expect(Draws.of('a').and('b', 'c').draw('d')).toBe(Draws.of('a', 'b', 'c').draw('d'));
    expect(Draws.of('ab').draw('c')).not.toBe(Draws.of('a').draw('bc'));
  });

  it('divides exactly, however large the product is', () => {
    const parts = fc.tuple(
      fc.nat(Number.MAX_SAFE_INTEGER),
      fc.nat(1_000_000_000),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    );
    fc.assert(
      fc.property(parts, ([amount, numerator, denominator]) => {
        const product = BigInt(amount) * BigInt(numerator);
        fc.pre(product / BigInt(denominator) <= BigInt(Number.MAX_SAFE_INTEGER));
        const down = Number(product / BigInt(denominator));
        expect(share(amount, numerator, denominator)).toBe(down);
        expect(rounded(amount, numerator, denominator, Draws.of('draw')) - down).toBeGreaterThanOrEqual(0);
        expect(rounded(amount, numerator, denominator, Draws.of('draw')) - down).toBeLessThanOrEqual(1);
      }),
    );
  });
});
