import { closedSet } from '../../common/closed-set.js';
import { ShippedList, shippedTable, type Shipped } from '../../common/list/shipped-list.js';
import { COUNTRIES } from './countries.js';
import { locationValue } from './location-values.js';

/** The kinds of places that can be looked up and targeted. */
export const LOCATION_TYPES = closedSet('LocationType', ['COUNTRIES', 'REGIONS', 'METROS', 'CITIES', 'POSTAL_CODES']);
export type LocationType = (typeof LOCATION_TYPES)[number];

/** What a criterion calls the kind of its place: the same word for one. */
export const CRITERION_LOCATION_TYPES = closedSet('CriterionLocationType', [
  'COUNTRY',
  'REGION',
  'METRO',
  'CITY',
  'POSTAL_CODE',
]);
export type CriterionLocationType = (typeof CRITERION_LOCATION_TYPES)[number];

/** A place that can be targeted. */
export interface Location extends Shipped {
  type: LocationType;
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
  /** The region it is, or is in, as ISO 3166-2 has it; absent where that is not known. */
  regionCode?: string;
}

/** All places: countries, regions, metros, cities by their size, and postal codes, in this order. */
export const LOCATIONS = new ShippedList<Location>(() => [
  ...COUNTRIES.map(({ code, name, location }): Location => ({
    value: location,
    name,
    type: 'COUNTRIES',
    countryCode: code,
  })),
  ...shippedTable('targeting/regions.tsv').map(([code, name]) => {
    const country = code.slice(0, 2);
    return place(`region ${code}`, `${name}, ${country}`, 'REGIONS', country, code);
  }),
  ...shippedTable('targeting/metros.tsv').map(([name, region]) =>
    place(`metro ${name}`, `${name}, US`, 'METROS', 'US', region),
  ),
  ...shippedTable('targeting/cities.tsv').map(([id, country, region, name]) =>
    place(`city ${id}`, `${name}, ${inCountry(country, region)}`, 'CITIES', country, region),
  ),
  ...shippedTable('targeting/postal_codes.tsv').map(([code, country, region, city]) => {
    const name = `${code}, ${city}, ${inCountry(country, region)}`;
    return place(`postal code ${country} ${code}`, name, 'POSTAL_CODES', country, region);
  }),
]);

/** The place that has this targeting value. */
export const locationAt = (value: string): Location | undefined => LOCATIONS.at(value);

/** What a criterion calls the kind of a place. */
export const criterionTypeOf = ({ type }: Location): CriterionLocationType =>
  CRITERION_LOCATION_TYPES[LOCATION_TYPES.indexOf(type)];

/** Many cities of the United States have the same name in several states. */
const inCountry = (country: string, region: string) =>
  country === 'US' && region ? `${region.slice(3)}, US` : country;

const place = (key: string, name: string, type: LocationType, countryCode: string, regionCode: string): Location => ({
  value: locationValue(key),
  name,
  type,
  countryCode,
  ...(regionCode && { regionCode }),
});
