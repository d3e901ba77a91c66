import fc from 'fast-check';
import { LOCATIONS, type LocationType } from '../../../src/audiences/locations/locations.js';
import { CellDivider } from '../../../src/statistics/account-statistics/cell-divider.js';
import { CellDivision } from '../../../src/statistics/account-statistics/cell-counts.rules.js';
import type { CellRow } from '../../../src/statistics/account-statistics/cells.statements.js';
import type { Counts, FactColumn } from '../../../src/statistics/account-statistics/metrics.js';
import { segmentProfile, sortedByKey } from '../../../src/statistics/account-statistics/segment-profile.rules.js';
import { prepared, SegmentedCounts } from '../../../src/statistics/account-statistics/segmented-counts.js';
import { SEGMENTATION_TYPES, type Segmentation } from '../../../src/statistics/account-statistics/segmentation.js';
import { Draws } from '../../../src/statistics/delivery/draw.js';
import { deliveryEventsOf } from '../../../src/statistics/delivery/delivery.events.js';
import type { AudienceCriterion } from '../../../src/statistics/facts/delivery-audience.entity.js';

const place = (type: LocationType, name: string): string =>
  LOCATIONS.all().find((each) => each.type === type && each.name === name)!.value;
const US = place('COUNTRIES', 'United States');
const JAPAN = place('COUNTRIES', 'Japan');
const CALIFORNIA = place('REGIONS', 'California, US');
const LOS_ANGELES = place('CITIES', 'Los Angeles, CA, US');
const NEW_YORK = place('CITIES', 'New York City, NY, US');
const IOS = '0';

const is = (type: string, ...values: string[]) => values.map((value): AudienceCriterion => [type, value, 'EQ']);
const not = (type: string, ...values: string[]) => values.map((value): AudienceCriterion => [type, value, 'NE']);

describe('the segments of an audience', () => {
  const names = (criteria: AudienceCriterion[], segmentation: Segmentation) =>
    segmentProfile(criteria, segmentation).segments.map(({ name }) => name);
  const inUs = (type: Segmentation['type']): Segmentation => ({ type, country: US });
  const onIos = (type: Segmentation['type']): Segmentation => ({ type, platform: IOS });

  it.each<[string, AudienceCriterion[], Segmentation, (string | null)[]]>([
    ['ages that are targeted, and nobody of unknown age', is('AGE', 'AGE_18_TO_34'), { type: 'AGE' }, ['18 to 20', '21 to 24', '25 to 34']], // prettier-ignore
    ['the oldest', is('AGE', 'AGE_OVER_50'), { type: 'AGE' }, ['50 to 54', 'over 55']],
    ['all genders, unknown last', [], { type: 'GENDER' }, ['Male', 'Female', null]],
    ['one gender', is('GENDER', '2'), { type: 'GENDER' }, ['Female']],
    ['targeted languages', is('LANGUAGE', 'fr', 'de'), { type: 'LANGUAGES' }, ['German', 'French']],
    ['countries of targeted places', [...is('LOCATION', NEW_YORK, JAPAN), ...not('LOCATION', CALIFORNIA)], { type: 'LOCATIONS' }, ['United States', 'Japan']], // prettier-ignore
    ['regions of targeted places', is('LOCATION', NEW_YORK, CALIFORNIA, JAPAN), inUs('REGIONS'), ['New York, US', 'California, US']], // prettier-ignore
    ['targeted cities only', is('LOCATION', US, NEW_YORK), inUs('CITIES'), ['New York City, NY, US']],
    ['no city without targeting', [], inUs('CITIES'), []],
    ['no metro elsewhere', is('LOCATION', JAPAN), inUs('METROS'), []],
    ['no place in an excluded country', not('LOCATION', US), inUs('METROS'), []],
    ['platforms but one', not('PLATFORM', '1', '2', '3'), { type: 'PLATFORMS' }, ['iOS', 'Desktop and laptop computers']], // prettier-ignore
    ['the platform of a device, and that device', is('DEVICE', '1p'), onIos('DEVICES'), ['iPhone 6s']],
    ['a version', is('PLATFORM_VERSION', 'w'), onIos('PLATFORM_VERSIONS'), ['iOS 26.0']],
    ['no device of another platform', is('PLATFORM', '1'), onIos('DEVICES'), []],
    ['targeted interests', [...is('INTEREST', '1003', '1001'), ...not('INTEREST', '1002')], { type: 'INTERESTS' }, ['Automotive/Auto repair', 'Automotive/Car culture']], // prettier-ignore
    ['keywords of all types', [...is('BROAD_KEYWORD', 'tea'), ...is('EXACT_KEYWORD', 'coffee')], { type: 'KEYWORDS' }, ['coffee', 'tea']], // prettier-ignore
    ['audiences by id, until they are named', is('CUSTOM_AUDIENCE_EXPANDED', 'abc'), { type: 'AUDIENCES' }, ['abc']],
    ['nothing of a type that is not targeted', is('INTEREST', '1001'), { type: 'TV_SHOWS' }, []],
    ['nothing that nobody counts', [], { type: 'CONVERSION_TAGS' }, []],
  ])('%s', (_, criteria, segmentation, expected) => expect(names(criteria, segmentation)).toEqual(expected));

  it('leave out the parts of an excluded region', () => {
    const metros = names([...is('LOCATION', US), ...not('LOCATION', CALIFORNIA)], inUs('METROS'));
    expect(metros.length).toBeGreaterThan(150);
    // a metro belongs to the first of its states
    expect(metros.filter((name) => name!.endsWith(' CA, US'))).toEqual(['Yuma AZ-El Centro CA, US']);
    expect(names(is('LOCATION', CALIFORNIA), inUs('METROS')).every((name) => / CA(-\w\w)?, US$/.test(name!))).toBe(true); // prettier-ignore
  });

  it('are smaller by what is excluded in them, and by that once', () => {
    const share = (...excluded: string[]) => {
      const criteria = [...is('LOCATION', US, JAPAN), ...not('LOCATION', ...excluded)];
      const { segments } = segmentProfile(criteria, { type: 'LOCATIONS' });
      const weight = (country: string) => segments.find(({ name }) => name === country)!.weight;
      return weight('United States') / weight('Japan');
    };
    const less = share(CALIFORNIA);
    expect(less / share()).toBeCloseTo(0.88, 1);
    expect(share(CALIFORNIA, LOS_ANGELES)).toBe(less);
  });

  it('come in the order of their values, with unknown ones last', () => {
    const values = ['b', null, 'a', null, 'c'].map((value) => ({ name: value, value }));
    expect(values.sort(sortedByKey).map(({ value }) => value)).toEqual(['a', 'b', 'c', null, null]);
  });

  it('weigh regions by who lives there', () => {
    const { segments } = segmentProfile([], inUs('REGIONS'));
    const names = ['California, US', 'Texas, US', 'New York, US', 'Ohio, US', 'Wyoming, US'];
    const weights = names.map((name) => segments.find((each) => each.name === name)!.weight);
    expect(weights).toEqual(weights.toSorted((one, other) => other - one));
    expect(weights[0]).toBeGreaterThan(40 * weights[4]);
  });

  it('weigh languages by their users, and the others one', () => {
    const { segments } = segmentProfile(is('LANGUAGE', 'fr', 'sv'), { type: 'LANGUAGES' });
    expect(segments.map(({ name, weight }) => [name, Math.round(weight / segments.at(-1)!.weight)])).toEqual([
      ['French', 30],
      ['Swedish', 1],
    ]);
  });

  it('of targeted words have one to three parts each', () => {
    const words = ['tea', 'coffee', 'milk', 'water', 'juice', 'soup', 'bread', 'cheese', 'apple', 'pear'];
    const { segments } = segmentProfile(is('BROAD_KEYWORD', ...words), { type: 'KEYWORDS' });
    const weights = segments.map(({ weight }) => weight);
    const parts = weights.map((weight) => Math.round(weight / Math.min(...weights)));
    expect([...new Set(parts)].sort()).toEqual([1, 2, 3]);
  });

  it('leave room for users elsewhere', () => {
    expect(segmentProfile(is('LOCATION', US), inUs('METROS')).outside).toBeUndefined();
    const { inside, outside } = segmentProfile([], inUs('METROS')).outside!;
    expect(inside / (inside + outside)).toBeCloseTo(0.185, 2);
    expect(segmentProfile([], onIos('DEVICES')).outside).toEqual({ inside: 380, outside: 620 });
    expect(segmentProfile(is('LOCATION', US, NEW_YORK), inUs('CITIES')).outside).toEqual({ inside: 20, outside: 980 });
  });

  it('have targeting values of their own, in order, and weights that make a short period', () => {
    for (const type of SEGMENTATION_TYPES) {
      const { segments } = segmentProfile([], { type, country: US, platform: IOS });
      const values = segments.map(({ value }) => value).filter((value) => value !== null);
      expect(values).toEqual([...new Set(values)].sort());
      expect(segments.every(({ weight }) => Number.isInteger(weight) && weight > 0)).toBe(true);
      expect(segments.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThan(2_000);
    }
  });
});

describe('a cell', () => {
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const START = Date.parse('2026-03-01T00:00:00Z');
  const COLUMNS: FactColumn[] = [
    ...(['impressions', 'engagements', 'retweets', 'replies', 'likes', 'follows', 'cardEngagements'] as const),
    ...(['clicks', 'appClicks', 'urlClicks', 'qualifiedImpressions', 'billedEngagements'] as const),
    ...([
      'billedChargeLocalMicro',
      'videoTotalViews',
      'videoViews25',
      'videoContentStarts',
      'mediaEngagements',
    ] as const),
  ];
  const AGE = prepared(segmentProfile([], { type: 'AGE' }))!;

  const row = (ms: number, counts: Partial<Record<FactColumn, number>>, isDay = false): CellRow => {
    const zeros = Object.fromEntries(COLUMNS.map((column) => [column, 0])) as Record<FactColumn, number>;
    const time = new Date(ms).toISOString();
    return { ...zeros, ...counts, lineItemId: 'l', promotedId: 'p', audienceId: 'a', time, isDay };
  };

  /** The counts of the segments in these units. */
  function divided(rows: CellRow[], bounds: number[], columns = COLUMNS, profile = AGE): Counts[] {
    const units = { type: 'AGE', placement: 'ALL_ON_PLATFORM', timezone: 'UTC', bounds } as const;
    const counts = new SegmentedCounts(columns, bounds.length - 1);
    const divider = new CellDivider({ ...units, columns });
    Array.from(divider.divide(divider.cellsOf(rows), profile, counts));
    Array.from(divider.end());
    return counts.all();
  }
  const sum = (numbers: readonly number[] = []) => numbers.reduce((total, each) => total + each, 0);
  const totals = (counts: readonly Counts[], column: FactColumn) => counts.map((each) => sum(each.counts.get(column)));

  const many = fc.nat(30_000);
  const few = fc.nat(40);
  /** Facts as the simulation makes them, but with any counts. */
  const fact = fc
    .record({
      shown: many,
      url: few,
      app: few,
      likes: few,
      follows: few,
      other: few,
      charge: fc.nat(9e12),
      pay: fc.nat(3),
    })
    .map(
      // prettier-ignore
      ({ shown, url, app, likes, follows, other, charge, pay }) => {
      const clicks = url + app + likes + other;
      const events = { impressions: shown + clicks + follows, engagements: clicks + follows, urlClicks: url, follows };
      return {
        ...events,
        ...{ clicks, appClicks: app, likes, cardEngagements: url + app },
        qualifiedImpressions: Math.floor(events.impressions * 0.7),
        billedEngagements: Object.values(events)[pay],
        billedChargeLocalMicro: charge,
        videoContentStarts: shown,
        videoTotalViews: Math.floor(shown / 2),
        videoViews25: Math.floor(shown / 3),
      };
    },
    );
  const hours = fc.uniqueArray(fc.tuple(fc.nat(23), fact), { minLength: 1, maxLength: 6, selector: ([hour]) => hour });
  const HOURS = Array.from({ length: 25 }, (_, i) => START + i * HOUR);
  const dayOf = (
    facts: readonly (readonly [number, Partial<Record<FactColumn, number | null>>])[],
    columns: readonly FactColumn[] = COLUMNS,
  ) => Object.fromEntries(columns.map((column) => [column, sum(facts.map(([, each]) => each[column] ?? 0))]));

  it('divides hours, which add up to the day, whatever order they come in and wherever the range is cut', () => {
    fc.assert(
      fc.property(hours, fc.integer({ min: 1, max: 23 }), (facts, cut) => {
        const rows = facts.map(([hour, counts]) => row(START + hour * HOUR, counts));
        const byHour = divided(rows, HOURS);
        const day = divided([row(START, dayOf(facts), true)], [START, START + 24 * HOUR]);
        const [before, after] = [
          divided(rows, [START, HOURS[cut]]),
          divided([...rows].reverse(), [HOURS[cut], HOURS[24]]),
        ];
        const at = (counts: Counts[], value: string | null, column: FactColumn) =>
          sum(counts.find(({ segment }) => segment!.value === value)?.counts.get(column));
        for (const { value } of AGE.segments)
          for (const column of COLUMNS) {
            const count = at(day, value, column);
            expect(at(byHour, value, column)).toBe(count);
            expect(at(before, value, column) + at(after, value, column)).toBe(count);
          }
        for (const column of COLUMNS) {
          expect(sum(totals(day, column))).toBe(sum(facts.map(([, each]) => (each as Partial<Record<FactColumn, number>>)[column] ?? 0))); // prettier-ignore
          for (const [hour, each] of facts)
            expect(sum(byHour.map(({ counts }) => counts.get(column)?.[hour] ?? 0))).toBe((each as Partial<Record<FactColumn, number>>)[column] ?? 0); // prettier-ignore
        }
        for (const { counts } of byHour)
          for (const list of counts.values()) expect(Math.min(...list)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps equal counts of two metrics in the hours in which they were', () => {
    const profile = prepared(segmentProfile([], { type: 'PLATFORMS' }))!;
    const rows = [row(START + 3 * HOUR, { follows: 1 }), row(START + 9 * HOUR, { urlClicks: 1 })];
    const counts = divided(rows, HOURS, ['follows', 'urlClicks'], profile);
    const hoursOf = (column: FactColumn) =>
      counts.flatMap((each) => (each.counts.get(column) ?? []).flatMap((count, hour) => (count > 0 ? [hour] : [])));
    expect([hoursOf('follows'), hoursOf('urlClicks')]).toEqual([[3], [9]]);
  });

  it('keeps sums and parts of counts in each segment of a day', () => {
    fc.assert(
      fc.property(fact, (counts) => {
        for (const { counts: own } of divided([row(START, counts, true)], [START, START + 24 * HOUR])) {
          const of = (column: FactColumn) => own.get(column)?.[0] ?? 0;
          expect(of('engagements')).toBe(of('clicks') + of('follows'));
          expect(of('cardEngagements')).toBe(of('urlClicks') + of('appClicks'));
          expect(of('clicks')).toBeGreaterThanOrEqual(of('urlClicks') + of('appClicks') + of('likes'));
          expect(of('qualifiedImpressions')).toBeLessThanOrEqual(of('impressions'));
          expect(of('videoTotalViews')).toBeLessThanOrEqual(of('videoContentStarts'));
          expect(of('videoViews25')).toBeLessThanOrEqual(of('videoTotalViews'));
          // where each impression has an engagement, those that are billed are impressions
          const isBoth = counts.impressions === counts.engagements;
          for (const column of [
            'impressions',
            'urlClicks',
            'follows',
            ...(isBoth ? [] : ['engagements' as const]),
          ] as const)
            if (counts.billedEngagements === counts[column]) expect(of('billedEngagements')).toBe(of(column));
        }
      }),
    );
  });

  it('sells at the price of the line item in each segment, by hour and by day', () => {
    const columns = ['webPurchasesAfterView', 'webSalesAfterView', 'mobilePurchasesAfterView', 'mobilePurchasesAfterEngagement', 'mobileSales'] as const; // prettier-ignore
    const purchases = (hour: number, count: number, more: number) =>
      row(START + hour * HOUR, {
        webPurchasesAfterView: count,
        webSalesAfterView: count * 49_990_000,
        mobilePurchasesAfterView: more,
        mobilePurchasesAfterEngagement: count,
        mobileSales: (count + more) * 3_000_000_000,
      });
    const rows = [purchases(1, 150, 7), purchases(5, 3, 0), purchases(20, 29, 300)];
    const byHour = divided(rows, HOURS, [...columns]);
    const day = dayOf(
      rows.map((each, i) => [i, each]),
      columns,
    );
    for (const counts of [byHour, divided([row(START, day, true)], [START, START + 24 * HOUR], [...columns])])
      for (const { counts: own } of counts) {
        const of = (column: FactColumn) => sum(own.get(column));
        expect(of('webSalesAfterView')).toBe(of('webPurchasesAfterView') * 49_990_000);
        expect(of('mobileSales')).toBe((of('mobilePurchasesAfterView') + of('mobilePurchasesAfterEngagement')) * 3_000_000_000); // prettier-ignore
      }
    expect(sum(totals(byHour, 'mobileSales'))).toBe(489 * 3_000_000_000);
    // two prices: the amount is divided by itself
    const mixed = divided([row(START, { webPurchasesAfterView: 2, webSalesAfterView: 5 }, true)], [START, START + DAY], [...columns]); // prettier-ignore
    expect(sum(totals(mixed, 'webSalesAfterView'))).toBe(5);
  });

  it('divides what the simulation counts of media, whose engagements are those of the line item', () => {
    const item = { objective: 'REACH', goal: 'MAX_REACH', payBy: 'IMPRESSION' } as const;
    const thing = { kind: 'MEDIA_CREATIVE', isVideo: true } as const;
    const counts = deliveryEventsOf({ item, thing, network: false, impressions: 5_000 }, Draws.of('seed'));
    expect(counts.engagements).toBeGreaterThan(10);
    for (const { counts: own } of divided(
      [row(START, { ...counts, billedEngagements: counts.impressions }, true)],
      [START, START + 24 * HOUR],
    )) {
      expect(own.get('mediaEngagements')).toEqual(own.get('engagements'));
      expect(own.get('billedEngagements')).toEqual(own.get('impressions'));
    }
  });

  it('answers the same for some columns as for all, and zero where counts contradict each other', () => {
    const counts = { impressions: 1_000, clicks: 5, likes: 20, follows: 3, billedEngagements: 7 };
    const bounds = [START, START + 24 * HOUR];
    const [all, some] = [COLUMNS, ['clicks', 'billedEngagements'] as FactColumn[]].map((columns) =>
      divided([row(START, counts, true)], bounds, columns),
    );
    for (const column of ['clicks', 'billedEngagements'] as const)
      expect(totals(some, column).filter(Boolean)).toEqual(totals(all, column).filter(Boolean));
    expect(sum(totals(all, 'clicks'))).toBe(5);
    expect(all.every((each) => !each.counts.has('engagements'))).toBe(true);
    expect(new CellDivision(['impressions', 'videoTotalViews']).columns).toEqual(['impressions', 'videoTotalViews']);
    expect(new CellDivision(['engagements']).columns).toEqual(
      expect.arrayContaining(['clicks', 'urlClicks', 'follows']),
    );
  });
});
