import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { ageBucketsWithin } from '../../../src/audiences/directory/directory-traits.rules.js';
import { COUNTRIES } from '../../../src/audiences/locations/countries.js';
import {
  criterionTypeOf,
  LOCATION_TYPES,
  LOCATIONS,
  locationAt,
  type Location,
} from '../../../src/audiences/locations/locations.js';
import { ApiError } from '../../../src/common/errors/api-error.js';
import { groupedBy } from '../../../src/common/values/grouped.js';
import type { ShippedItem, ShippedList } from '../../../src/common/list/shipped-list.js';
import {
  EVENT_TYPES,
  eventAt,
  eventsBetween,
  firstDayOf,
} from '../../../src/campaigns/targeting-values/events.rules.js';
import { readKeyword } from '../../../src/campaigns/targeting-values/keywords.rules.js';
import * as lists from '../../../src/campaigns/targeting-values/targeting-lists.js';
import { TARGETING_TYPES, type TargetingType } from '../../../src/campaigns/targeting-values/targeting-types.js';
import {
  AGE_BUCKETS,
  localizedName,
  VALUES,
  type ResolvedValue,
} from '../../../src/campaigns/targeting-values/targeting-values.rules.js';
import { segmentationProblems } from '../../../src/statistics/account-statistics/segmentation.rules.js';

const { APP_STORE_CATEGORIES, CONVERSATIONS, DEVICES, INTERESTS, LANGUAGES } = lists;
const { NETWORK_OPERATORS, PLATFORM_VERSIONS, PLATFORMS, TV_MARKETS, TV_SHOWS } = lists;

const LISTED: [TargetingType, ShippedList<ShippedItem>, number][] = [
  ['APP_STORE_CATEGORY', APP_STORE_CATEGORIES, 80],
  ['APP_STORE_CATEGORY_LOOKALIKE', APP_STORE_CATEGORIES, 80],
  ['CONVERSATION', CONVERSATIONS, 200],
  ['DEVICE', DEVICES, 90],
  ['INTEREST', INTERESTS, 100],
  ['LANGUAGE', LANGUAGES, 40],
  ['LOCATION', LOCATIONS, 12_000],
  ['NETWORK_OPERATOR', NETWORK_OPERATORS, 150],
  ['PLATFORM', PLATFORMS, 5],
  ['PLATFORM_VERSION', PLATFORM_VERSIONS, 30],
  ['TV_SHOW', TV_SHOWS, 150],
];
const names = (found: readonly ShippedItem[]) => found.map(({ name }) => name);
const resolved = (type: TargetingType, value: string) => VALUES[type]!(value) as ResolvedValue;
const refused = (type: TargetingType, value: string) => {
  const error = VALUES[type]!(value);
  if (!(error instanceof ApiError)) throw new Error(`${type} took ${value}`);
  const { code, detail, hint } = error;
  return { code, parameter: detail.parameter, hint: typeof hint === 'function' ? hint() : hint };
};
/** The hint for a value of the parameter `country` of statistics. */
function hintOnCountry(country: string): string | undefined {
  const asked = { entity: 'CAMPAIGN', metric_groups: ['ENGAGEMENT'], segmentation_type: 'REGIONS', country } as const;
  const [{ detail, hint }] = segmentationProblems(asked);
  expect(detail.parameter).toBe('country');
  return typeof hint === 'function' ? hint() : hint;
}
const codes = new Set(COUNTRIES.map(({ code }) => code));

describe('what ships to be targeted', () => {
  it.each(LISTED)('%s: every value resolves to itself and its name', (type, list, min) => {
    expect(list.all().length).toBeGreaterThanOrEqual(min);
    for (const { value, name } of list.all()) {
      expect(name).toBe(name.trim());
      expect(resolved(type, value)).toMatchObject({ value, name });
      expect(value).toBe(value.toLowerCase());
    }
  });

  it('has every column of every table', () => {
    for (const name of ['regions', 'metros', 'cities', 'postal_codes', 'interests', 'events', 'tv_shows', 'devices']) {
      const [heading, ...lines] = readFileSync(`assets/targeting/${name}.tsv`, 'utf8').trimEnd().split('\n');
      const columns = heading.split('\t').length;
      expect(lines.filter((line) => line.split('\t').length !== columns)).toEqual([]);
      expect(new Set(lines).size).toBe(lines.length);
    }
  });

  it('has the values that clients know, and the same ones for good', () => {
    expect(locationAt('96683cc9126741d1')).toMatchObject({ name: 'United States', type: 'COUNTRIES' });
    expect(locationAt('3b77caf94bfc81fe')).toMatchObject({ name: 'Los Angeles, CA, US', type: 'CITIES' });
    expect(locationAt('5122804691e5fecc')).toMatchObject({
      name: 'San Francisco-Oakland-San Jose CA, US',
      type: 'METROS',
    });
    const value = (name: string) => LOCATIONS.all().find((each) => each.name === name)?.value;
    expect(value('Germany')).toBe('6900329d162cb17c');
    expect([value('California, US'), value('Berlin, DE'), value('94103, San Francisco, CA, US')]).toEqual(PINNED);
  });

  it('has all kinds of places, in countries that there are', () => {
    const kinds = new Set<string>();
    for (const each of LOCATIONS.all()) {
      kinds.add(each.type);
      expect(each.value).toMatch(/^[0-9a-f]{16}$/);
      expect(codes).toContain(each.countryCode);
      expect(each.regionCode ?? `${each.countryCode}-`).toContain(`${each.countryCode}-`);
    }
    expect([...kinds]).toEqual([...LOCATION_TYPES]);
    expect(LOCATION_TYPES.map((type) => criterionTypeOf({ type } as never))).toEqual([
      'COUNTRY',
      'REGION',
      'METRO',
      'CITY',
      'POSTAL_CODE',
    ]);
    const regions = new Set(
      LOCATIONS.all().flatMap(({ type, regionCode }) => (type === 'REGIONS' ? [regionCode] : [])),
    );
    const inside = LOCATIONS.all().filter(({ type }) => type !== 'COUNTRIES' && type !== 'REGIONS');
    expect(inside.filter(({ regionCode }) => regionCode && !regions.has(regionCode))).toEqual([]);
    const cities = new Map<string, number>();
    for (const { type, countryCode } of LOCATIONS.all())
      if (type === 'CITIES') cities.set(countryCode, (cities.get(countryCode) ?? 0) + 1);
    expect([...cities.values()]).toEqual(Array.from({ length: 20 }, () => 200));
  });

  it('has interests as Parent/Child, conversations of every type, shows in every market, both stores', () => {
    expect(INTERESTS.all().filter(({ name }) => name.split('/').length !== 2)).toEqual([]);
    expect(new Set(CONVERSATIONS.all().map(({ type }) => type))).toEqual(new Set(lists.CONVERSATION_TYPES));
    const shown = new Set(TV_SHOWS.all().flatMap(({ locales }) => locales));
    expect(TV_MARKETS.all()).toHaveLength(20);
    expect(shown).toEqual(new Set(TV_MARKETS.all().map(({ value }) => value)));
    expect(new Set(APP_STORE_CATEGORIES.all().map(({ osType }) => osType))).toEqual(new Set(lists.APP_STORES));
    for (const { osType } of [...DEVICES.all(), ...PLATFORM_VERSIONS.all()])
      expect(lists.TARGETING_OS_TYPES).toContain(osType);
    for (const { countryCode } of NETWORK_OPERATORS.all()) expect(codes).toContain(countryCode);
    for (const { value } of TV_MARKETS.all()) expect(codes).toContain(lists.interestPartsOf(value).country);
    for (const { value } of TV_SHOWS.all()) expect(Number.isSafeInteger(Number(value))).toBe(true);
    expect(names(PLATFORMS.all())[0]).toBe('iOS');
  });

  it('has ages that the directory knows', () => {
    expect(AGE_BUCKETS).toHaveLength(20);
    for (const age of AGE_BUCKETS) expect(ageBucketsWithin(age)).toBeDefined();
  });
});

describe('a search', () => {
  it('finds words by their beginnings, without case and accents, the beginning of a name first', () => {
    expect(names(LOCATIONS.matching('los angeles')).slice(0, 2)).toEqual(['Los Angeles CA, US', 'Los Angeles, CA, US']);
    expect(names(LOCATIONS.matching('SAO PAULO', ({ type }) => type === 'CITIES'))[0]).toBe('São Paulo, BR');
    expect(names(LOCATIONS.matching('dusseldorf', ({ type }) => type === 'CITIES'))).toEqual(['Düsseldorf, DE']);
    expect(names(APP_STORE_CATEGORIES.matching('music', ({ osType }) => osType === 'IOS'))).toEqual([
      'Music',
      'Games: Music',
    ]);
    expect(names(INTERESTS.matching('books'))[0]).toBe('Books and literature/Biographies and memoirs');
    expect(names(TV_SHOWS.matching('ドラえもん'))).toEqual(['ドラえもん']);
    expect(INTERESTS.matching('ooks')).toEqual([]);
    expect(INTERESTS.matching('!?')).toEqual([]);
    expect(INTERESTS.matching(undefined)).toHaveLength(INTERESTS.all().length);
  });

  it('finds everything by its own name', () => {
    for (const [, list] of LISTED) {
      fc.assert(
        fc.property(fc.constantFrom(...list.all()), (item) => {
          expect(list.matching(item.name)).toContain(item);
        }),
        { numRuns: 30 },
      );
    }
  });
});

describe('a value', () => {
  it('that is wrong is refused by its parameter, with what may have been meant', () => {
    expect(refused('LOCATION', 'Germany')).toMatchObject({
      code: 'INVALID_PARAMETER',
      parameter: 'targeting_value',
      hint: 'The value of Germany is fdcd221ac44fa326.',
    });
    expect(refused('PLATFORM', 'iOS').hint).toBe('The value of iOS is 0.');
    expect(refused('AGE', 'AGE_18_TO_35').hint).toBe('Did you mean AGE_18_TO_34?');
    for (const type of TARGETING_TYPES.filter((each) => VALUES[each]))
      for (const value of ['', '\u0000', ' ', '-1', '99999999999999999999', 'x'.repeat(10_000)])
        if (!(value === '-1' && type.endsWith('KEYWORD')) && !(value.startsWith('99') && type.endsWith('KEYWORD')))
          expect(refused(type, value)).toMatchObject({ parameter: 'targeting_value' });
  });

  it('that is the name or a code of a country suggests that country, and so does `country`', () => {
    for (const { code, alpha3, name, location, locationsAtX } of COUNTRIES)
      for (const given of [code, alpha3, name].flatMap((each) => [each, each.toLowerCase(), each.toUpperCase()])) {
        const hint = `The value of ${name} is ${locationsAtX[0] ?? location}.`;
        expect([given, refused('LOCATION', given).hint]).toEqual([given, hint]);
        expect([given, hintOnCountry(given)]).toEqual([given, hint]);
      }
  });

  it.each([
    ['UK', 'United Kingdom'],
    ['U.S.A.', 'United States'],
    ['united_states', 'United States'],
    ['America', 'United States'],
    ['United States of America', 'United States'],
    ['Brasil', 'Brazil'],
    ['holland', 'Netherlands'],
    ['Turkey', 'Türkiye'],
    ['Georgia', 'Georgia'],
    ['Georgia, US', 'Georgia, US'],
    ['US-GA', 'Georgia, US'],
    ['California', 'California, US'],
    ['Est', 'Estonia'],
    ['London', 'London, GB', 'London, CA'],
    ['Portland', 'Portland, JM', 'Portland OR, US', 'Portland, OR, US'],
    ['San Francisco', 'San Francisco, CA, US'],
    ['94103', '94103, San Francisco, CA, US'],
  ])('%s suggests %s', (given, ...called) => {
    const place = (name: string) => LOCATIONS.all().find((each) => each.name === name)!;
    const valueOf = ({ value, otherValues }: Location) => otherValues?.[0] ?? value;
    const values = called.map((name) => `${name} is ${valueOf(place(name))}`);
    expect(refused('LOCATION', given).hint).toBe(`The value of ${values.join(', that of ')}.`);
  });

  it('tells places of the same name apart by their kinds', () => {
    const [region, city] = LOCATIONS.all().filter(({ name }) => name === 'Berlin, DE');
    expect(refused('LOCATION', 'berlin').hint).toBe(
      `The value of Berlin, DE (REGIONS) is ${region.value}, that of Berlin, DE (CITIES) is ${city.value}.`,
    );
  });

  it.each([
    ['United', 'United States'],
    ['Korea', 'South Korea'],
    ['Tex', 'Texas, US'],
    ['München', 'Münchenstein, CH'],
  ])('%s, which is no whole name, asks whether %s is meant', (given, name) => {
    const { value, otherValues } = LOCATIONS.all().find((each) => each.name === name)!;
    expect(refused('LOCATION', given).hint).toBe(`Did you mean ${name}? Its value is ${otherValues?.[0] ?? value}.`);
  });

  it('suggests no place for the beginning of a code, and only countries for `country`', () => {
    for (const given of ['EU', 'ZZ', 'X', 'NY']) expect(refused('LOCATION', given).hint).toBeUndefined();
    for (const given of ['California', 'US-CA', 'London', '94103']) expect(hintOnCountry(given)).toBeUndefined();
  });

  it.each(LISTED.filter(([type]) => type !== 'LOCATION'))(
    'of %s: a whole name suggests it before longer names',
    (type, list) => {
      for (const items of groupedBy(list.all(), ({ name }) => name).values())
        if (items.length === 1 && !list.at(items[0].name.toLowerCase()))
          expect(refused(type, items[0].name).hint).toBe(`The value of ${items[0].name} is ${items[0].value}.`);
    },
  );

  it.each<[TargetingType, string, string, string]>([
    ['AGE', 'age_13_to_24', 'AGE_13_TO_24', '13 to 24'],
    ['AGE', 'AGE_OVER_50', 'AGE_OVER_50', 'over 50'],
    ['GENDER', '2', '2', 'Female'],
    ['WIFI_ONLY', 'TRUE', '1', 'Wi-Fi only'],
    ['NETWORK_ACTIVATION_DURATION', '01', '1', '1 month'],
    ['NETWORK_ACTIVATION_DURATION', '12', '12', '12 months'],
    ['ENGAGEMENT_TYPE', 'VIDEO_VIEW', 'VIDEO_VIEW', 'VIDEO_VIEW'],
    ['LOCATION', '96683CC9126741D1', '96683cc9126741d1', 'United States'],
    ['LANGUAGE', 'EN', 'en', 'English'],
  ])('of %s may be %s, which is stored as %s and called %s', (type, given, value, name) => {
    expect(resolved(type, given)).toMatchObject({ value, name });
  });

  it('has a name in other languages where it is a platform, a language or a country', () => {
    expect(localizedName('LOCATION', '6900329d162cb17c', 'fr')).toBe('Allemagne');
    expect(localizedName('LANGUAGE', 'de', 'es')).toBe('alemán');
    expect(localizedName('PLATFORM', '4', 'nl')).toBe('Desktops en laptops');
    expect(localizedName('PLATFORM', '4', 'xx')).toBeUndefined();
    expect(localizedName('LOCATION', '6900329d162cb17c', 'xx')).toBeUndefined();
    expect(localizedName('LOCATION', '3b77caf94bfc81fe', 'fr')).toBeUndefined();
    expect(localizedName('BROAD_KEYWORD', 'tea', 'fr')).toBeUndefined();
  });
});

describe('a keyword', () => {
  const read = (given: string, type: TargetingType = 'BROAD_KEYWORD') => {
    const result = readKeyword(type, given);
    return 'keyword' in result ? result.keyword : undefined;
  };

  it('may be a word, a phrase, a hashtag, a name, an emoji', () => {
    for (const keyword of ['coffee', 'cold brew', '#roastery', '@marquee', '🤖', '👩‍🍳', 'コーヒー', '2026', "don't"])
      expect(read(keyword)).toBe(keyword);
    expect(read('  cold \t brew ')).toBe('cold brew');
    expect(read('é'.normalize('NFD'))).toBe('é'.normalize('NFC'));
  });

  it('says something, and is not too long', () => {
    for (const keyword of ['', ' ', '!?', '#', '+', '"', 'a'.repeat(81), 'a b c d e f g h i j k'])
      expect(read(keyword)).toBeUndefined();
    expect(read('🤖'.repeat(80))).toBe('🤖'.repeat(80));
    expect(read('a b c d e f g h i j')).toBeDefined();
  });

  it('keeps words from being expanded with + where that is broad', () => {
    expect(read('+cold brew')).toBe('+cold brew');
    expect([read('+a'), read('+a', 'EXACT_KEYWORD')]).toEqual(['+a', undefined]);
    expect(read('+cold brew', 'EXACT_KEYWORD')).toBeUndefined();
    expect(read('c++', 'EXACT_KEYWORD')).toBe('c++');
  });

  it('is read again as it was read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 90 }), (given) => {
        const once = read(given);
        if (once !== undefined) expect(read(once)).toBe(once);
      }),
    );
  });
});

describe('events', () => {
  it.each([
    ['12-24', 2026, '2026-12-24'],
    ['11-4-thu', 2026, '2026-11-26'],
    ['11-4-thu+1', 2026, '2026-11-27'],
    ['11-1-mon+1', 2028, '2028-11-07'],
    ['05-last-mon', 2027, '2027-05-31'],
    ['05-last-mon', 2026, '2026-05-25'],
    ['06-last-wed', 2026, '2026-06-24'],
    ['01-3-mon', 2027, '2027-01-18'],
    ['easter', 2026, '2026-04-05'],
    ['easter', 2027, '2027-03-28'],
    ['easter', 2024, '2024-03-31'],
    ['easter', 2025, '2025-04-20'],
    ['easter', 2038, '2038-04-25'],
    ['easter', 2049, '2049-04-18'],
    ['easter', 2076, '2076-04-19'],
    ['easter-47', 2026, '2026-02-17'],
    ['2026-02-17,2027-02-06', 2027, '2027-02-06'],
  ])('%s of %i is %s', (when, year, day) => {
    expect(new Date(firstDayOf(when, year)!).toISOString().slice(0, 10)).toBe(day);
  });

  it('do not take place in years that are not listed', () => {
    expect(firstDayOf('2026-02-17,2027-02-06', 2029)).toBeUndefined();
  });

  it('are found while they are on, have midnights, and resolve', () => {
    const [start, end] = [new Date('2026-12-25T12:00:00Z'), new Date('2028-01-01T00:00:00Z')];
    const found = eventsBetween(start, end);
    expect(found[0]).toMatchObject({ name: 'Christmas', start: new Date('2026-12-24T00:00:00Z') });
    expect(found.length).toBeGreaterThan(50);
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES));
    for (const event of found) {
      expect(event.start.getTime() % 86_400_000).toBe(0);
      expect(event.end > start && event.start < end && event.end > event.start).toBe(true);
      expect(eventAt(event.value)).toEqual(event);
      expect(resolved('EVENT', event.value)).toEqual({ value: event.value, name: event.name });
    }
    expect(new Set(found.map(({ value }) => value)).size).toBe(found.length);
  });

  it('are there in every year, and nowhere else', () => {
    expect(eventsBetween(new Date('2060-01-01T00:00:00Z')).length).toBeGreaterThan(150);
    expect(eventsBetween(new Date('2200-01-01T00:00:00Z'))).toEqual([]);
    expect(eventsBetween(new Date('1970-01-01T00:00:00Z'), new Date('1971-01-01T00:00:00Z'))).toEqual([]);
    const years = (from: string, to: string) => [new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`)] as const;
    for (const [start, end] of [years('2026-06-15', '2029-06-15'), years('1970-01-01', '1973-01-01')])
      expect(eventsBetween(start)).toEqual(eventsBetween(start, end));
    const [first] = eventsBetween(new Date('2020-01-01T00:00:00Z'));
    expect(first.value.slice(3)).toBe((2020).toString(36));
    expect(eventAt(first.value)).toEqual(first);
    expect(eventAt(`${first.value.slice(0, 3)}${(2019).toString(36)}`)).toBeUndefined();
    for (const value of ['', 'e01', 'e01zzz', 'zzz1ka', 'e011ka0']) expect(eventAt(value)).toBeUndefined();
  });

  it('on television are those that are watched while they happen', () => {
    const bowl = eventsBetween(new Date('2027-01-01')).find(({ name }) => name === 'Super Bowl')!;
    const easter = eventsBetween(new Date('2027-01-01')).find(({ name }) => name === 'Easter')!;
    expect(resolved('LIVE_TV_EVENT', bowl.value).name).toBe('Super Bowl');
    expect(refused('LIVE_TV_EVENT', easter.value).code).toBe('INVALID_PARAMETER');
  });
});

/** California, Berlin, and a postal code of San Francisco. */
const PINNED = ['370d0436abb89b26', '6f38bb3537cabceb', 'c1b8771ead523c18'];
