import { closedSet } from '../../common/values/closed-set.js';
import { groupedBy } from '../../common/values/grouped.js';
import { ShippedList, shippedTable, type ShippedItem } from '../../common/list/shipped-list.js';
import { COUNTRIES, locationValue } from './countries.js';

/** The kinds of places that can be looked up and targeted. */
export const LOCATION_TYPES = closedSet('LocationType', ['COUNTRIES', 'REGIONS', 'METROS', 'CITIES', 'POSTAL_CODES']);
export type LocationType = (typeof LOCATION_TYPES)[number];

/** The names of location types in criteria; all but one are the same. */
export const CRITERION_LOCATION_TYPES = closedSet('CriterionLocationType', [
  'COUNTRY',
  'REGION',
  'METRO',
  'CITY',
  'POSTAL_CODE',
]);
export type CriterionLocationType = (typeof CRITERION_LOCATION_TYPES)[number];

/** A targetable place. */
export interface Location extends ShippedItem {
  type: LocationType;
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
  /** The region that it is or lies in, by ISO 3166-2; absent if unknown. */
  regionCode?: string;
  /** Of countries and cities. */
  population?: number;
  /** Of a metro: its code and its name among the designated market areas, by which statistics divide. */
  marketArea?: { code: string; name: string };
}

const countries = (): Location[] =>
  COUNTRIES.map(({ code, name, location, locationsAtX, population }) => ({
    value: location,
    otherValues: locationsAtX,
    name,
    type: 'COUNTRIES',
    countryCode: code,
    population,
  }));

const byCode = new Map(COUNTRIES.map((country) => [country.code, country]));

/** What else countries are called, where that is not the beginning of their name. */
const ALSO_CALLED: Readonly<Record<string, readonly [string, string?]>> = {
  AE: ['UAE'],
  BR: ['Brasil'],
  CD: ['DR Congo', 'Democratic Republic of the Congo'],
  CI: ['Ivory Coast'],
  CZ: ['Czech Republic'],
  GB: ['UK', 'Britain'],
  MM: ['Burma'],
  MO: ['Macau'],
  NL: ['Holland', 'The Netherlands'],
  RU: ['Russian Federation'],
  SZ: ['Swaziland'],
  TL: ['East Timor'],
  TR: ['Turkey'],
  US: ['America', 'United States of America'],
};

/** In place of the codes and further names of a country. */
const NO_CODES = [undefined, undefined, undefined, undefined];

/**
 * What people call a place: its name, the codes and further names of a country, the name without region and country, the
 * code of a region. The codes of countries come before the names and codes of regions: `EST` is Estonia.
 */
function namesOf({ type, name, countryCode, regionCode }: Location): (string | undefined)[] {
  if (type === 'COUNTRIES') {
    const [also, further] = ALSO_CALLED[countryCode] ?? [];
    return [name, countryCode, byCode.get(countryCode)!.alpha3, also, further];
  }
  if (type === 'REGIONS') return [name, ...NO_CODES, name.replace(/, [A-Z]{2}$/, ''), regionCode];
  return [name, ...NO_CODES, name.replace(type === 'METROS' ? /( [A-Z]{2})?, US$/ : /, .*/, '')];
}

/** Larger kinds come first. Only countries and cities have populations; a region has that of its country. */
const rankOf = ({ type, population, countryCode }: Location): number =>
  (type === 'REGIONS' ? byCode.get(countryCode)!.population : (population ?? 0)) - 1e12 * LOCATION_TYPES.indexOf(type);

const SUGGESTED = { namesOf, rankOf, kindOf: ({ type }: Location) => type };

/** All places: countries, regions, metros, cities by size, and postal codes, in this order. */
export const LOCATIONS = new ShippedList<Location>(
  () => [
    ...countries(),
    ...shippedTable('targeting/regions.tsv').map(([code, name]) => {
      const country = code.slice(0, 2);
      return place(`region ${code}`, `${name}, ${country}`, 'REGIONS', country, code);
    }),
    ...shippedTable('targeting/metros.tsv').map(([name, region, code, areaName]) => ({
      ...place(`metro ${name}`, `${name}, US`, 'METROS', 'US', region),
      marketArea: { code, name: areaName },
    })),
    ...shippedTable('targeting/cities.tsv').map(([id, country, region, name, population]) => ({
      ...place(`city ${id}`, `${name}, ${inCountry(country, region)}`, 'CITIES', country, region),
      population: Number(population),
    })),
    ...shippedTable('targeting/postal_codes.tsv').map(([code, country, region, city]) => {
      const name = `${code}, ${city}, ${inCountry(country, region)}`;
      return place(`postal code ${country} ${code}`, name, 'POSTAL_CODES', country, region);
    }),
  ],
  SUGGESTED,
);

/** The countries alone, for parameters that take no other place. */
export const TARGETED_COUNTRIES = new ShippedList<Location>(countries, SUGGESTED);

/** The hint for a text in the place of a country code: the code of the country that has this name or other code. */
export function countryCodeHint(given: unknown): string | undefined {
  const [country] = TARGETED_COUNTRIES.named(given);
  return country && `The code of ${country.name} is ${country.countryCode}.`;
}

/** The place with this targeting value, whichever of them a store returns. */
export const locationAt = (value: string): Location | undefined => LOCATIONS.at(value);

let byRegion: ReadonlyMap<string | undefined, readonly Location[]> | undefined;

/** The region with this code, and the places in it. */
export function placesWithin(regionCode: string): readonly Location[] {
  byRegion ??= groupedBy(LOCATIONS.all(), (each) => each.regionCode);
  return byRegion.get(regionCode) ?? [];
}

/** The location type of a place in criteria. */
export const criterionTypeOf = ({ type }: Location): CriterionLocationType =>
  CRITERION_LOCATION_TYPES[LOCATION_TYPES.indexOf(type)];

/** Many US cities share a name across states. */
const inCountry = (country: string, region: string) =>
  country === 'US' && region ? `${region.slice(3)}, US` : country;

const place = (key: string, name: string, type: LocationType, countryCode: string, regionCode: string): Location => ({
  value: locationValue(key),
  name,
  type,
  countryCode,
  ...(regionCode && { regionCode }),
});
